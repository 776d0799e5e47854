package fold

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func row(label, name string, chunk domain.ChunkID, spans ...domain.Span) ledger.MentionRow {
	return ledger.MentionRow{Key: strings.ToLower(name), Label: label, Name: name, Chunk: chunk, Document: "d" + domain.DocumentID(chunk[:1]), Spans: spans}
}

// byRule is a mention of a name that a rule found beside a model's.
func byRule(name string, chunk domain.ChunkID) ledger.MentionRow {
	m := row(domain.UnknownLabel, name, chunk)
	m.ByRule = true
	return m
}

func TestBestLabel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rows []ledger.MentionRow
		want string
	}{
		{"none", nil, domain.UnknownLabel},
		{"unknown only", []ledger.MentionRow{row(domain.UnknownLabel, "x", "a1")}, domain.UnknownLabel},
		{"one label beats one without", []ledger.MentionRow{row(domain.UnknownLabel, "x", "a1"), row("Place", "x", "a3")}, "Place"},
		{"two without", []ledger.MentionRow{row(domain.UnknownLabel, "x", "a1"), row(domain.UnknownLabel, "x", "a2"), row("Place", "x", "a3")}, "Place"},
		{"three without", []ledger.MentionRow{row(domain.UnknownLabel, "x", "a1"), row(domain.UnknownLabel, "x", "a2"), row(domain.UnknownLabel, "x", "a4"), row("Place", "x", "a3")}, domain.UnknownLabel},
		{"thrice in a chunk without", []ledger.MentionRow{row(domain.UnknownLabel, "x", "a1"), row(domain.UnknownLabel, "x", "a1"), row(domain.UnknownLabel, "x", "a1"), row("Place", "x", "a3")}, "Place"},
		{"many by rule beside a model's", []ledger.MentionRow{byRule("x", "a1"), byRule("x", "a2"), byRule("x", "a4"), row("Place", "x", "a3")}, "Place"},
		{"by rule and listed", []ledger.MentionRow{byRule("x", "a1"), row(domain.UnknownLabel, "x", "a1"), row(domain.UnknownLabel, "x", "a2"), byRule("x", "a2"), row(domain.UnknownLabel, "x", "a4"), row("Place", "x", "a3")}, domain.UnknownLabel},
		{"most chunks", []ledger.MentionRow{row("Person", "x", "a1"), row("Place", "x", "a2"), row("Place", "x", "a3")}, "Place"},
		{"chunks, not mentions", []ledger.MentionRow{row("Person", "x", "a1"), row("Person", "x", "a1"), row("Place", "x", "a2"), row("Place", "x", "a3")}, "Place"},
		{"tie by name", []ledger.MentionRow{row("Place", "x", "a1"), row("Person", "x", "a2")}, "Person"},
	} {
		same(t, c.name, BestLabel(c.rows), c.want)
		same(t, c.name+", by the tally", Count(Sources{Mentions: c.rows}).Best(), c.want)
	}
}

// TestTallyRoundTrip stores and reads a tally, and reads damaged ones.
func TestTallyRoundTrip(t *testing.T) {
	t.Parallel()
	ann := row("Person", "Ann", "b1")
	ann.Aliases, ann.Properties = []string{"A. Lee"}, domain.Properties{{Key: "born", Value: "1815"}}
	first, second := Sources{Mentions: []ledger.MentionRow{ann}}, Sources{Mentions: []ledger.MentionRow{row(domain.UnknownLabel, "ANN", "a1"), ann}}
	stored, err := Count(first).Encode()
	if err != nil {
		t.Fatal(err)
	}
	one, two := DecodeTally(stored), Count(second)
	one.Add(second)
	two.Add(first)
	same(t, "in two parts, stored in between, and the other way round", one, two)
	for _, damaged := range []string{"", "{", "{}", "null", `{"labels": {}}`, `{"labels": {"Person": null}}`, `{"labels": {"Person": {"chunks": 3}}}`, "words"} {
		if got := DecodeTally(damaged); got != nil {
			t.Errorf("damaged tally %q: got %+v", damaged, got)
		}
	}
}

