package operation

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
)

type ring struct {
	Bells []string `json:"bells" arg:"BELL..." doc:"names"`
	tuned
	Strokes *int `json:"least_strokes" doc:"how often"`
}

type tuned struct {
	Note string `json:"note" default:"c" xor:"sound"`
}

type tower struct{ name string }

func (t tower) ring(_ context.Context, in ring) ([]string, error) {
	return append(in.Bells, t.name+" in "+in.Note), nil
}

func TestFieldsAreReadFromTags(t *testing.T) {
	t.Parallel()
	got := Fields(reflect.TypeFor[ring]())
	want := []Field{
		{Name: "bells", Doc: "names", Arg: "BELL...", Several: true, Needed: true, Index: []int{0}},
		{Name: "note", Default: "c", Xor: "sound", Index: []int{1, 0}},
		{Name: "least_strokes", Doc: "how often", Index: []int{2}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Field{}, "Type")); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if flag := got[2].Flag(); flag != "least-strokes" {
		t.Errorf("the flag is --%s", flag)
	}
}

// TestARowRefusesWhatCanNotFit gives a blank value for what is needed, in a list too, and for what may be blank, and a
// negative limit.
func TestARowRefusesWhatCanNotFit(t *testing.T) {
	t.Parallel()
	type named struct {
		Name  string   `json:"bell_name" arg:"NAME" doc:"name of a bell"`
		Value string   `json:"value" arg:"VALUE" blank:"" doc:"its value"`
		Found []string `json:"founders" arg:"FOUNDER..." doc:"who cast it"`
		Note  string   `json:"note" doc:"a note"`
		Limit int      `json:"limit" doc:"list at most this many"`
	}
	row := Op[tower, named, Nothing]{Do: func(tower, context.Context, named) (Nothing, error) { return Nothing{}, nil }}.Row()
	for _, tt := range []struct {
		in   named
		says string
	}{
		{named{Name: "Maud", Found: []string{"Ferring"}}, ""},
		{named{Name: " ", Found: []string{"Ferring"}}, "Nothing was given for bell name: name of a bell."},
		{named{Name: "Maud", Found: []string{"Ferring", ""}}, "Nothing was given for founders: who cast it."},
		{named{Name: "Maud", Found: []string{"Ferring"}, Limit: -2}, "The limit is -2, but it can't be less than 0."},
	} {
		_, err := row.Do(t.Context(), tower{}, &tt.in)
		if tt.says == "" && err != nil || tt.says != "" && (domain.KindOf(err) != domain.Invalid || domain.InWords(err) != tt.says) {
			t.Errorf("%+v: %v, want %q", tt.in, err, tt.says)
		}
	}
}

func TestARowDoesWhatItsOperationDoes(t *testing.T) {
	t.Parallel()
	row := Op[tower, ring, []string]{Name: "bells ring", Do: tower.ring, Text: Table("BELL\tLENGTH", "Silence.", func(s string) []any { return []any{s, len(s)} })}.Row()
	out, err := row.Do(t.Context(), tower{"Osterby"}, &ring{Bells: []string{"Maud"}, tuned: tuned{"d"}})
	if err != nil || !row.Lists() || row.Ask != nil {
		t.Fatalf("got %v, %v; it lists: %t", out, err, row.Lists())
	}
	for _, tt := range []struct {
		out  []string
		want string
	}{{out.([]string), "BELL          LENGTH\nMaud          4\nOsterby in d  12\n"}, {nil, "Silence.\n"}} {
		var b strings.Builder
		if err := row.Text(&b, tt.out); err != nil || b.String() != tt.want {
			t.Errorf("%v prints %q, %v; want %q", tt.out, b.String(), err, tt.want)
		}
	}
	if page := (Op[tower, ring, Page[int]]{}).Row(); !page.Lists() {
		t.Error("a page is no list")
	}
	if one := (Op[tower, ring, tuned]{}).Row(); one.Lists() {
		t.Error("a struct is a list")
	}
}

func TestAWaitIsBounded(t *testing.T) {
	t.Parallel()
	type peal struct {
		Wait Wait `json:"wait" doc:"the bells"`
	}
	row := Op[tower, peal, Wait]{Do: func(_ tower, _ context.Context, in peal) (Wait, error) { return in.Wait, nil }}.Row()
	if f := Fields(row.In)[0]; f.Doc != "how many seconds to wait for the bells, at most 300; 0 returns at once" {
		t.Errorf("its doc is %q", f.Doc)
	}
	for wait, ok := range map[Wait]bool{-1: false, 0: true, 300: true, 301: false} {
		if out, err := row.Do(t.Context(), tower{}, &peal{wait}); ok != (err == nil) || ok && out != wait || !ok && domain.KindOf(err) != domain.Invalid {
			t.Errorf("for %d seconds: %v, %v", wait, out, err)
		}
	}
}
