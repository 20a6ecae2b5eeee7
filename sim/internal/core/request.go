package core

import (
	"net/http"
	"strconv"
)

// Request is a request of some dialect, read.
type Request interface {
	Describe() (model string, streamed bool)
	// Check holds it against the provider's rules.
	Check() *Refusal
	// ReadTask reads what it wants.
	ReadTask() *Task
	// EncodeReply writes an answer to it in the dialect's own form.
	EncodeReply(x *Exchange, out *Answer, t *Turn, seed string) Reply
}

// Reply is an answer in a dialect's own form.
type Reply interface {
	Whole() object
	Stream()
}

// Serve answers a request: by a refusal, by what the script says, or by the
// default behaviour.
func (x *Exchange) Serve(r Request) {
	if x.Admit(r) {
		x.answerRequest(r)
	}
}

// Admit records a request and refuses it where the provider's rules do.
func (x *Exchange) Admit(r Request) bool {
	x.Host.RecordModel(r.Describe())
	if !x.Settings.Lenient {
		if f := r.Check(); f != nil {
			x.Refuse(f)
			return false
		}
	}
	return true
}

func (x *Exchange) answerRequest(r Request) {
	_, streamed := r.Describe()
	turn, ok := x.takeTurn(streamed)
	if !ok {
		return
	}
	task := r.ReadTask()
	out := r.EncodeReply(x, task.makeAnswer(&turn), &turn, task.Seed)
	if streamed {
		out.Stream()
	} else {
		x.Send(out.Whole())
	}
}

// takeTurn takes the next turn of the script. Where that is an error, or there
// is none, the answer is given and ok is false.
func (x *Exchange) takeTurn(streamed bool) (turn Turn, ok bool) {
	turn, ok = x.Host.NextTurn()
	if !ok {
		x.Refuse(refuseUsedUp(x.Host.ScriptLength()))
		return turn, false
	}
	if turn.Fail != nil && (turn.Fault.FailAfter == 0 || !streamed) {
		x.Refuse(turn.Fail.MakeRefusal())
		return turn, false
	}
	return turn, true
}

func refuseUsedUp(turns int) *Refusal {
	length := strconv.Itoa(turns) + " turns"
	if turns == 1 {
		length = "1 turn"
	}
	return &Refusal{
		Status: http.StatusBadRequest, Code: "script_used_up",
		Message: "sim: the script is used up: it has " + length + ", and one more request came",
	}
}
