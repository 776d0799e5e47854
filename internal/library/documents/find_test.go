package documents_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/vectorstore"
)

// away is a search index that does not answer.
type away struct{}

func (away) Cursor(context.Context, domain.WorkspaceID) (int64, error) {
	return 0, domain.Errorf(domain.Unavailable, "The search index does not answer.")
}

func (away) Lexical(context.Context, domain.WorkspaceID, vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	return nil, domain.Errorf(domain.Unavailable, "The search index does not answer.")
}

func TestDocumentsAreFoundByWhatIsInThem(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	forge := a.Read(t, "forge.txt", "The bell was cast in a foundry at Carrow. Its bronze came by river.")
	lamp := a.Read(t, "lamp.txt", "Eleven lamps hang beneath the roof of the covered bridge.")
	a.Tag(t, lamp.ID, "harbour")
	found := func(s *documents.Service, text string) (names []string) {
		t.Helper()
		q, err := s.Selected(t.Context(), testkit.Workspace, domain.DocumentFilter{Text: text, Sort: domain.SortName})
		testkit.Must(t, err)
		docs, err := a.Ledger.ListDocuments(t.Context(), testkit.Workspace, q)
		testkit.Must(t, err)
		for _, d := range docs {
			names = append(names, d.Name)
		}
		return names
	}
	for text, want := range map[string][]string{
		"":                {forge.Name, lamp.Name},
		"forge":           {forge.Name},
		"bronze":          {forge.Name},
		"the lamps roofs": {lamp.Name}, // by stems, in any order
		"bronze roof":     nil,         // no passage holds both
		"harb":            {lamp.Name},
		"of the":          nil,
		"%":               nil,
	} {
		if diff := cmp.Diff(want, found(a.Documents, text)); diff != "" {
			t.Errorf("%q finds (-want +got)\n%s", text, diff)
		}
	}
	p := a.Documents.Params
	p.Words = away{}
	if got := found(documents.New(p), "lamp"); !slices.Equal(got, []string{lamp.Name}) {
		t.Errorf("without the index %v are found by name", got)
	}
	if got := found(documents.New(p), "bronze"); got != nil {
		t.Errorf("without the index %v are found by words", got)
	}
}

// counting counts the searches of an index, which fail while it is out.
type counting struct {
	documents.Searcher
	searches int
	out      error
}

func (c *counting) Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	if c.searches++; c.out != nil {
		return nil, c.out
	}
	return c.Searcher.Lexical(ctx, w, q)
}

// TestASelectionSearchesWhenTheIndexHasChanged asks again while nothing changes, after a document was read, after a tag was
// set, which is in the ledger alone, and after a search that failed.
func TestASelectionSearchesWhenTheIndexHasChanged(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	first := a.Read(t, "forge.txt", "The bell was cast in a foundry at Carrow. Its bronze came by river.")
	p := a.Documents.Params
	index := &counting{Searcher: p.Words}
	p.Words = index
	selection := documents.New(p).Selection(testkit.Workspace, domain.DocumentFilter{Text: "bronze"})
	asks := func(when string, searches, found int) {
		t.Helper()
		index.searches = 0
		q, err := selection.Query(t.Context())
		if err != nil || index.searches != searches || len(q.Holding) != found {
			t.Errorf("%s: %d searches find %d documents, %v, want %d and %d", when, index.searches, len(q.Holding), err, searches, found)
		}
	}
	asks("at first", 1, 1)
	asks("while nothing changes", 0, 1)
	a.Tag(t, first.ID, "bells")
	asks("after a tag", 0, 1)
	second := a.Read(t, "lamp.txt", "Eleven lamps of bronze hang beneath the roof of the covered bridge.")
	asks("after another document", 1, 2)
	a.Delete(t, second.ID)
	index.out = errors.New("out of order")
	if _, err := selection.Query(t.Context()); !errors.Is(err, index.out) {
		t.Errorf("an index that is out of order: %v", err)
	}
	index.out = nil
	asks("after a failure", 1, 1)
	asks("while nothing changes again", 0, 1)
	if q, err := documents.New(p).Selection(testkit.Workspace, domain.DocumentFilter{Tag: "bells"}).Query(t.Context()); err != nil || q.Tag != "bells" || index.searches > 0 {
		t.Errorf("without words: %+v, %v, %d searches", q, err, index.searches)
	}
}
