package temporal

import (
	"cmp"
	"time"

	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// Config says what to run, and how.
type Config struct {
	// Name is the workflow's type; required. The activities are named after it:
	// "clerk.plan", "clerk.model" and "clerk.tool".
	Name string
	// Agent does the work. Its Store, Control and Runtime must be nil: here they
	// are the workflow's business. Its Compact is a compact.Compactor; another one must
	// be deterministic, and can't call a model. It takes a model for one that can't
	// plan: older Claude models that think may refuse what is left of their thoughts.
	// Its Allow must not have Pause or Servers. A tool that is an agent
	// (agent.AsTool) runs within one activity, and can't wait for anybody.
	Agent agent.Agent
	// Models are those that the policy, or the model by Allow.Engines, may choose
	// beside Agent.Model, by names that stay the same: a name can be recorded, and a
	// model can't. The choice of any other ends the run.
	Models map[string]agent.Model

	// ModelCall and ToolCall are the options of the activities. A zero field takes
	// its default: 10 minutes for one attempt (StartToCloseTimeout), a heartbeat
	// every 15 seconds, within which a worker's loss or a cancellation is noticed,
	// and attempts that begin a second apart, then twice as long each time up to a
	// minute: 10 for a model call, 3 for a tool. WaitForCancellation is always on.
	//
	// A tool's own Timeout replaces ToolCall.StartToCloseTimeout, and one with
	// SideEffects has one attempt.
	ModelCall workflow.ActivityOptions
	ToolCall  workflow.ActivityOptions

	// Replies is after how many replies of the model the run is continued as new;
	// 0: when the server suggests it.
	Replies int
}

// Flow is an agent as a workflow. It is safe for concurrent use.
type Flow struct {
	cfg   Config
	tools []tools.Tool // those of the agent, run as activities
	defs  []chat.ToolDef
	names []string // of Config.Models, sorted
}

// New returns a Flow. It does no I/O; what is wrong with the configuration is
// reported by each run.
func New(cfg Config) *Flow {
	f := &Flow{cfg: cfg, defs: cfg.Agent.Tools.Defs(), names: workflow.DeterministicKeys(cfg.Models)}
	for _, name := range cfg.Agent.Tools.Names() {
		if t, ok := cfg.Agent.Tools.Lookup(name); ok {
			f.tools = append(f.tools, f.remote(t))
		}
	}
	return f
}

// Registry is what a worker is told of workflows and activities: a
// worker.Worker, or the test environment of the SDK.
type Registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

// Register makes a worker run the flow and its activities. A replayer, which
// takes workflows only, is given [Flow.Workflow] under the flow's name.
func (f *Flow) Register(r Registry) {
	r.RegisterWorkflowWithOptions(f.Workflow, workflow.RegisterOptions{Name: f.cfg.Name})
	for name, run := range map[string]any{planName: f.plan, modelName: f.callModel, toolName: f.callTool} {
		r.RegisterActivityWithOptions(run, activity.RegisterOptions{Name: f.cfg.Name + name})
	}
}

// The ends of the activities' names.
const (
	planName  = ".plan"
	modelName = ".model"
	toolName  = ".tool"
)

// check refuses a configuration that can't work.
func (f *Flow) check() error {
	a := f.cfg.Agent
	switch {
	case f.cfg.Name == "":
		return chat.Invalid("Config.Name", "is empty")
	case a.Store != nil:
		return chat.Invalid("Config.Agent.Store", "must be nil: the workflow's history keeps the run")
	case a.Control != nil:
		return chat.Invalid("Config.Agent.Control", "must be nil: the run is steered by signals and by cancelling the workflow")
	case a.Allow.Pause:
		return chat.Invalid("Config.Agent.Allow.Pause", "must be false: a workflow goes on by itself; AskUser makes it wait")
	case len(a.Allow.Servers) > 0:
		return chat.Invalid("Config.Agent.Allow.Servers", "must be empty: a workflow can't connect to a server")
	case a.Runtime != nil:
		return chat.Invalid("Config.Agent.Runtime", "must be nil: the run has the workflow's")
	}
	return nil
}

// plans reports whether a run is planned before anything is sent, as it would be
// anywhere else.
func (f *Flow) plans() bool {
	_, ok := f.cfg.Agent.Model.(planner)
	return ok && (f.cfg.Agent.Policy != nil || f.cfg.Agent.Request.ToolChoice.Forced())
}

// Defaults of activities.
const (
	defaultTime      = 10 * time.Minute
	defaultBeat      = 15 * time.Second
	defaultCalls     = 10
	defaultToolCalls = 3
	planTime         = time.Minute
	// spare is what a tool's Timeout leaves to the worker: normally it is the one
	// to end the call, with a result for the model.
	spare = 30 * time.Second
)

func withDefaults(o workflow.ActivityOptions, attempts int32) workflow.ActivityOptions {
	if o.ScheduleToCloseTimeout == 0 {
		o.StartToCloseTimeout = cmp.Or(o.StartToCloseTimeout, defaultTime)
	}
	o.HeartbeatTimeout = cmp.Or(o.HeartbeatTimeout, defaultBeat)
	o.WaitForCancellation = true
	if o.RetryPolicy == nil {
		o.RetryPolicy = &sdk.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: attempts,
		}
	}
	return o
}

// toolOptions are the options of the activity that runs a tool.
func (f *Flow) toolOptions(t tools.Tool) workflow.ActivityOptions {
	o := withDefaults(f.cfg.ToolCall, defaultToolCalls)
	o.Summary = t.Def.Name
	if t.Options.Timeout > 0 {
		o.StartToCloseTimeout = t.Options.Timeout + spare
	}
	if t.Options.SideEffects {
		once := *o.RetryPolicy
		once.MaximumAttempts = 1
		o.RetryPolicy = &once
	}
	return o
}
