package sim

type object = map[string]any
