package present

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/views/partial"
)

func TestChangeSaysHowAFieldChanged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, want string }{
		{`1`, `2`, "changed"},
		{`null`, `[1,2]`, "+2 (now 2)"},
		{`[1]`, `[1,2,3]`, "+2 (now 3)"},
		{`[1,2,3]`, `[1,5,3,4]`, "2 changed (now 4)"},
		{`[1]`, `null`, "changed"},
		{`"a"`, `"b"`, "changed"},
	} {
		f := run.Field{Before: json.RawMessage(tt.before), After: json.RawMessage(tt.after)}
		if got := field(f, names).Change; got != tt.want {
			t.Errorf("%s to %s: %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
	if p := field(run.Field{Before: json.RawMessage(`[1]`), After: json.RawMessage(`[1]`)}, names); p.Change != "" {
		t.Errorf("what stays is %q", p.Change)
	}
}

// TestADecisionKeepsTheGradeBefore tells the grade that a person gave from the one that it had.
func TestADecisionKeepsTheGradeBefore(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]partial.Decision{
		`{"chunk":"c1","appearances":[{"grade":"no"}],"decided":"yes"}`:                {Grade: "yes", Was: "no"},
		`{"chunk":"c1","appearances":[{"grade":"yes"},{"grade":"no"}],"decided":"no"}`: {Grade: "no", Was: "yes"},
		`{"chunk":"c1","appearances":[{"grade":"yes"}],"decided":"yes"}`:               {Grade: "yes"},
		`{"chunk":"c1","decided":"yes"}`:                                               {Grade: "yes"},
		`{"chunk":"c1","appearances":[{"grade":"yes"}]}`:                               {},
		`{"decided":{"by":"nobody"}}`:                                                  {},
	} {
		list := value(json.RawMessage("["+data+"]"), names, 0)
		if got := list.Members[0].Value.Decided; got != want {
			t.Errorf("%s is decided as %+v, want %+v", data, got, want)
		}
	}
}

func TestValueIsBounded(t *testing.T) {
	t.Parallel()
	many := value(json.RawMessage("["+strings.Repeat("1,", 999)+"1]"), names, 0)
	if !many.List || many.Count != 1000 || len(many.Members) != maxItems {
		t.Errorf("a list of 1,000 has %d of %d members", len(many.Members), many.Count)
	}
	deep := value(json.RawMessage(strings.Repeat("[", 500)+strings.Repeat("]", 500)), names, 0)
	for range maxDepth {
		deep = deep.Members[0].Value
	}
	if !deep.Leaf() {
		t.Errorf("what is deeper than %d is no text: %+v", maxDepth, deep)
	}
	if v := value(json.RawMessage(`"`+strings.Repeat("ä", 5000)+`"`), names, 0); len([]rune(v.Text)) > maxText {
		t.Errorf("a text of %d code points", len([]rune(v.Text)))
	}
	for data, want := range map[string]string{`null`: "empty", `""`: "empty", `[]`: "empty", `{}`: "empty", `0`: "0", `false`: "false", `{broken`: "{broken"} {
		if v := value(json.RawMessage(data), names, 0); v.Text != want {
			t.Errorf("%s is shown as %q, want %q", data, v.Text, want)
		}
	}
	for data, want := range map[string]string{
		`"d0123456789abcdef0123"`: "/documents/d0123456789abcdef0123", `"c0123456789abcdef0123"`: "/chunks/c0123456789abcdef0123",
		`"e0123456789abcdef0123"`: "/entities/e0123456789abcdef0123", `"d0123"`: "",
	} {
		if v := value(json.RawMessage(data), names, 0); v.URL != want {
			t.Errorf("%s leads to %q, want %q", data, v.URL, want)
		}
	}
}
