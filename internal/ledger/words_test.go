package ledger_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// oneWord indexes a text for tests: each letter with its successor.
func oneWord(text string) []ledger.Words {
	var words []ledger.Words
	for i := range len(text) {
		words = append(words, ledger.Words(text[i])<<32)
		if i+1 < len(text) {
			words[i] |= ledger.Words(text[i+1])
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// chunksHolding looks words up before and after they are indexed, in chunks
// that are added, removed and kept.
func chunksHolding(t *testing.T, b Bench) {
	ctx := t.Context()
	one, two, hidden := b.add(t, ws, "one", "ab", "bc"), b.add(t, ws, "two", "ab", "x"), b.add(t, ws, "hidden", "ab")
	other := domain.WorkspaceID("other")
	elsewhere := b.add(t, other, "one", "ab")
	for _, d := range []domain.Document{one, two, elsewhere} {
		_, err := b.Ledger.Publish(ctx, d.Workspace, d.ID)
		must(t, err)
	}
	holding := func(text string) (texts []string) {
		t.Helper()
		ids, err := b.Ledger.ChunksHolding(ctx, ws, oneWord(text))
		must(t, err)
		passages, err := b.Ledger.Passages(ctx, ws, ids)
		must(t, err)
		for _, p := range passages {
			if p.Document != hidden.ID {
				texts = append(texts, p.Title+" "+p.Text)
			}
		}
		slices.Sort(texts)
		return texts
	}
	want := func(text string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, holding(text)); diff != "" {
			t.Errorf("%q: -want +got\n%s", text, diff)
		}
	}
	want("z", "one ab", "one bc", "two ab", "two x")
	must(t, b.Ledger.IndexChunks(ctx, ws, oneWord))
	must(t, b.Ledger.IndexChunks(ctx, ws, func(string) []ledger.Words { t.Error("the chunk was indexed again"); return nil }))
	want("z")
	want("ab", "one ab", "one bc", "two ab")
	want("a", "one ab", "two ab")
	want("b", "one ab", "one bc", "two ab")
	want("x", "two x")
	want("")

	must(t, b.Ledger.SaveChunks(ctx, ws, one.ID, split(one.ID, []string{"ab", "cd"})))
	want("z", "one cd")
	want("b", "one ab", "one cd", "two ab")
	_, err := b.Ledger.DeleteDocument(ctx, ws, two.ID)
	must(t, err)
	must(t, b.Ledger.IndexChunks(ctx, ws, oneWord))
	want("b", "one ab")
	want("cd", "one cd")
	var left int
	must(t, b.Writer.QueryRowContext(ctx, `SELECT COUNT(*) FROM chunk_words`).Scan(&left))
	if want := len(oneWord("ab")) + len(oneWord("cd")); left != want {
		t.Errorf("got %d words, want %d of the remaining chunks", left, want)
	}
}

// formsOf indexes a title for tests: one form and its first letter.
func formsOf(t ledger.TitleRow) []ledger.TitleForm {
	return []ledger.TitleForm{{Key: strings.ToLower(t.Title), Words: ledger.Words(t.Title[0])}}
}

// titleForms looks titles up before and after they are indexed.
func titleForms(t *testing.T, b Bench) {
	ctx := t.Context()
	one, two, hidden := b.add(t, ws, "One", "a"), b.add(t, ws, "Two", "b"), b.add(t, ws, "Hidden", "c")
	for _, d := range []domain.Document{one, two} {
		_, err := b.Ledger.Publish(ctx, ws, d.ID)
		must(t, err)
	}
	want := func(key string, want ...string) {
		t.Helper()
		byKey, err := b.Ledger.TitlesByKey(ctx, ws, []string{key})
		must(t, err)
		in, err := b.Ledger.TitlesIn(ctx, ws, []ledger.Words{ledger.Words(strings.ToUpper(key)[0])})
		must(t, err)
		for _, rows := range [][]ledger.TitleRow{byKey, in} {
			var got []string
			for _, row := range rows {
				got = append(got, row.Title)
			}
			slices.Sort(got)
			got = slices.Compact(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q: -want +got\n%s", key, diff)
			}
		}
	}
	want("zero", "One", "Two")
	must(t, b.Ledger.IndexTitles(ctx, ws, formsOf))
	want("zero")
	want("one", "One")
	want("hidden")
	rename := func(d domain.Document, title string) {
		_, err := b.Ledger.UpdateDocument(ctx, ws, d.ID, func(d *domain.Document) { d.Title = title })
		must(t, err)
	}
	rename(one, "One")
	want("zero")
	rename(one, "Xeno")
	want("zero", "Xeno")
	want("one", "Xeno")
	must(t, b.Ledger.IndexTitles(ctx, ws, formsOf))
	want("one")
	want("xeno", "Xeno")
	_, err := b.Ledger.DeleteDocument(ctx, ws, one.ID)
	must(t, err)
	want("xeno")
	rows, err := b.Ledger.TitlesOf(ctx, ws, []domain.DocumentID{one.ID, two.ID, hidden.ID})
	must(t, err)
	if len(rows) != 1 || rows[0] != (ledger.TitleRow{Document: two.ID, Title: two.Title, Name: two.Name}) {
		t.Errorf("got titles %+v, want the one of the remaining published document", rows)
	}
}
