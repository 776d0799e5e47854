package projection

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

func TestBestLabel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rows []ledger.MentionRow
		want string
	}{
		{"none", nil, domain.UnknownLabel},
		{"unknown only", []ledger.MentionRow{row(domain.UnknownLabel, "x", "a1")}, domain.UnknownLabel},
		{"one label beats many without", []ledger.MentionRow{row(domain.UnknownLabel, "x", "a1"), row(domain.UnknownLabel, "x", "a2"), row("Place", "x", "a3")}, "Place"},
		{"most chunks", []ledger.MentionRow{row("Person", "x", "a1"), row("Place", "x", "a2"), row("Place", "x", "a3")}, "Place"},
		{"chunks, not mentions", []ledger.MentionRow{row("Person", "x", "a1"), row("Person", "x", "a1"), row("Place", "x", "a2"), row("Place", "x", "a3")}, "Place"},
		{"tie by name", []ledger.MentionRow{row("Place", "x", "a1"), row("Person", "x", "a2")}, "Person"},
	} {
		same(t, c.name, bestLabel(c.rows), c.want)
		tally := newTally()
		tally.add(sources{mentions: c.rows})
		same(t, c.name+", by the tally", tally.best(), c.want)
	}
}

// all are the entities that s folds to.
func (f folder) all(key string, s sources) []graphstore.Entity {
	t := newTally()
	t.add(s)
	return f.entities(key, t, s)
}

// TestTalliesComeBack stores a tally and reads it, and what is none.
func TestTalliesComeBack(t *testing.T) {
	t.Parallel()
	one, two := newTally(), newTally()
	ann := row("Person", "Ann", "b1")
	ann.Aliases, ann.Properties = []string{"A. Lee"}, domain.Properties{{Key: "born", Value: "1815"}}
	first, second := sources{mentions: []ledger.MentionRow{ann}}, sources{mentions: []ledger.MentionRow{row(domain.UnknownLabel, "ANN", "a1"), ann}}
	one.add(first)
	stored, err := one.encode()
	if err != nil {
		t.Fatal(err)
	}
	one = decodeTally(stored)
	one.add(second)
	two.add(second)
	two.add(first)
	same(t, "in two parts, stored in between, and the other way round", one, two)
	for _, damaged := range []string{"", "{", "{}", "null", `{"labels": {}}`, `{"labels": {"Person": null}}`, `{"labels": {"Person": {"chunks": 3}}}`, "words"} {
		if got := decodeTally(damaged); got != nil {
			t.Errorf("%q is read as the tally %+v", damaged, got)
		}
	}
}

func TestEntitiesOfAKey(t *testing.T) {
	t.Parallel()
	f := folder{workspace: "w", key: strings.ToLower}
	first, second := domain.Span{Start: 1, End: 4}, domain.Span{Start: 6, End: 9}
	person := row("Person", "Ann", "b1", second, first)
	person.Aliases = []string{"A. Lee", "ann"}
	person.Properties = domain.Properties{{Key: "born", Value: "1815"}, {Key: "age", Value: "9"}}
	again := row(domain.UnknownLabel, "ANN", "a1", first)
	again.Properties = domain.Properties{{Key: "born", Value: "1816"}, {Key: "born", Value: "1816"}}
	got := f.all("ann", sources{
		mentions: []ledger.MentionRow{person, again, row("Place", "Ann", "a1", second)},
		titles:   []titled{{form: "Ann", chunks: []place{{"dc", 0, "c1"}, {"dc", 1, "c2"}}}},
		found:    []occurrence{{place{"db", 0, "b1"}, []domain.Span{first}}},
	})
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
	same(t, "entities", got, want)
	same(t, "entities of nothing", f.all("ann", sources{}), []graphstore.Entity(nil))
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
		e := newEntityFold()
		e.forms = c.forms
		same(t, "name", e.name(), c.want)
	}
}

func TestRelations(t *testing.T) {
	t.Parallel()
	ann, acme, thing := domain.Entity{ID: "e1", Name: "Ann"}, domain.Entity{ID: "e2", Name: "Acme"}, domain.Entity{ID: "e3", Name: "ACME"}
	names := map[string]namesakes{
		"ann":  {byLabel: map[string]domain.Entity{"Person": ann}, best: ann},
		"acme": {byLabel: map[string]domain.Entity{"Company": acme, "Thing": thing}, best: acme},
	}
	says := func(source, sourceLabel, target, targetLabel string, chunk domain.ChunkID, at int) ledger.StatementRow {
		return ledger.StatementRow{SourceKey: source, SourceLabel: sourceLabel, Type: "RUNS", TargetKey: target, TargetLabel: targetLabel,
			Chunk: chunk, Document: "d", Spans: []domain.Span{{Start: at, End: at + 1}}}
	}
	c := newCurated("w", strings.ToLower)
	for _, row := range []ledger.StatementRow{
		says("ann", "Person", "acme", "Company", "c2", 5),
		says("ann", domain.UnknownLabel, "acme", domain.UnknownLabel, "c1", 1), // joins both ends' best labels
		says("ann", "Person", "acme", "Company", "c2", 3),
		says("ann", "Person", "acme", "Company", "c2", 5), // said twice
		says("ann", "Person", "acme", "Thing", "c1", 1),
		says("ann", "Person", "ann", domain.UnknownLabel, "c1", 1), // about itself
		says("ann", "Person", "nobody", "Person", "c1", 1),
		says("ann", "Place", "acme", "Company", "c1", 1), // no such entity
	} {
		c.claims = append(c.claims, &claim{StatementRow: row, kind: row.Type})
	}
	got := c.relations(names, nil)
	if len(got) != 2 {
		t.Fatalf("%d relations, want 2: %+v", len(got), got)
	}
	for _, r := range got {
		if r.Target != "e2" {
			continue
		}
		same(t, "evidence", r.Evidence, []domain.Evidence{
			{Chunk: "c1", Document: "d", Spans: []domain.Span{{Start: 1, End: 2}}},
			{Chunk: "c2", Document: "d", Spans: []domain.Span{{Start: 3, End: 4}, {Start: 5, End: 6}}},
		})
	}
}
