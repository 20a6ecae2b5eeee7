package failure

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Limits on what is read.
const (
	maxBody  = 1 << 20
	maxDepth = 6                   // of errors in errors
	maxTexts = 10                  // of a list
	maxDelay = 30 * 24 * time.Hour // as for headers
)

// readBody reads what a body says: nothing if it isn't JSON or is too large.
func readBody(body []byte) (f Failure, o object) {
	body = bytes.TrimSpace(body)
	if len(body) > maxBody || !json.Valid(body) {
		return f, nil
	}
	return readValue(body, maxDepth), readObject(body)
}

func readValue(raw json.RawMessage, depth int) Failure {
	switch {
	case len(raw) == 0 || depth == 0:
	case raw[0] == '{':
		return readObject(raw).readError(depth)
	case raw[0] == '[':
		return readList(raw, depth)
	case raw[0] == '"':
		text := decodeWord(raw)
		if quoted := strings.TrimSpace(text); strings.HasPrefix(quoted, "{") || strings.HasPrefix(quoted, "[") {
			if f := readValue([]byte(quoted), depth-1); f.Message != "" { // what a gateway quotes
				return f
			}
		}
		return Failure{Message: text}
	}
	return Failure{}
}

// readList joins the texts of a list. The rest is that of its first error.
func readList(raw json.RawMessage, depth int) (all Failure) {
	var texts []string
	for _, element := range splitList(raw) {
		f := readValue(element, depth-1)
		if f.Message != "" && len(texts) < maxTexts {
			texts = append(texts, f.Message)
		}
		if all.words == nil {
			all.fillFrom(&f)
		}
	}
	all.Message = strings.Join(texts, "; ")
	return all
}

// object is an error object of any shape.
type object map[string]json.RawMessage

// readError reads the members that error objects are known to have. Sources, read
// 2026-11-30 if nothing else is said: OpenAI {error:{message,type,param,code}};
// Anthropic {type:error,error:{type,message,details:{error_code}},request_id};
// Mistral and vLLM {object:error,message,type,param,code}; FastAPI {detail} and
// {detail:[{loc,msg}]}; Google {error:{code,message,status,details}}; OAuth
// {error,error_description}; AWS {__type,Message} and {code,errorMessage};
// Bedrock {message,originalStatusCode,originalMessage}; Ollama and xAI {error};
// TGI {error,error_type}; AKI {error:[…],error_code}; Cloudflare {errors:
// [{code,message}]}; Cohere {id,message}; OpenRouter {error:{code,message,
// metadata:{raw,error_type}}}; Groq {error:{…,failed_generation}} and, in
// streams, {x_groq:{error}}; Azure {error:{…,innererror:{code}}} and
// {statusCode,message}; MiniMax {base_resp:{status_code,status_msg}} and
// {error:{…,http_code}}; RFC 9457 {type,title,detail,status}, read 2026-12-01.
func (o object) readError(depth int) Failure {
	if path := o.readPath(); path != "" { // a complaint of FastAPI; its type is that of a check
		return Failure{Message: joinTexts(path, o.readWord("msg")), Param: path}
	}
	f := readValue(o["error"], depth-1)
	own := o.readOwn(depth)
	if o.readText("error") != "" {
		f.words = append(f.words, f.Message)
		if own.Message != "" && own.Message != f.Message { // it is the name of the error then
			f.Type, f.Message = f.Message, ""
		}
		f, own = own, f
	}
	f.fillFrom(&own)
	metadata := readObject(o["metadata"])
	for _, raw := range [...]json.RawMessage{o["errors"], o["x_groq"], o["innererror"], metadata["raw"]} {
		inner := readValue(raw, depth-1)
		f.Message = joinTexts(f.Message, inner.Message)
		f.fillFrom(&inner)
	}
	f.Message = joinTexts(f.Message, o.readWord("failed_generation", "originalMessage"))
	return f
}

