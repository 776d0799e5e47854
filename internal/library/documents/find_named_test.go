package documents_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
)

// TestFind names documents as people do, in a library in which several have the same base name, a name differs from another
// in case alone, and one is called like the id of another.
func TestFind(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	n := 0
	add := func(name string) domain.DocumentID {
		n++
		result, err := a.Documents.Add(t.Context(), testkit.Workspace, name, documents.How{Source: domain.SourceFolder}, strings.NewReader(fmt.Sprint("Text number ", n))).One()
		testkit.Must(t, err)
		return result.Document.ID
	}
	top, inA, inB := add("readme.txt"), add("f/a/readme.txt"), add("f/b/readme.txt")
	cafe, street := add("notes/Café.md"), add("STRASSE.txt")
	plain, shouted := add("plan.txt"), add("Plan.txt")
	long := strings.Repeat("ä", 300) + ".txt"
	cut := add(long)
	twin := add(string(inA))
	once := func(ids ...domain.DocumentID) []domain.DocumentID { return ids }
	for _, c := range []struct {
		names []string
		want  []domain.DocumentID
	}{
		{[]string{"readme.txt"}, once(top)},
		{[]string{"./readme.txt"}, once(top)},
		{[]string{"README.TXT"}, once(top)},
		{[]string{"f/b/readme.txt"}, once(inB)},
		{[]string{"./f//b/../b/readme.txt"}, once(inB)},
		{[]string{`f\b\readme.txt`}, once(inB)},
		{[]string{"b/readme.txt"}, once(inB)},
		{[]string{"B/ReadMe.txt"}, once(inB)},
		{[]string{string(inB)}, once(inB)},
		{[]string{"notes/Café.md"}, once(cafe)},
		{[]string{norm.NFD.String("notes/Café.md")}, once(cafe)},
		{[]string{norm.NFD.String("CAFÉ.MD")}, once(cafe)},
		{[]string{"straße.txt"}, once(street)},
		{[]string{"plan.txt"}, once(plain)},
		{[]string{"Plan.txt"}, once(shouted)},
		{[]string{long}, once(cut)},
		{[]string{string(twin)}, once(twin)},
		{[]string{"b/readme.txt", "readme.txt", string(inB), "f/b/readme.txt"}, once(inB, top)},
		{nil, nil},
	} {
		if got, err := a.Documents.Find(t.Context(), testkit.Workspace, c.names); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, %v, want %v", c.names, got, err, c.want)
		}
	}
	for _, c := range []struct {
		name string
		kind domain.Kind
		says []string
	}{
		{"PLAN.TXT", domain.Invalid, []string{"2 documents", string(plain), string(shouted)}},
		{string(inA), domain.Invalid, []string{"2 documents", "f/a/readme.txt", string(twin)}},
		{"g/b/readme.txt", domain.NotFound, []string{string(top), string(inA), string(inB)}},
		{"/srv/readme.txt", domain.NotFound, []string{"readme.txt (" + string(top) + ")"}},
		{"eadme.txt", domain.NotFound, nil},
		{"readme", domain.NotFound, nil},
		{"f/b", domain.NotFound, nil},
		{"", domain.Invalid, []string{"is empty"}},
		{".", domain.NotFound, nil},
		{"%", domain.NotFound, nil},
	} {
		got, err := a.Documents.Find(t.Context(), testkit.Workspace, []string{"plan.txt", c.name})
		if got != nil || domain.KindOf(err) != c.kind {
			t.Errorf("%q: %v, %v, want kind %v", c.name, got, err, c.kind)
		}
		for _, said := range c.says {
			if err != nil && !strings.Contains(err.Error(), said) {
				t.Errorf("%q: %q does not say %q", c.name, err, said)
			}
		}
	}
}

// TestFindAmongSuffixes expects an error with ids where the end of a name is that of several, until one of them is deleted:
// what is deleted is named no more, not even by the name of another.
func TestFindAmongSuffixes(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	_, first := added(t, a, "f/a/readme.txt", documents.How{Source: domain.SourceFolder}, letter("Anna"))
	_, second := added(t, a, "f/b/readme.txt", documents.How{Source: domain.SourceFolder}, letter("Berta"))
	_, err := a.Documents.Find(t.Context(), testkit.Workspace, []string{"readme.txt"})
	if domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), string(first.ID)) || !strings.Contains(err.Error(), string(second.ID)) {
		t.Errorf("two names end so: %v", err)
	}
	a.Delete(t, second.ID)
	if got, err := a.Documents.Find(t.Context(), testkit.Workspace, []string{"readme.txt"}); err != nil || !slices.Equal(got, []domain.DocumentID{first.ID}) {
		t.Errorf("the one that is left: %v, %v", got, err)
	}
	for _, name := range []string{"f/b/readme.txt", "b/readme.txt", string(second.ID)} {
		if got, err := a.Documents.Find(t.Context(), testkit.Workspace, []string{name}); domain.KindOf(err) != domain.NotFound {
			t.Errorf("%s is deleted: %v, %v", name, got, err)
		}
	}
}

// TestFindADocumentWithAVersionToCome names a document while its next version waits under the same name.
func TestFindADocumentWithAVersionToCome(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	d := a.Add(t, "minutes.txt", "The first minutes.").Document
	next, err := a.Documents.Add(t.Context(), testkit.Workspace, "minutes.txt", documents.How{Named: documents.Next}, strings.NewReader("The second minutes.")).One()
	testkit.Must(t, err)
	if next.Document.VersionOf != d.ID {
		t.Fatalf("no version of %s: %+v", d.ID, next.Document)
	}
	for _, name := range []string{"minutes.txt", "MINUTES.txt", string(d.ID)} {
		if got, err := a.Documents.Find(t.Context(), testkit.Workspace, []string{name}); err != nil || !slices.Equal(got, []domain.DocumentID{d.ID}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
