package projection_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// countingGraph counts the relations that are read, and those that are written.
type countingGraph struct {
	graphstore.Store
	relations, written int
}

func (g *countingGraph) Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]graphstore.Edge, error) {
	edges, err := g.Store.Around(ctx, w, ids, limit)
	g.relations += len(edges)
	return edges, err
}

func (g *countingGraph) Apply(ctx context.Context, w domain.WorkspaceID, b graphstore.Batch) error {
	g.written += len(b.Relations)
	return g.Store.Apply(ctx, w, b)
}

// countingLedger counts the statements that are read.
type countingLedger struct {
	*fakeLedger
	statements, mentions int
}

func (l *countingLedger) Mentions(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]ledger.MentionRow, error) {
	rows, err := l.fakeLedger.Mentions(ctx, ws, keys)
	l.mentions += len(rows)
	return rows, err
}

func (l *countingLedger) Statements(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]ledger.StatementRow, error) {
	rows, err := l.fakeLedger.Statements(ctx, ws, keys)
	l.statements += len(rows)
	return rows, err
}

func (l *countingLedger) StatementsBetween(ctx context.Context, ws domain.WorkspaceID, ends []ledger.Ends) ([]ledger.StatementRow, error) {
	rows, err := l.fakeLedger.StatementsBetween(ctx, ws, ends)
	l.statements += len(rows)
	return rows, err
}

// TestReadsFollowTheDelta: a document that writes a frequent name in another form
// and adds one relation reads its own statement, however many there are about
// the name. One that changes the best label of a name reads all of them.
func TestReadsFollowTheDelta(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chunks                []string
		relations, statements int
	}{
		"another form":          {[]string{strings.Repeat("[Person:ANN] ", 8) + "-KNOWS- [Person:New]"}, 0, 1},
		"another label":         {[]string{"[Place:Ann] -IN- [Place:New]"}, 0, 1},
		"new names alone":       {[]string{"[Person:Cid] -KNOWS- [Person:Dee]"}, 0, 1},
		"another label is best": {slices.Repeat([]string{"[Person:X]"}, 3), 6, 6},
		"a label that few give": {slices.Repeat([]string{"[Person:X]"}, 2), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			graph, counted := &countingGraph{Store: b.graph}, &countingLedger{fakeLedger: b.ledger}
			b.graph = graph
			b.Projector = b.projector(counted)
			for i := range 6 {
				b.ledger.put(text(domain.DocumentID(fmt.Sprint("d", i)), "notes", fmt.Sprintf("[Person:Ann] -KNOWS- [Person:B%d]", i), fmt.Sprintf("[Entity:X] -NEAR- [Thing:T%d]", i)))
			}
			b.apply()
			graph.relations, counted.statements = 0, 0
			b.ledger.put(text("new", "more", c.chunks...))
			b.apply()
			if graph.relations != c.relations || counted.statements != c.statements {
				t.Errorf("read %d relations and %d statements, want %d and %d", graph.relations, counted.statements, c.relations, c.statements)
			}
		})
	}
}

// TestRelationsThatStayAreNotWritten: what is said of a curated entity is folded anew with each document that names it, but only the
// relations that differ are written.
func TestRelationsThatStayAreNotWritten(t *testing.T) {
	t.Parallel()
	b := start(t)
	graph := &countingGraph{Store: b.graph}
	b.graph = graph
	b.Projector = b.projector(b.ledger)
	for i := range 6 {
		b.ledger.put(text(domain.DocumentID(fmt.Sprint("d", i)), "notes", fmt.Sprintf("[Person:Ann] -KNOWS- [Person:B%d]", i)))
	}
	b.ledger.put(text("anna", "notes", "[Person:Anna] -KNOWS- [Person:B0]"))
	b.apply()
	ann, anna := domain.NewEntityID(ws, "Person", "ann"), domain.NewEntityID(ws, "Person", "anna")
	b.ledger.names[ann], b.ledger.names[anna] = "ann", "anna"
	b.ledger.curate(ledger.Curation{Kind: ledger.CurationMerge, Operation: ledger.Operation{Entity: ann, Others: []domain.EntityID{anna}}})
	graph.written = 0
	b.apply()
	if graph.written != 1 {
		t.Errorf("a merge wrote %d relations, want that with evidence of both", graph.written)
	}
	graph.relations, graph.written = 0, 0
	b.ledger.put(text("new", "more", "[Person:Ann] -KNOWS- [Person:B1] [Person:Ann] -KNOWS- [Person:New]"))
	b.apply()
	if graph.relations != 6 || graph.written != 2 {
		t.Errorf("a document that adds to one relation and states another read %d and wrote %d, want 6 and 2", graph.relations, graph.written)
	}
}

