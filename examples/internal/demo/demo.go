// Package demo gives the examples their engines: on the simulator, so that
// they run without a key, or on the real provider that the caller names.
package demo

import (
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
)

// World is where an example runs. Close it when done.
type World struct {
	provider string
	server   *sim.Server
}

// Open starts the simulator. Engines of the named provider talk to the real
// one, with the key from the environment; "" leaves all on the simulator.
func Open(provider string) (*World, error) {
	server, err := sim.Start(sim.Options{})
	if err != nil {
		return nil, err
	}
	return &World{provider, server}, nil
}

// Engine returns the catalog's engine of that name, with a default model; ""
// takes one that the provider serves.
func (w *World) Engine(name, model string) (engine.Engine, error) {
	cfg := engine.Config{Model: model}
	for _, e := range engine.Catalog() {
		if e.Profile.Name == name && model == "" {
			cfg.Model = e.Profile.Example
		}
	}
	if name != w.provider {
		cfg.BaseURL, cfg.APIKey = w.server.BaseURL(name), "any"
	}
	return engine.New(name, cfg)
}

// Close stops the simulator.
func (w *World) Close() error { return w.server.Close() }

// Single opens a world for one engine: the named provider's real one, or, when
// that is empty, the fallback's on the simulator. done closes the world.
func Single(provider, fallback, model string) (eng engine.Engine, done func(), err error) {
	world, err := Open(provider)
	if err != nil {
		return nil, nil, err
	}
	if provider == "" {
		provider = fallback
	}
	eng, err = world.Engine(provider, model)
	if err != nil {
		_ = world.Close()
		return nil, nil, err
	}
	return eng, func() { _ = world.Close() }, nil
}
