// Package demo gives the examples their engines: on the simulator, so that
// they run without a key, or on the real provider that the caller names.
package demo

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"os"

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

// Main runs an example on the simulator, as that engine and model. With
// -provider it runs on the real one, with a model that it serves unless -model
// names another. The program fails if the example does.
func Main(name, model string, example func(context.Context, io.Writer, engine.Engine) error) {
	provider := flag.String("provider", "", "real provider to ask, with its key from the environment; empty: the simulator")
	asked := flag.String("model", "", "model to ask; empty: one that the provider serves")
	flag.Parse()
	if *provider != "" {
		name, model = *provider, ""
	}
	err := run(*provider, func(world *World) error {
		eng, err := world.Engine(name, cmp.Or(*asked, model))
		if err != nil {
			return err
		}
		return example(context.Background(), os.Stdout, eng)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// run runs f in a world of its own.
func run(provider string, f func(*World) error) error {
	world, err := Open(provider)
	if err != nil {
		return err
	}
	return errors.Join(f(world), world.Close())
}
