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

// Open starts the simulator, which gives the answers of the script and then
// its own. Engines of the named provider talk to the real one, with the key from
// the environment; "" leaves all on the simulator.
func Open(provider string, script ...sim.Turn) (*World, error) {
	server, err := sim.Start(sim.Options{Turns: script})
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

// Example is what a program shows, on an engine.
type Example func(context.Context, io.Writer, engine.Engine) error

// Main runs an example on the simulator, as that engine and model, with that
// script. With -provider it runs on the real one, with a model that it serves
// unless -model names another. The program fails if the example does.
func Main(name, model string, example Example, script ...sim.Turn) {
	provider := flag.String("provider", "", "real provider to ask, with its key from the environment; empty: the simulator")
	asked := flag.String("model", "", "model to ask; empty: one that the provider serves")
	flag.Parse()
	if *provider != "" {
		name, model = *provider, ""
	}
	world, err := Open(*provider, script...)
	if err == nil {
		err = world.run(context.Background(), os.Stdout, name, cmp.Or(*asked, model), example)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// Simulate runs an example on the simulator.
func Simulate(w io.Writer, name, model string, example Example, script ...sim.Turn) error {
	world, err := Open("", script...)
	if err != nil {
		return err
	}
	return world.run(context.Background(), w, name, model, example)
}

// run runs an example, and closes the world.
func (w *World) run(ctx context.Context, out io.Writer, name, model string, example Example) error {
	eng, err := w.Engine(name, model)
	if err == nil {
		err = example(ctx, out, eng)
	}
	return errors.Join(err, w.Close())
}