func TestEntitiesOfAKey(t *testing.T) {
	t.Parallel()
	f := Folder{Workspace: "w", Key: strings.ToLower}
	first, second := domain.Span{Start: 1, End: 4}, domain.Span{Start: 6, End: 9}
	person := row("Person", "Ann", "b1", second, first)
	person.Aliases = []string{"A. Lee", "ann"}
	person.Properties = domain.Properties{{Key: "born", Value: "1815"}, {Key: "age", Value: "9"}}
	again := row(domain.UnknownLabel, "ANN", "a1", first)
	again.Properties = domain.Properties{{Key: "born", Value: "1816"}, {Key: "born", Value: "1816"}}
	from := Sources{
		Mentions:      []ledger.MentionRow{person, again, row("Place", "Ann", "a1", second)},
		Titles:        []Title{{Form: "Ann", Chunks: []Place{{"dc", 0, "c1"}, {"dc", 1, "c2"}}}},
		TitleMentions: []TitleMention{{Place{"db", 0, "b1"}, []domain.Span{first}}},
	}
	want := []graphstore.Entity{{
		Entity: domain.Entity{
			ID: domain.NewEntityID("w", "Person", "ann"), Label: "Person", Key: "ann", Name: "Ann", Aliases: []string{"A. Lee", "ANN", "ann"},
			Properties: domain.Properties{{Key: "age", Value: "9"}, {Key: "born", Value: "1816"}, {Key: "born", Value: "1815"}},
			Mentions:   3, Chunks: 4, Documents: 3,
		},
		AliasKeys: []string{"a. lee"},
		Links: []graphstore.Link{
			{Chunk: "a1", Document: "da", Kind: graphstore.LinkMention, Spans: []domain.Span{first}},
			{Chunk: "b1", Document: "db", Kind: graphstore.LinkMention | graphstore.LinkTitled, Spans: []domain.Span{first, second}},
			{Chunk: "c1", Document: "dc", Kind: graphstore.LinkTitle},
			{Chunk: "c2", Document: "dc", Kind: graphstore.LinkTitle},
		},
	}, {
		Entity: domain.Entity{ID: domain.NewEntityID("w", "Place", "ann"), Label: "Place", Key: "ann", Name: "Ann", Mentions: 1, Chunks: 1, Documents: 1},
		Links:  []graphstore.Link{{Chunk: "a1", Document: "da", Kind: graphstore.LinkMention, Spans: []domain.Span{second}}},
	}}
	same(t, "entities", f.Entities("ann", Count(from), from), want)
	same(t, "entities of nothing", f.Entities("ann", Count(Sources{}), Sources{}), []graphstore.Entity(nil))

	seldom := Sources{Mentions: []ledger.MentionRow{row(domain.UnknownLabel, "Ann", "a1"), row(domain.UnknownLabel, "Ann", "a2"), row(domain.UnknownLabel, "Ann", "a3"), row("Place", "Ann", "b1")}}
	all := f.Entities("ann", Count(seldom), seldom)
	if len(all) != 1 || all[0].Label != domain.UnknownLabel || all[0].Chunks != 4 {
		t.Errorf("a label that one of four chunks gives: got %+v", all)
	}
	if id, ok := NewNamesakes([]domain.Entity{all[0].Entity}, domain.UnknownLabel).Find("Place"); !ok || id != all[0].ID {
		t.Errorf("a mention with that label belongs to %q, %v", id, ok)
	}
}

func TestShownName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		forms map[string]int
		want  string
	}{
		{map[string]int{"IBM": 3, "International Business Machines": 2}, "IBM"},
		{map[string]int{"IBM": 2, "I.B.M.": 2}, "I.B.M."},
		{map[string]int{"ibm": 2, "IBM": 2}, "IBM"},
		{map[string]int{"Zoë": 1, "Zoe": 1, "zoé": 1}, "Zoe"},
	} {
		b := NewBuilder()
		b.Forms = c.forms
		same(t, "name", b.Name(), c.want)
	}
}
