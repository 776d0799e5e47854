package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// foldsAreComplete compares the folds with the contributions, for documents
// mined again, published or not, and deleted, in any combination.
func foldsAreComplete(t *testing.T, b Bench) {
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		w := domain.WorkspaceID(fmt.Sprint("w", round))
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"Ada", "ADA", "Babbage", "Byron  B", "byron b"}), 0, 4)
		var visible []domain.DocumentID
		for i := range rapid.IntRange(1, 3).Draw(rt, "documents") {
			texts := []string{"one", "two", "three"}[:rapid.IntRange(1, 3).Draw(rt, "chunks")]
			d := b.add(t, w, fmt.Sprint("doc ", i), texts...)
			for _, c := range split(d.ID, texts) {
				for range rapid.IntRange(0, 2).Draw(rt, "times mined") {
					must(t, b.Ledger.RecordContribution(t.Context(), w, ledgerContribution(c, names.Draw(rt, "names")...)))
				}
			}
			if publishOrDelete(t, rt, b, d) {
				visible = append(visible, d.ID)
			}
		}
		keys := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"ada", "babbage", "byron b"}), rapid.ID[string]).Draw(rt, "keys")
		wantMentions, wantStatements := foldByScan(t, b, w, visible, keys)
		if diff := cmp.Diff(wantMentions, mentionLines(t, b, w, keys)); diff != "" {
			rt.Errorf("mentions of %v: -want +got\n%s", keys, diff)
		}
		if diff := cmp.Diff(wantStatements, statementLines(t, b, w, keys)); diff != "" {
			rt.Errorf("statements of %v: -want +got\n%s", keys, diff)
		}
		betweenAll(t, rt, b, w, keys)
	})
}

// publishOrDelete may publish a document and may delete it; it reports whether
// the folds should include it.
func publishOrDelete(t *testing.T, rt *rapid.T, b Bench, d domain.Document) bool {
	published, deleted := rapid.Bool().Draw(rt, "published"), rapid.Bool().Draw(rt, "deleted")
	if published {
		_, err := b.Ledger.Publish(t.Context(), d.Workspace, d.ID)
		must(t, err)
	}
	if deleted {
		_, err := b.Ledger.DeleteDocument(t.Context(), d.Workspace, d.ID)
		must(t, err)
	}
	return published && !deleted
}

// foldByScan folds by reading every contribution, one line per node or
// relationship.
func foldByScan(t *testing.T, b Bench, w domain.WorkspaceID, documents []domain.DocumentID, keys []string) (mentions, statements []string) {
	key := func(name string) string { return strings.ToLower(domain.OneLine(name)) }
	for _, id := range documents {
		all, err := b.Ledger.Contributions(t.Context(), w, id)
		must(t, err)
		for _, c := range all {
			for _, n := range c.Graph.Nodes {
				if slices.Contains(keys, key(n.Name)) {
					mentions = append(mentions, fmt.Sprint(key(n.Name), c.Chunk, n.Name))
				}
			}
			for _, r := range c.Graph.Relationships {
				source, target := key(c.Graph.Nodes[r.Source].Name), key(c.Graph.Nodes[r.Target].Name)
				if slices.Contains(keys, source) || slices.Contains(keys, target) {
					statements = append(statements, fmt.Sprint(source, target, c.Chunk))
				}
			}
		}
	}
	slices.Sort(mentions)
	slices.Sort(statements)
	return mentions, statements
}

func mentionLines(t *testing.T, b Bench, w domain.WorkspaceID, keys []string) []string {
	rows, err := b.Ledger.Mentions(t.Context(), w, keys)
	must(t, err)
	return lines(rows, func(m ledger.MentionRow) string { return fmt.Sprint(m.Key, m.Chunk, m.Name) })
}

func statementLines(t *testing.T, b Bench, w domain.WorkspaceID, keys []string) []string {
	rows, err := b.Ledger.Statements(t.Context(), w, keys)
	must(t, err)
	return lines(rows, func(s ledger.StatementRow) string { return fmt.Sprint(s.SourceKey, s.TargetKey, s.Chunk) })
}

// betweenAll compares the statements between pairs of keys with the statements
// of each key.
func betweenAll(t *testing.T, rt *rapid.T, b Bench, w domain.WorkspaceID, keys []string) {
	rows, err := b.Ledger.Statements(t.Context(), w, keys)
	must(t, err)
	var ends []ledger.Ends
	for _, source := range keys {
		for _, target := range keys {
			if (len(source)+len(target))%2 == 0 {
				ends = append(ends, ledger.Ends{Source: source, Target: target})
			}
		}
	}
	got, err := b.Ledger.StatementsBetween(t.Context(), w, ends)
	must(t, err)
	between := func(s ledger.StatementRow) bool {
		return slices.Contains(ends, ledger.Ends{Source: s.SourceKey, Target: s.TargetKey})
	}
	line := func(s ledger.StatementRow) string { return fmt.Sprint(s.SourceKey, s.TargetKey, s.Chunk) }
	want := slices.DeleteFunc(rows, func(s ledger.StatementRow) bool { return !between(s) })
	if diff := cmp.Diff(lines(want, line), lines(got, line)); diff != "" {
		rt.Errorf("statements between %v: -want +got\n%s", ends, diff)
	}
}

func lines[T any](rows []T, line func(T) string) []string {
	var all []string
	for _, r := range rows {
		all = append(all, line(r))
	}
	slices.Sort(all)
	return all
}
