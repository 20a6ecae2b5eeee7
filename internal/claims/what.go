package claims

import "slices"

// What names a claim.
type What string

// What a row may claim, and its words.
const (
	// Thinks: never, if_asked, by_default, always.
	Thinks What = "thinks"
	// AskedBy lists the settings that switch thinking on: type (of a thinking
	// object, or the value of think), effort, budget.
	AskedBy What = "asked_by"
	// Off: how thinking is switched off: type (disabled, or false), effort
	// (none), budget (0), left_out, or refused.
	Off What = "off"
	// ThinkingTypes lists the types of a thinking object that are taken.
	ThinkingTypes What = "thinking_types"
	// Efforts lists the efforts or levels that are taken, as they are spelled
	// on the wire; none: the member is refused.
	Efforts What = "efforts"
	// EffortsWhenOff lists those taken while thinking is switched off.
	EffortsWhenOff What = "efforts_when_off"
	// Budget bounds a budget: taken, refused, or below_max_tokens. Words are
	// values taken beside the range.
	Budget What = "budget"
	// Sampling: temperature and top_p are taken, refused, refused_while_thinking
	// or ignored_while_thinking.
	Sampling What = "sampling"
	// SamplingPair: temperature and top_p together are taken or refused.
	SamplingPair What = "sampling_pair"

	// Tools: taken, refused, ignored, refused_while_thinking, no_member.
	Tools What = "tools"
	// Forced: a call that the model must make is taken, refused, ignored,
	// refused_while_thinking, refused_while_enabled (by a budget, not
	// adaptively), ignored_while_thinking, or unproven_while_thinking: no source
	// says that it is taken.
	Forced What = "forced"
	// The four choices: taken, refused, ignored, no_form,
	// refused_while_thinking, unknown.
	Auto  What = "choice_auto"
	None  What = "choice_none"
	Any   What = "choice_any"
	Named What = "choice_named"
	// ChoiceWords lists the choices that are one word on the wire.
	ChoiceWords What = "choice_words"
	// Subset lists the modes in which a choice may be limited to some tools.
	Subset What = "subset"
	// HistoryWithCalls: calls and results in the conversation are taken, need
	// tools beside them, or have no_member.
	HistoryWithCalls What = "history_with_calls"

	// JSONMode and Schema: taken, refused, no_member, unknown.
	JSONMode What = "json_mode"
	Schema   What = "schema"
	// SchemaWhileThinking: taken, or may_be_skipped.
	SchemaWhileThinking What = "schema_while_thinking"
	// JSONBesideTools: taken, refused, hides_calls.
	JSONBesideTools What = "json_beside_tools"
	// JSONBesideForced: taken or refused.
	JSONBesideForced What = "json_beside_forced"

	// Served: yes, or no where the model isn't to be had on this endpoint.
	Served What = "served"
	// Inputs lists the kinds of parts that are read.
	Inputs What = "inputs"
	// Refused, RefusedWhileThinking and Ignored list members, with points
	// between nested ones.
	Refused              What = "refused_members"
	RefusedWhileThinking What = "refused_members_while_thinking"
	Ignored              What = "ignored_members"
	// Aliases lists second spellings of what has a member of its own.
	Aliases What = "aliases"
	// Metadata: taken, refused, needs_store.
	Metadata What = "metadata"
	// MaxTokens bounds the limit of an answer.
	MaxTokens What = "max_tokens"
	// Stored: the provider keeps the conversation unless_false is said.
	Stored What = "stored"
	// EncryptedThoughts: asking for them is taken or refused.
	EncryptedThoughts What = "encrypted_thoughts"
	// Prefill: a last turn of the assistant is taken, refused,
	// refused_while_thinking or needs_flag.
	Prefill What = "prefill"
	// MidSystem: a system message after the first turn is taken, refused,
	// ignored, or taken after_user only.
	MidSystem What = "mid_system"
	// UserAfterTool: a user's turn right after a result is taken or refused.
	UserAfterTool What = "user_after_tool"
	// Turns: free, or alternate.
	Turns What = "turns"
	// TextParts: a text given as a list of parts is taken or refused.
	TextParts What = "text_parts"
)

// form is what a claim of one kind may say.
type form struct {
	is     []string
	list   bool
	bounds bool
}

func (f form) takes(is string) bool {
	return slices.Contains(f.is, is) || is == "" && (f.list || f.bounds)
}

var forms = map[What]form{
	Thinks:         {is: []string{"never", "if_asked", "by_default", "always"}},
	AskedBy:        {list: true},
	Off:            {is: []string{"type", "effort", "budget", "left_out", "refused"}},
	ThinkingTypes:  {list: true},
	Efforts:        {list: true},
	EffortsWhenOff: {list: true},
	Budget:         {is: []string{"taken", "refused", "below_max_tokens"}, list: true, bounds: true},
	Sampling:       {is: []string{"taken", "refused", "refused_while_thinking", "ignored_while_thinking"}},
	SamplingPair:   {is: []string{"taken", "refused"}},

	Tools: {is: []string{"taken", "refused", "ignored", "refused_while_thinking", "no_member"}},
	Forced: {is: []string{
		"taken", "refused", "ignored", "refused_while_thinking", "refused_while_enabled", "ignored_while_thinking", "unproven_while_thinking",
	}},
	Auto:             choiceForm,
	None:             choiceForm,
	Any:              choiceForm,
	Named:            choiceForm,
	ChoiceWords:      {list: true},
	Subset:           {list: true},
	HistoryWithCalls: {is: []string{"taken", "needs_tools", "no_member"}},

	JSONMode:            {is: []string{"taken", "refused", "no_member", "unknown"}},
	Schema:              {is: []string{"taken", "refused", "no_member", "unknown"}},
	SchemaWhileThinking: {is: []string{"taken", "may_be_skipped"}},
	JSONBesideTools:     {is: []string{"taken", "refused", "hides_calls"}},
	JSONBesideForced:    {is: []string{"taken", "refused"}},

	Served:               {is: []string{"yes", "no"}},
	Inputs:               {list: true},
	Refused:              {list: true},
	RefusedWhileThinking: {list: true},
	Ignored:              {list: true},
	Aliases:              {list: true},
	Metadata:             {is: []string{"taken", "refused", "needs_store"}},
	MaxTokens:            {bounds: true},
	Stored:               {is: []string{"unless_false"}},
	EncryptedThoughts:    {is: []string{"taken", "refused"}},
	Prefill:              {is: []string{"taken", "refused", "refused_while_thinking", "needs_flag"}},
	MidSystem:            {is: []string{"taken", "refused", "ignored", "after_user"}},
	UserAfterTool:        {is: []string{"taken", "refused"}},
	Turns:                {is: []string{"free", "alternate"}},
	TextParts:            {is: []string{"taken", "refused"}},
}

var choiceForm = form{is: []string{"taken", "refused", "ignored", "no_form", "refused_while_thinking", "unknown"}}
