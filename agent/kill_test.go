package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// A test starts this binary again, as the process that is killed.
var (
	lifeDir = flag.String("life.dir", "", "run an agent whose files are here, and be killed")
	lifeEnd = flag.Int64("life.end", 0, "the point at which the process kills itself; 0: none")
)

// life is a process that runs, or goes on with, one run.
type life struct {
	dir  string
	end  int64
	past atomic.Int64
}

// point is a place where the process may die.
func (l *life) point() {
	if l.past.Add(1) == l.end {
		die()
	}
}

// die is kill -9: no deferred function runs, nothing is flushed.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// mortal is a file store in which the process may die: before and after each
// write, and with half of it done.
type mortal struct {
	agent.FileStore
	life *life
}

func (m mortal) Save(ctx context.Context, run string, state []byte) error {
	m.life.point()
	m.torn(run+".state.json.tmp", os.O_TRUNC, state)
	journal, _ := os.ReadFile(m.journal(run))
	err := m.FileStore.Save(ctx, run, state)
	if m.life.past.Add(1) == m.life.end { // renamed, and the journal is still there
		_ = os.WriteFile(m.journal(run), journal, 0o600)
		die()
	}
	m.life.point()
	return err
}

func (m mortal) journal(run string) string { return filepath.Join(m.Dir, run+".journal.jsonl") }

func (m mortal) Append(ctx context.Context, run string, entry []byte) error {
	m.life.point()
	m.torn(filepath.Base(m.journal(run)), os.O_APPEND, entry)
	err := m.FileStore.Append(ctx, run, entry)
	m.life.point()
	return err
}

// torn dies with half of the data in the file, if this is the point.
func (m mortal) torn(name string, flag int, data []byte) {
	if m.life.past.Add(1) != m.life.end {
		return
	}
	if file, err := os.OpenFile(filepath.Join(m.Dir, name), os.O_CREATE|os.O_WRONLY|flag, 0o600); err == nil {
		_, _ = file.Write(data[:len(data)/2])
	}
	die()
}

