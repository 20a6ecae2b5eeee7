package conformance

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/sabir-go/sabir/chat"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	smithydocument "github.com/aws/smithy-go/document"
)

// members are the kinds of a union of the AWS SDK, which Go's reflection can't
// list.
var members = map[reflect.Type][]any{
	reflect.TypeFor[types.ContentBlock](): {
		types.ContentBlockMemberText{},
		types.ContentBlockMemberImage{},
		types.ContentBlockMemberDocument{},
		types.ContentBlockMemberToolUse{},
		types.ContentBlockMemberToolResult{},
		types.ContentBlockMemberAudio{},
		types.ContentBlockMemberReasoningContent{},
		types.ContentBlockMemberCachePoint{},
	},
	reflect.TypeFor[types.SystemContentBlock]():    {types.SystemContentBlockMemberText{}, types.SystemContentBlockMemberCachePoint{}},
	reflect.TypeFor[types.Tool]():                  {types.ToolMemberToolSpec{}, types.ToolMemberCachePoint{}},
	reflect.TypeFor[types.ToolInputSchema]():       {types.ToolInputSchemaMemberJson{}},
	reflect.TypeFor[types.ToolChoice]():            {types.ToolChoiceMemberAny{}, types.ToolChoiceMemberAuto{}, types.ToolChoiceMemberTool{}},
	reflect.TypeFor[types.ImageSource]():           {types.ImageSourceMemberBytes{}, types.ImageSourceMemberS3Location{}},
	reflect.TypeFor[types.AudioSource]():           {types.AudioSourceMemberBytes{}, types.AudioSourceMemberS3Location{}},
	reflect.TypeFor[types.DocumentSource]():        {types.DocumentSourceMemberBytes{}, types.DocumentSourceMemberText{}, types.DocumentSourceMemberS3Location{}},
	reflect.TypeFor[types.OutputFormatStructure](): {types.OutputFormatStructureMemberJsonSchema{}},
	reflect.TypeFor[types.ReasoningContentBlock](): {
		types.ReasoningContentBlockMemberReasoningText{}, types.ReasoningContentBlockMemberRedactedContent{},
	},
	reflect.TypeFor[types.ToolResultContentBlock](): {
		types.ToolResultContentBlockMemberText{},
		types.ToolResultContentBlockMemberJson{},
		types.ToolResultContentBlockMemberImage{},
		types.ToolResultContentBlockMemberDocument{},
	},
}

// bedrockMisfits reads a body into the SDK's input, sends that through the
// official client and compares address and body with sabir's.
func bedrockMisfits(t *testing.T, plan *chat.Plan, body []byte) []string {
	t.Helper()
	object, err := decoded(body)
	if err != nil {
		return []string{err.Error()}
	}
	in := bedrockruntime.ConverseInput{}
	if err := fill(reflect.ValueOf(&in).Elem(), object, "body"); err != nil {
		return []string{err.Error()}
	}
	at, err := url.Parse(plan.URL())
	if err != nil {
		return []string{err.Error()}
	}
	model := plan.Model
	in.ModelId = &model
	var seen caught
	// The stub never answers.
	_, err = bedrockClient(place{url: "https://" + at.Host, http: &http.Client{Transport: &seen}}).Converse(t.Context(), &in)
	if seen.body == "" {
		return []string{err.Error()}
	}
	bad := nativeMisfits(model, object["additionalModelRequestFields"])
	if seen.path != at.EscapedPath() {
		bad = append(bad, fmt.Sprintf("path %s, the official client's is %s", at.EscapedPath(), seen.path))
	}
	if ours, theirs := plainJSON(string(body)), plainJSON(seen.body); ours != theirs {
		bad = append(bad, fmt.Sprintf("%s, the official client says %s", ours, theirs))
	}
	return bad
}

// nativeMisfits holds what goes past Bedrock, to a Claude, against Anthropic's
// own types. It is a part of a request, so that members may be missing.
func nativeMisfits(model string, native any) []string {
	if native == nil || !strings.Contains(model, "anthropic.") {
		return nil
	}
	bad := shape{}.misfits(reflect.TypeFor[anthropic.MessageNewParams](), native, "native")
	return slices.DeleteFunc(bad, func(b string) bool { return strings.HasSuffix(b, ": missing") })
}

// caught keeps what was sent.
type caught struct{ path, body string }

func (c *caught) RoundTrip(req *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	_ = req.Body.Close()
	c.path, c.body = req.URL.EscapedPath(), string(b)
	return nil, errors.New("not sent")
}

// fill sets a value of the SDK from JSON. A member that the SDK doesn't know is
// an error. The SDK has decoders for answers only.
func fill(into reflect.Value, v any, at string) error {
	switch {
	case into.Type() == reflect.TypeFor[document.Interface]():
		into.Set(reflect.ValueOf(document.NewLazyDocument(smithyDocument(v))))
		return nil
	case into.Kind() == reflect.Interface:
		return fillUnion(into, v, at)
	case into.Kind() == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return fill(into.Elem(), v, at)
	case into.Kind() == reflect.Struct:
		return fillStruct(into, v, at)
	case into.Kind() == reflect.Slice && into.Type().Elem().Kind() != reflect.Uint8:
		return fillList(into, v, at)
	}
	return fillScalar(into, v, at)
}

// smithyDocument turns numbers into what the SDK's documents take.
func smithyDocument(v any) any {
	switch v := v.(type) {
	case json.Number:
		return smithydocument.Number(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = smithyDocument(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = smithyDocument(v[k])
		}
		return out
	}
	return v
}

func fillUnion(into reflect.Value, v any, at string) error {
	object, ok := v.(map[string]any)
	if !ok || len(object) != 1 {
		return fmt.Errorf("%s: %v is no union", at, v)
	}
	name := sortedKeys(object)[0]
	for _, m := range members[into.Type()] {
		t := reflect.TypeOf(m)
		if _, kind, _ := strings.Cut(t.Name(), "Member"); lower(kind) == name {
			p := reflect.New(t)
			into.Set(p)
			return fill(p.Elem().FieldByName("Value"), object[name], at+"."+name)
		}
	}
	return fmt.Errorf("%s.%s: unknown to %s", at, name, into.Type().Name())
}

func fillStruct(into reflect.Value, v any, at string) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: %v for %s", at, v, into.Type())
	}
	for _, name := range sortedKeys(object) {
		f := into.FieldByName(strings.ToUpper(name[:1]) + name[1:])
		if !f.IsValid() {
			return fmt.Errorf("%s.%s: unknown to %s", at, name, into.Type().Name())
		}
		if err := fill(f, object[name], at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func fillList(into reflect.Value, v any, at string) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%s: %v for %s", at, v, into.Type())
	}
	into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
	for i, item := range list {
		if err := fill(into.Index(i), item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

// fillScalar also takes maps of text.
func fillScalar(into reflect.Value, v any, at string) error {
	if into.Kind() == reflect.Slice {
		b, err := base64.StdEncoding.DecodeString(fmt.Sprint(v))
		into.SetBytes(b)
		return err
	}
	if err := json.Unmarshal([]byte(encoded(v)), into.Addr().Interface()); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
