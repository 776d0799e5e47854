package documents_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
)

// TestALongTextIsAddedInParts adds a text of more than five parts: they
// are documents, whose files are the text, and so is what it would cost. As the
// next version of a document it stays whole.
func TestALongTextIsAddedInParts(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true, TextPart: 2000})
	var text strings.Builder
	for n := range 40 {
		fmt.Fprintf(&text, "Part %d. %s\n\n", n, strings.Repeat("They spoke about copper. ", 12))
	}
	bill, err := a.Documents.Bill(t.Context(), domain.DefaultWorkspace, "all.txt", domain.Chunking{}, strings.NewReader(text.String()))
	if err != nil || bill.Problem != "" || bill.Chunks < 7 {
		t.Errorf("the bill of a long text is %+v, %v", bill, err)
	}
	var all bytes.Buffer
	results := a.Documents.Add(t.Context(), domain.DefaultWorkspace, "all.txt", documents.How{}, strings.NewReader(text.String()))
	for i, r := range results {
		if want := fmt.Sprintf("all, part %02d.txt", i+1); r.Err != nil || r.Name != want || r.Document.Name != want || r.Document.Index != i+1 {
			t.Fatalf("part %d is %+v, want %s", i+1, r, want)
		}
		part, err := a.Files.Read(t.Context(), domain.DefaultWorkspace, r.Document.Hash)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(part)
	}
	if len(results) != 7 || all.String() != text.String() {
		t.Errorf("the files of %d parts are not the text", len(results))
	}
	stored := 0
	if err := a.Files.Each(t.Context(), domain.DefaultWorkspace, func(string, time.Time) error { stored++; return nil }); err != nil || stored != len(results) {
		t.Errorf("%d files are kept for %d parts (%v)", stored, len(results), err)
	}
	next := a.Documents.Add(t.Context(), domain.DefaultWorkspace, "all.txt", documents.How{Of: results[0].Document.ID}, strings.NewReader(text.String()))
	if len(next) != 1 || next[0].Err != nil || next[0].Document.VersionOf != results[0].Document.ID {
		t.Errorf("as a next version the text is %+v", next)
	}
}
