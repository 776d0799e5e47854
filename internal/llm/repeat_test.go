package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm"
)

func TestRepetitionIsNoticed(t *testing.T) {
	t.Parallel()
	node := `{"id":"Ada Moen","label":"Person","properties":[],"aliases":[]},`
	table, rows := "", ""
	for i := range 400 {
		table += fmt.Sprintf("| %d | %d | Ada Moen | Vik |\n", 1800+i, i*37)
		rows += fmt.Sprintf(`{"series":"","category":"%d","x":0,"value":%d,"passage":1,"count":0},`, 1800+i, i*i)
	}
	for name, tt := range map[string]struct {
		text  string
		found bool
		once  string
	}{
		"one node over and over": {`{"nodes":[` + strings.Repeat(node, 60), true, ""},
		"one word":               {"She sails " + strings.Repeat("on and ", 400), true, "She sails on and "},
		"a paragraph":            {"So. " + strings.Repeat(strings.Repeat("x", 10)+"The Lark sails from Vik to Orsen each morning, and she returns in the evening with the mail of the islands. ", 40), true, ""},
		"a table":                {table, false, ""},
		"points":                 {rows, false, ""},
		"a rule":                 {strings.Repeat("-", 80) + "\nText that goes on. " + table, false, ""},
		"a few repeats":          {strings.Repeat(node, 4) + table, false, ""},
	} {
		for _, size := range []int{1, 7, len(tt.text)} {
			var r llm.Repetition
			written := ""
			for rest := tt.text; rest != "" && !r.Found(); {
				n := min(size, len(rest))
				r.Write(rest[:n])
				written, rest = written+rest[:n], rest[n:]
			}
			if r.Found() != tt.found {
				t.Errorf("%s in pieces of %d: found %t", name, size, r.Found())
			}
			if once := r.Once(written); tt.once != "" && (!strings.HasPrefix(once, strings.TrimSpace(tt.once)) || len(once) > len(tt.once)+8) {
				t.Errorf("%s: once %q", name, once)
			}
			if tt.found && size == 1 && len(written) > 4<<10 {
				t.Errorf("%s: noticed after %d bytes", name, len(written))
			}
		}
	}
}
