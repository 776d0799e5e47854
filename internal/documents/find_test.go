package documents_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/vectorstore"
)

// away is a search index that does not answer.
type away struct{}

func (away) Lexical(context.Context, domain.WorkspaceID, vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	return nil, domain.Errorf(domain.Unavailable, "The search index does not answer.")
}

func TestDocumentsAreFoundByWhatIsInThem(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	forge := a.Read(t, "forge.txt", "The bell was cast in a foundry at Carrow. Its bronze came by river.")
	lamp := a.Read(t, "lamp.txt", "Eleven lamps hang beneath the roof of the covered bridge.")
	testkit.Must(t, a.Ledger.SetTags(t.Context(), testkit.Workspace, lamp.ID, []string{"harbour"}))
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