// effect writes a line that says that a call has had its effect.
func (l *life) effect(file, line string) error {
	f, err := os.OpenFile(filepath.Join(l.dir, file), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

type item struct {
	ID string `json:"id"`
}

func (l *life) tool(name string, o tools.Options) tools.Tool {
	return tools.New(name, "", func(_ context.Context, in item) (string, error) {
		l.point()
		if err := l.effect(name, in.ID); err != nil {
			return "", err
		}
		l.point()
		return name + " " + in.ID, nil
	}).With(o)
}

// lifeSteps is what the model asks for, a step a line.
var lifeSteps = [][]string{
	{"look", "send"}, {"send"}, {"look", "look", "look"}, {"send", "look", "send", "send"}, {"look"}, {"send", "send"},
}

// amnesiac is a model without a memory: the conversation says where it stands.
type amnesiac struct{ life *life }

func (a amnesiac) Chat(_ context.Context, req *chat.Request) (*chat.Reply, error) {
	a.life.point()
	step := 0
	for _, m := range req.Messages {
		if m.Role == chat.RoleTool {
			step++
		}
	}
	if step == len(lifeSteps) {
		return text("that was all"), nil
	}
	reply := calls()
	for i, tool := range lifeSteps[step] {
		id := fmt.Sprintf("%d.%d", step, i)
		args, _ := json.Marshal(item{id})
		reply.Parts = append(reply.Parts, chat.ToolCall{ID: "call " + id, Name: tool, Arguments: args})
	}
	a.life.point()
	return reply, nil
}

func (a amnesiac) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] { return nil }

// run begins the run or goes on with it.
func (l *life) run(ctx context.Context) (*agent.Result, error) {
	store := mortal{agent.FileStore{Dir: l.dir}, l}
	bot := agent.Agent{
		Model: amnesiac{l}, Store: store, RunID: "run",
		Tools: tools.NewSet(l.tool("look", tools.Options{}), l.tool("send", tools.Options{SideEffects: true})),
	}
	state, err := agent.Load(ctx, store, "run")
	if errors.Is(err, agent.ErrNoRun) {
		return bot.Run(ctx, hello)
	}
	if err != nil {
		return nil, err
	}
	return bot.Resume(ctx, state)
}

// TestLife is the process that is killed; by itself it only shows that the run
// ends.
func TestLife(t *testing.T) {
	t.Parallel()
	l := &life{dir: *lifeDir, end: *lifeEnd}
	if l.dir == "" {
		l.dir = t.TempDir()
	}
	result, err := l.run(t.Context())
	if err != nil || result.Text() != "that was all" {
		t.Fatalf("%v, %v", result, err)
	}
}

// lifePoints is how many points an undisturbed run passes.
func lifePoints(t *testing.T) int64 {
	t.Helper()
	l := &life{dir: t.TempDir()}
	if _, err := l.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l.past.Load()
}

// TestKilled kills the process of a run, wherever, once or twice, and goes on
// with the run: it ends as it would have, and each call with side effects was
// made once, or is reported as of unknown outcome.
func TestKilled(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	points := lifePoints(t)
	const runs = 200
	var unknown, twice atomic.Int64
	t.Run("runs", func(t *testing.T) {
		t.Parallel()
		for i := range runs {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				dice := rand.New(rand.NewPCG(7, uint64(i)))
				l := &life{dir: t.TempDir()}
				killed := live(t, exe, l.dir, dice, points)
				if killed && dice.IntN(2) == 0 && live(t, exe, l.dir, dice, points) {
					twice.Add(1)
				}
				result, err := l.run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				unknown.Add(l.check(t, result))
			})
		}
	})
	t.Cleanup(func() {
		t.Logf("%d runs, %d points each, %d killed twice, %d calls of unknown outcome", runs, points, twice.Load(), unknown.Load())
		if unknown.Load() == 0 || twice.Load() == 0 {
			t.Error("no run was killed in the middle of a call, or none twice")
		}
	})
}

// live starts the process, which dies at a random point or after a random
// time, and reports whether it did.
func live(t *testing.T, exe, dir string, dice *rand.Rand, points int64) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	end := 1 + dice.Int64N(points)
	if dice.IntN(5) == 0 {
		end = 0
		time.AfterFunc(time.Duration(dice.IntN(60))*time.Millisecond, cancel)
	}
	child := exec.CommandContext(ctx, exe, "-test.run=^TestLife$", "-life.dir="+dir, fmt.Sprint("-life.end=", end))
	out, err := child.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited && ctx.Err() == nil {
		t.Fatalf("%v: %s", err, out)
	}
	if bytes.Contains(out, []byte("FAIL")) {
		t.Fatalf("the process failed: %s", out)
	}
	return err != nil
}

// check holds a run that was killed against what it should have done, and
// counts the calls of unknown outcome.
func (l *life) check(t *testing.T, result *agent.Result) (unknown int64) {
	t.Helper()
	sound(t, result)
	if result.Text() != "that was all" || len(result.Steps) != len(lifeSteps)+1 || result.Usage.Total() != 15*len(result.Steps) {
		t.Errorf("ended with %q after %d steps, %+v", result.Text(), len(result.Steps), result.Usage)
	}
	sent, err := os.ReadFile(filepath.Join(l.dir, "send"))
	if err != nil {
		t.Fatal(err)
	}
	for step, names := range lifeSteps {
		for i, name := range names {
			id := fmt.Sprintf("%d.%d", step, i)
			made := bytes.Count(sent, []byte(id+"\n"))
			switch c := result.Steps[step].Calls[i]; {
			case c.Outcome == agent.Unknown && name == "send" && made <= 1:
				unknown++
			case c.Outcome != agent.Succeeded || said(c) != name+" "+id:
				t.Errorf("call %s: %s: %q", id, c.Outcome, said(c))
			case name == "send" && made != 1:
				t.Errorf("call %s was made %d times", id, made)
			}
		}
	}
	return unknown
}
