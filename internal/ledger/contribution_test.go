package ledger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// ledgerContribution returns a chunk's contribution in which the named persons
// know each other.
func ledgerContribution(c domain.Chunk, names ...string) ledger.Contribution {
	g := domain.GraphDocument{Nodes: []domain.GraphNode{}, Relationships: []domain.GraphRelationship{}}
	for i, name := range names {
		g.Nodes = append(g.Nodes, domain.GraphNode{
			Name: name, Label: "Person", Aliases: []string{"alias " + name},
			Properties: domain.Properties{{Key: "born", Value: "1815"}}, Spans: []domain.Span{c.Span},
		})
		if i > 0 {
			g.Relationships = append(g.Relationships, domain.GraphRelationship{
				Source: i - 1, Target: i, Type: "KNOWS", Raw: "knows", Spans: []domain.Span{c.Span},
				Properties: domain.Properties{{Key: "since", Value: "1833"}},
			})
		}
	}
	return ledger.Contribution{Chunk: c.ID, Document: c.Document, Reader: "test/1", Graph: g}
}

func contributions(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "first", "second", "third")
	chunks := split(d.ID, []string{"first", "second", "third"})
	last := ledgerContribution(chunks[2], "Ada", "Babbage")
	first := ledgerContribution(chunks[0], "Ada", "Babbage", "Ada")
	must(t, b.Ledger.RecordContribution(ctx, ws, last))
	must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(chunks[0], "Somebody else", "Replaced")))
	must(t, b.Ledger.RecordContribution(ctx, ws, first))

	got, err := b.Ledger.Contributions(ctx, ws, d.ID)
	must(t, err)
	if diff := cmp.Diff([]ledger.Contribution{first, last}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	_, err = b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	replaced, err := b.Ledger.Mentions(ctx, ws, []string{"somebody else", "replaced"})
	if err != nil || len(replaced) != 0 {
		t.Errorf("the replaced contribution is still there: %+v, error %v", replaced, err)
	}

	gone := first
	gone.Chunk = "gone"
	wantKind(t, b.Ledger.RecordContribution(ctx, ws, gone), domain.NotFound)
	dangling := ledgerContribution(chunks[1], "Ada", "Babbage")
	dangling.Graph.Relationships[0].Target = 2
	wantKind(t, b.Ledger.RecordContribution(ctx, ws, dangling), domain.Invalid)
}

func folds(t *testing.T, b Bench) {
	ctx := t.Context()
	one, two, hidden := b.add(t, ws, "one", "x", "y"), b.add(t, ws, "two", "z"), b.add(t, ws, "hidden", "h")
	c1, c2, ch := split(one.ID, []string{"x", "y"}), split(two.ID, []string{"z"}), split(hidden.ID, []string{"h"})
	must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(c1[1], "ada  LOVELACE", "Babbage", "Ada Lovelace")))
	must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(c1[0], "Ada Lovelace", "Byron")))
	second := ledgerContribution(c2[0], "Babbage", "Herschel")
	second.Graph.Names = []domain.GraphNode{{Name: "Ely", Label: "Place", Spans: []domain.Span{c2[0].Span}}}
	must(t, b.Ledger.RecordContribution(ctx, ws, second))
	must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(ch[0], "Ada Lovelace", "Babbage")))
	for _, d := range []domain.Document{two, one} {
		_, err := b.Ledger.Publish(ctx, ws, d.ID)
		must(t, err)
	}

	person := func(key, name string, c domain.Chunk) ledger.MentionRow {
		return ledger.MentionRow{
			Key: key, Label: "Person", Name: name, Aliases: []string{"alias " + name}, Chunk: c.ID, Document: c.Document,
			Ordinal: c.Ordinal, Spans: []domain.Span{c.Span}, Properties: domain.Properties{{Key: "born", Value: "1815"}},
		}
	}
	hide := cmpopts.IgnoreUnexported(ledger.MentionRow{}, ledger.StatementRow{})
	mentions, err := b.Ledger.Mentions(ctx, ws, []string{"herschel", "ada lovelace", "nobody", "ely", "ada lovelace"})
	must(t, err)
	want := []ledger.MentionRow{
		person("ada lovelace", "Ada Lovelace", c1[0]),
		person("ada lovelace", "ada  LOVELACE", c1[1]),
		person("ada lovelace", "Ada Lovelace", c1[1]),
		{Key: "ely", Label: domain.UnknownLabel, Name: "Ely", Chunk: c2[0].ID, Document: two.ID, Spans: []domain.Span{c2[0].Span}, ByRule: true},
		person("herschel", "Herschel", c2[0]),
	}
	if diff := cmp.Diff(want, mentions, hide); diff != "" {
		t.Errorf("mentions: -want +got\n%s", diff)
	}

	knows := func(source, target string, c domain.Chunk) ledger.StatementRow {
		return ledger.StatementRow{
			SourceKey: source, SourceLabel: "Person", Type: "KNOWS", TargetKey: target, TargetLabel: "Person",
			Properties: domain.Properties{{Key: "since", Value: "1833"}},
			Chunk:      c.ID, Document: c.Document, Ordinal: c.Ordinal, Spans: []domain.Span{c.Span},
		}
	}
	statements, err := b.Ledger.Statements(ctx, ws, []string{"babbage", "byron", "ada lovelace"})
	must(t, err)
	wantStatements := []ledger.StatementRow{
		knows("ada lovelace", "babbage", c1[1]),
		knows("ada lovelace", "byron", c1[0]),
		knows("babbage", "ada lovelace", c1[1]),
		knows("babbage", "herschel", c2[0]),
	}
	if diff := cmp.Diff(wantStatements, statements, hide); diff != "" {
		t.Errorf("statements: -want +got\n%s", diff)
	}
	statements, err = b.Ledger.Statements(ctx, ws, []string{"herschel"})
	must(t, err)
	if diff := cmp.Diff(wantStatements[3:], statements, hide); diff != "" {
		t.Errorf("statements into a key: -want +got\n%s", diff)
	}
}
