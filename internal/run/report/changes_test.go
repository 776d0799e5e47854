package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/run"
)

func TestChangesAreLinesThatWentAndCame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, want string }{
		{`0`, `1`, "-0 +1"},
		{`""`, `"A\n letter"`, "+“A letter”"},
		{`"a"`, `""`, "-“a”"},
		{`null`, `[{"text":"Courier","how":"graph","id":"d00000000000000000000"}]`, "+1  “Courier”, how “graph”"},
		{`[1]`, `[1,2]`, "+2  2"},
		{`[[1]]`, `[[1],[2,3]]`, "+2  2 items"},
		{`[1,2,3]`, `[1,5,3,4]`, "-3 +4  2 changed"},
		{`[1,2]`, `[]`, "-2 items"},
		{`[1,2]`, `null`, "-2 items"},
		{`{"a":1,"b":2}`, `{"a":1,"b":3,"c":{"name":"x","n":1}}`, "+b  3 +c  “x”, n 1"},
		{`null`, `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}`, "+a  1 +b  2 +c  3 +d  4 +e  5 +f  6 +and more"},
		{`false`, `true`, "-false +true"},
	} {
		var got []string
		for _, l := range changes(run.Field{Name: "x", Before: json.RawMessage(tt.before), After: json.RawMessage(tt.after)}) {
			got = append(got, map[bool]string{true: "+", false: "-"}[l.Added]+l.Value)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s to %s: %s, want %s", tt.before, tt.after, got, tt.want)
		}
	}
}
