package documents_test

import (
	"fmt"
	"slices"
	"strings"
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

// TestFieldsAreCountedOfWhatMatches lists fields with the values of the documents that match, and a field that is narrowed with its other
// values too.
func TestFieldsAreCountedOfWhatMatches(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	tagger := documents.Tagger{Service: a.Documents, Curator: a.Curator}
	ctx := domain.WithWorkspace(t.Context(), testkit.Workspace)
	for _, f := range []domain.Field{{Name: "status", Kind: domain.FieldText}, {Name: "year", Kind: domain.FieldNumber}} {
		_, _, err := a.Ledger.ChangeField(ctx, testkit.Workspace, "", f)
		testkit.Must(t, err)
	}
	for name, text := range map[string]string{
		"a.md": "---\nstatus: final\nyear: 1871\n---\nMaud Ferring cast the bell.", "b.md": "---\nstatus: final\nyear: 1888\n---\nThe bridge of Osterby.", "c.md": "---\nstatus: draft\nyear: 1871\n---\nAgnes Lovibond taught.",
	} {
		a.Read(t, name, text)
	}
	for want, in := range map[string]documents.Picking{
		"status: final 2, draft 1; year: 1871 2, 1888 1;": {},
		"status: final 2, draft 1; year: 1871 1, 1888 1;": {Filter: documents.Filter{Fields: []string{"status=final"}}},
		"status: final 1; year: 1888 1;":                  {Words: "Osterby"},
	} {
		list, err := documents.ListFields.Do(tagger, ctx, in)
		testkit.Must(t, err)
		got := ""
		for _, f := range list {
			var values []string
			for _, v := range f.Values {
				values = append(values, fmt.Sprintf("%s %d", v.Value, v.Documents))
			}
			got += fmt.Sprintf("%s: %s; ", f.Name, strings.Join(values, ", "))
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("of %+v: %s, want %s", in, got, want)
		}
	}
	if _, err := documents.ListFields.Do(tagger, ctx, documents.Picking{Filter: documents.Filter{Fields: []string{"staus=final"}}}); domain.KindOf(err) == domain.Internal || err == nil {
		t.Errorf("an unknown field: %v", err)
	}
}
