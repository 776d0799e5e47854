package documents_test

import (
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
)

// TestEverybodyChoosesTheirColumns checks that columns chosen by one person are not shown to another, and that a person who has
// chosen none sees the default columns.
func TestEverybodyChoosesTheirColumns(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	tagger := documents.Tagger{Service: a.Documents, Curator: a.Curator}
	for _, f := range []domain.Field{{Name: "place", Kind: domain.FieldText}, {Name: "status", Kind: domain.FieldText, InList: true}, {Name: "year", Kind: domain.FieldNumber}} {
		_, _, err := a.Ledger.ChangeField(t.Context(), testkit.Workspace, "", f)
		testkit.Must(t, err)
	}
	chooses := func(who string, in documents.Choosing) error {
		_, err := documents.ChooseColumns.Do(tagger, domain.WithPerson(domain.WithWorkspace(t.Context(), testkit.Workspace), who), in)
		return err
	}
	sees := func(who string, want ...string) {
		t.Helper()
		fields, err := a.Documents.ShownFields(domain.WithPerson(t.Context(), who), testkit.Workspace)
		testkit.Must(t, err)
		var got []string
		for _, f := range fields {
			if f.InList {
				got = append(got, f.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q sees %q, want %q", who, got, want)
		}
	}
	testkit.Must(t, chooses("ada", documents.Choosing{Fields: []string{"Year", "place"}}))
	testkit.Must(t, chooses("bo", documents.Choosing{}))
	sees("ada", "place", "year")
	sees("bo")
	sees("", "status")
	if err := chooses("ada", documents.Choosing{Fields: []string{"yeer"}}); domain.KindOf(err) != domain.NotFound {
		t.Errorf("an unknown field: %v", err)
	}
	sees("ada", "place", "year")
	testkit.Must(t, chooses("ada", documents.Choosing{Usual: true}))
	sees("ada", "status")
}