func (o object) readOwn(depth int) Failure {
	f := o.readDetails()
	typ := o.readWord("type")
	if typ == "error" { // the envelope's
		typ = ""
	}
	words := []string{
		typ, exceptionName(o.readWord("__type")), o.readWord("error_type"),
		readObject(o["metadata"]).readWord("error_type"), o.readText("status"), o.readWord("reason"),
	}
	own := Failure{
		Type: cmp.Or(words...), Code: o.readWord("code", "error_code", "originalStatusCode"), Param: o.readWord("param"),
		RequestID: o.readWord("request_id"), behind: o.readStatus("originalStatusCode"),
		status: o.readStatus("code", "error_code", "status", "status_code", "statusCode", "http_code"),
	}
	own.words = append([]string{own.Code}, words...)
	f.fillFrom(&own)
	message := readValue(o.firstOf(
		"message", "Message", "msg", "errorMessage", "error_description", "detail", "title",
	), depth-1)
	f.fillFrom(&message)
	base := readObject(o["base_resp"])
	if code := base.readWord("status_code"); code != "" && code != "0" {
		f.fillFrom(&Failure{Message: base.readWord("status_msg"), Code: code, words: []string{"base_resp:" + code}})
	}
	return f
}

// readDetails reads what Google and Anthropic add to an error. Of interest are
// the reason, the delay, the field, and which quota is used up: its id says
// whether it is one of a day; a value of 0 that there never was any. Sources,
// read 2026-11-30: googleapis google/rpc/error_details.proto; error bodies in
// google-gemini/gemini-cli issues 10513 and 22486 and RooCodeInc/Roo-Code issue
// 3883; platform.claude.com, "Errors".
func (o object) readDetails() (all Failure) {
	for _, raw := range splitList(o["details"]) {
		detail := readObject(raw)
		f := Failure{Code: detail.readWord("error_code", "reason"), spent: isDaily(readObject(detail["metadata"]), "quota_limit")}
		f.words = []string{f.Code}
		if d, err := time.ParseDuration(detail.readWord("retryDelay")); err == nil {
			f.RetryAfter = min(d, maxDelay)
		}
		for _, raw := range append(splitList(detail["violations"]), splitList(detail["fieldViolations"])...) {
			violation := readObject(raw)
			f.Param = cmp.Or(f.Param, violation.readWord("field"))
			f.spent = f.spent || isDaily(violation, "quotaId") || violation.readWord("quotaValue") == "0"
		}
		all.fillFrom(&f)
	}
	return all
}

func isDaily(o object, name string) bool { return strings.Contains(o.readWord(name), "PerDay") }

// exceptionName brings the spellings of an AWS exception to that of the
// documentation: headers have an address after it, bodies a namespace in front,
// frames a small first letter. Source: smithy.io, "AWS restJson1", operation
// error serialization, read 2026-11-30.
func exceptionName(s string) string {
	s, _, _ = strings.Cut(s, ":")
	s = strings.TrimSpace(s[strings.LastIndexByte(s, '#')+1:])
	if s != "" && 'a' <= s[0] && s[0] <= 'z' {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

func joinTexts(message, behind string) string {
	if message == "" || behind == "" || message == behind {
		return cmp.Or(message, behind)
	}
	return strings.TrimSuffix(message, ".") + ": " + behind
}

func readObject(raw json.RawMessage) (o object) {
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// splitList gives the elements of a list, or the one value that stands in its place.
func splitList(raw json.RawMessage) (list []json.RawMessage) {
	if json.Unmarshal(raw, &list) != nil {
		return []json.RawMessage{raw}
	}
	return list
}

// readText reads a member that is a text; empty if it is anything else.
func (o object) readText(name string) string {
	if !bytes.HasPrefix(o[name], []byte(`"`)) {
		return ""
	}
	return decodeWord(o[name])
}

func (o object) firstOf(names ...string) json.RawMessage {
	for _, name := range names {
		switch raw := o[name]; string(raw) {
		case "", "null", "false", `""`, "{}", "[]":
		default:
			return raw
		}
	}
	return nil
}

// readWord reads the first of some members that is a text or a number.
func (o object) readWord(names ...string) string {
	for _, name := range names {
		if word := decodeWord(o[name]); word != "" {
			return word
		}
	}
	return ""
}

func decodeWord(raw json.RawMessage) (word string) {
	var n json.Number
	if json.Unmarshal(raw, &word) != nil && json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return word
}

// readStatus reads the first of some members that is an HTTP status of a failure, in
// quotes or not.
func (o object) readStatus(names ...string) int {
	for _, name := range names {
		if n, err := strconv.Atoi(decodeWord(o[name])); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// readPath joins FastAPI's loc, such as ["body","messages",0].
func (o object) readPath() string {
	if !bytes.HasPrefix(o["loc"], []byte("[")) {
		return ""
	}
	var words []string
	for _, raw := range splitList(o["loc"]) {
		words = append(words, decodeWord(raw))
	}
	return strings.Join(words, ".")
}
