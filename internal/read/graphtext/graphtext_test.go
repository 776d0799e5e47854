package graphtext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/read/graphtext"
)

func TestLines(t *testing.T) {
	t.Parallel()
	ada := graphtext.Entity{Name: "Ada Lovelace", Label: "Person"}
	known := ada
	known.Aliases, known.Properties = []string{"Ada King"}, []graphtext.Property{{Key: "born", Value: "1815"}}
	for _, tt := range []struct {
		row  graphtext.Row
		want string
	}{
		{graphtext.Row{Entity: ada}, "Ada Lovelace (Person) | entity"},
		{graphtext.Row{Entity: known}, "Ada Lovelace (Person) | entity | also called Ada King | born: 1815"},
		{graphtext.Row{Entity: ada, Type: "WROTE_TO", Target: graphtext.Entity{Name: "Mercury (planet)"}}, "Ada Lovelace (Person) | WROTE_TO | Mercury (planet) (Entity)"},
		{graphtext.Row{Entity: ada, Type: "KNEW", Target: ada, Stated: []graphtext.Property{{Key: "since", Value: "1833"}}}, "Ada Lovelace (Person) | KNEW | Ada Lovelace (Person) | since: 1833"},
		{graphtext.Row{Entity: graphtext.Entity{Name: "a | b"}, Type: "entity", Target: ada}, `a \| b (Entity) | ENTITY | Ada Lovelace (Person)`},
	} {
		if got := tt.row.Lines(); len(got) != 1 || got[0] != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	row, ok := graphtext.Read("Ada Lovelace (Person) | WROTE_TO | Babbage (Person)")
	if !ok || row.Start != 0 || row.End != 12 || row.Target.Start != 35 || row.Target.End != 42 {
		t.Errorf("got %+v, %v", row, ok)
	}
	for _, line := range []string{"", "Ada Lovelace", "Ada | entity", "Ada (Person)", "Ada (Person) | entity | no value", "Ada (Person) | KNEW", "Ada (Person) | KNEW | Bo (Person) | no value", " (Person) | entity", "Ada () | entity"} {
		if row, ok := graphtext.Read(line); ok {
			t.Errorf("%q was read as %+v", line, row)
		}
	}
}

// TestWhatIsWrittenIsRead writes rows of any text and reads them.
func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z|\\:() ,é"']{0,12}[a-z|\\:()é]`)
		label := rapid.StringMatching(`[A-Z][a-z]{0,5}`)
		entity := func() graphtext.Entity {
			return graphtext.Entity{Name: text.Draw(t, "name"), Label: label.Draw(t, "label")}
		}
		properties := func(t *rapid.T) (list []graphtext.Property) {
			for range rapid.IntRange(0, 40).Draw(t, "properties") {
				key := rapid.OneOf(text, rapid.Just("also called x"), rapid.Just("a: b")).Draw(t, "key")
				list = append(list, graphtext.Property{Key: key, Value: text.Draw(t, "value")})
			}
			return list
		}
		row := graphtext.Row{Entity: entity()}
		if rapid.Bool().Draw(t, "relation") {
			row.Type, row.Target = rapid.StringMatching(`[A-Z_|\\]{1,9}`).Draw(t, "type"), entity()
			row.Stated = properties(t)
		} else {
			row.Aliases = rapid.SliceOfN(text, 0, 40).Draw(t, "aliases")
			row.Properties = properties(t)
		}
		var got graphtext.Row
		for i, line := range row.Lines() {
			if strings.Contains(line, "\n") {
				t.Fatalf("%q is more than a line", line)
			}
			part, ok := graphtext.Read(line)
			if !ok {
				t.Fatalf("%q is not read", line)
			}
			if i == 0 {
				got = part
			} else {
				got.Stated = append(got.Stated, part.Stated...)
				got.Aliases, got.Properties = append(got.Aliases, part.Aliases...), append(got.Properties, part.Properties...)
			}
		}
		if d := cmp.Diff(row, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(graphtext.Entity{}, "Start", "End")); d != "" {
			t.Fatal(d)
		}
	})
}
