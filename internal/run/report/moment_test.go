package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/outline"
)

// plain knows the name of one passage.
var plain = naming{map[domain.ChunkID]string{"c1": "minutes.docx, page 2"}}

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
		if got := field(f, plain).Change; got != tt.want {
			t.Errorf("%s to %s: %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
	if p := field(run.Field{Before: json.RawMessage(`[1]`), After: json.RawMessage(`[1]`)}, plain); p.Change != "" {
		t.Errorf("what stays is %q", p.Change)
	}
}

// TestADecisionKeepsTheGradeBefore tells the grade that a person gave from the one that it had.
func TestADecisionKeepsTheGradeBefore(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]outline.Decision{
		`{"chunk":"c1","appearances":[{"grade":"no","reason":"Names nobody.","nearest":{"span":{"start":0,"end":9},"score":0.1}}],"decided":"yes"}`: {Grade: "relevant", Was: "far", Why: "Names nobody."},
		`{"chunk":"c1","appearances":[{"grade":"yes"},{"grade":"no"}],"decided":"no"}`:                                                              {Grade: "not relevant", Was: "relevant"},
		`{"chunk":"c1","appearances":[{"grade":"yes"}],"decided":"yes"}`:                                                                            {Grade: "relevant"},
		`{"chunk":"c1","decided":"yes"}`:                 {Grade: "relevant"},
		`{"chunk":"c1","appearances":[{"grade":"yes"}]}`: {},
		`{"decided":{"by":"nobody"}}`:                    {},
	} {
		list := plain.value(json.RawMessage("["+data+"]"), 0)
		if got := list.Members[0].Value; got.Decided != want || (got.Name == "minutes.docx, page 2") != strings.Contains(data, "c1") {
			t.Errorf("%s is %q, decided as %+v, want %+v", data, got.Name, got.Decided, want)
		}
	}
}

func TestValueIsBounded(t *testing.T) {
	t.Parallel()
	many := plain.value(json.RawMessage("["+strings.Repeat("1,", 999)+"1]"), 0)
	if !many.List || many.Count != 1000 || len(many.Members) != maxItems {
		t.Errorf("a list of 1,000 has %d of %d members", len(many.Members), many.Count)
	}
	deep := plain.value(json.RawMessage(strings.Repeat("[", 500)+strings.Repeat("]", 500)), 0)
	for range maxDepth {
		deep = deep.Members[0].Value
	}
	if !deep.Leaf() {
		t.Errorf("what is deeper than %d is no text: %+v", maxDepth, deep)
	}
	if v := plain.value(json.RawMessage(`"`+strings.Repeat("ä", 5000)+`"`), 0); len([]rune(v.Text)) > maxText {
		t.Errorf("a text of %d code points", len([]rune(v.Text)))
	}
	for data, want := range map[string]string{`null`: "empty", `""`: "empty", `[]`: "empty", `{}`: "empty", `0`: "0", `false`: "false", `{broken`: "{broken"} {
		if v := plain.value(json.RawMessage(data), 0); v.Text != want {
			t.Errorf("%s is shown as %q, want %q", data, v.Text, want)
		}
	}
	for data, want := range map[string]bool{`"d0123456789abcdef0123"`: true, `"c0123456789abcdef0123"`: true, `"e0123456789abcdef0123"`: true, `"d0123"`: false} {
		if v := plain.value(json.RawMessage(data), 0); v.ID != want {
			t.Errorf("%s is taken for an id: %t, want %t", data, v.ID, want)
		}
	}
}