// TestADeletionReadsWhatItTakes: however often the names of a deleted document stand
// in others, only what others state between them is read, and for the names that
// are in no tally what is said of them.
func TestADeletionReadsWhatItTakes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text                            string
		relations, statements, mentions int
	}{
		"frequent names":        {"[Person:Ann] -KNOWS- [Person:Bob] [Person:ANN]", 0, 12, 0},
		"one with a rare name":  {"[Person:Ann] -KNOWS- [Person:Cid]", 1, 0, 0},
		"the last of its label": {"[Place:Ann] -KNOWS- [Person:Cid]", 2, 12, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			graph, counted := &countingGraph{Store: b.graph}, &countingLedger{fakeLedger: b.ledger}
			b.graph = graph
			b.Projector = b.projector(counted)
			for i := range 12 {
				b.ledger.put(text(domain.DocumentID(fmt.Sprint("d", i)), "notes", "[Person:Ann] -KNOWS- [Person:Bob]"))
			}
			b.ledger.put(text("gone", "more", c.text))
			b.apply()
			graph.relations, counted.statements, counted.mentions = 0, 0, 0
			b.ledger.delete("gone")
			b.apply()
			if graph.relations != c.relations || counted.statements != c.statements || counted.mentions != c.mentions {
				t.Errorf("read %d relations, %d statements and %d mentions; want %d, %d and %d",
					graph.relations, counted.statements, counted.mentions, c.relations, c.statements, c.mentions)
			}
			fresh := start(t)
			fresh.ledger = b.ledger.fresh()
			fresh.Projector = fresh.projector(fresh.ledger)
			fresh.apply()
			if d := diff(fresh.everything(), b.everything()); d != "" {
				t.Errorf("differs from a fresh library (-fresh +this):\n%s", d)
			}
		})
	}
}

// TestMentionsOfOthersAreReadForNamesInTheGraph: what only the changed documents mention is taken from them, so that filling
// an empty graph, and adding new names, reads nothing of the documents that are still to come.
func TestMentionsOfOthersAreReadForNamesInTheGraph(t *testing.T) {
	t.Parallel()
	b := start(t)
	counted := &countingLedger{fakeLedger: b.ledger}
	b.Projector = b.projector(counted)
	for i, c := range []struct {
		texts []string
		want  int
	}{
		{[]string{"[Person:Ann] -KNOWS- [Person:Bob]", "[Person:ANN] -KNOWS- [Entity:Cid]"}, 0}, // the graph is empty
		{[]string{"[Person:Dee] -KNOWS- [Person:Eve]", "[Entity:Dee] -KNOWS- [Person:Eve]"}, 0}, // the names are new
		{[]string{"[Person:Ann]"}, 3},
	} {
		for n, one := range c.texts {
			b.ledger.put(text(domain.DocumentID(fmt.Sprint("d", i, n)), "notes", one))
		}
		counted.mentions = 0
		b.apply()
		if counted.mentions != c.want {
			t.Errorf("%v: read %d mentions, want %d", c.texts, counted.mentions, c.want)
		}
	}
	fresh := start(t)
	fresh.ledger = b.ledger.fresh()
	fresh.Projector = fresh.projector(fresh.ledger)
	fresh.apply()
	if d := diff(fresh.everything(), b.everything()); d != "" {
		t.Errorf("differs from a fresh library (-fresh +this):\n%s", d)
	}
}
