package cassette

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/stream"
)

// begin empties the file before the first call is sent, so that what can't be
// written is known before anything is paid for.
func (c *Tape) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(c.Path), 0o750)
	if err == nil {
		err = os.WriteFile(c.Path, nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("cassette: %w", err)
	}
	c.begun = true
	return nil
}

// keep adds a line to the file.
func (c *Tape) keep(r *recording, events []chat.Event) error {
	s := c.scrubber()
	r.Events = s.events(events)
	line, err := s.line(r)
	if err != nil {
		return fmt.Errorf("cassette: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.OpenFile(c.Path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("cassette: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("cassette: %w", err)
	}
	return nil
}

// load reads the file, once. The caller holds the lock.
func (c *Tape) load() error {
	if !c.loaded {
		c.loaded, c.waiting = true, make(map[string][]*track)
		c.failed = c.read()
	}
	return c.failed
}

func (c *Tape) read() error {
	data, err := os.ReadFile(c.Path)
	if err != nil {
		return fmt.Errorf("cassette: it must be recorded first: %w", err)
	}
	s, n := c.scrubber(), 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		t := &track{path: c.Path, line: n, data: line}
		var r recording
		err := json.Unmarshal(line, &r)
		if err == nil && r.Asked == nil {
			err = errors.New("no recorded call")
		}
		if err == nil {
			t.asked = *r.Asked
			t.doc, t.name, err = s.name(r.Asked)
		}
		if err != nil {
			return fmt.Errorf("cassette: %s:%d: %w", c.Path, n, err)
		}
		c.tracks = append(c.tracks, t)
		c.waiting[t.name] = append(c.waiting[t.name], t)
	}
	return nil
}

// find takes the next recording of a call.
func (c *Tape) find(ctx context.Context, a *asked) (*track, error) {
	if ctx.Err() != nil {
		return nil, stream.WaitEnded(ctx, a.Engine, "looking for the cassette")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(); err != nil {
		return nil, err
	}
	doc, name, err := c.scrubber().name(a)
	if err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	left := c.waiting[name]
	if len(left) == 0 {
		return nil, c.drift(a, doc, name)
	}
	c.waiting[name] = left[1:]
	left[0].used = true
	return left[0], nil
}
