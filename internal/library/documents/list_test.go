package documents_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/operation"
)

// TestOneDescriptionOfTheList checks that the command's table and the page's line say what a document's row holds.
func TestOneDescriptionOfTheList(t *testing.T) {
	t.Parallel()
	d := domain.Document{
		ID: "d1", Name: "plan.pdf", Title: "The plan", Format: domain.FormatPDF, Pages: 3, Size: 2048, Status: domain.DocumentReady, Chunks: 7, Entities: 5, Source: domain.SourceWeb,
		CreatedAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
	}
	listed := documents.ListedOf(d, []string{"harbour", "minutes"})
	if want := []string{"PDF", "3 pages", "2 KB", "from the web"}; !cmp.Equal(want, listed.Facts(t.Context())) {
		t.Error(cmp.Diff(want, listed.Facts(t.Context())))
	}
	var b bytes.Buffer
	if err := operation.TableOf[documents.Listed]("none")(&b, []documents.Listed{listed}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	want := []string{"plan.pdf", "ready", "7", "5", "harbour,", "minutes", "web", "2026-03-01", "d1"}
	if got := strings.Fields(lines[1]); !cmp.Equal(want, got) {
		t.Error(cmp.Diff(want, got))
	}
	for field := range reflect.TypeFor[documents.Listed]().Fields() {
		if head := field.Tag.Get("column"); head != "" && !slices.Contains(strings.Fields(lines[0]), head) {
			t.Errorf("the table %q has no column %s", lines[0], head)
		}
	}
	if list := documents.ListedOf(domain.Document{}, nil); list.Tags == nil {
		t.Error("the tags of a document without any are null in JSON")
	}
}
