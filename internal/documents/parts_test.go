package documents_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
)

// long is a text of more than ten million bytes, made of numbered paragraphs.
func long(paragraph string) string {
	var b strings.Builder
	for n := 0; b.Len() <= 10_000_000; n++ {
		fmt.Fprintf(&b, paragraph, n)
	}
	return b.String()
}

// TestALongTextIsAddedInParts adds texts of more than ten million bytes: each part
// is a document, in order, and together they are the text.
func TestALongTextIsAddedInParts(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("A rather long sentence about copper. ", 200)
	paragraphs := long("Part %d. " + words + "\n\n")
	wide := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(paragraphs)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for _, tt := range []struct {
		name, file, ends, want string
		content                []byte
	}{
		{"paragraphs", "all.txt", "\n\n", paragraphs, []byte(paragraphs)},
		{"headings", "all.md", "\n", "", []byte(long("# Title %d\n\n" + words + "\n\n"))},
		{"lines", "lines.txt", "\n", "", []byte(long("Line %d. " + words + "\n"))},
		{"one line", "line.txt", " ", "", []byte(long("%d " + words))},
		{"one word", "word.txt", "", "", []byte(long("%d" + strings.Repeat("ü", 5000)))},
		{"UTF-16", "wide.txt", "\n\n", paragraphs, wide},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := testkit.Open(t, testkit.Options{Idle: true, MaxUpload: 50 << 20})
			var all bytes.Buffer
			results := a.Documents.AddFile(t.Context(), domain.DefaultWorkspace, tt.file, documents.How{}, bytes.NewReader(tt.content))
			for i, r := range results {
				if r.Err != nil {
					t.Fatal(r.Err)
				}
				part, err := a.Files.Read(t.Context(), domain.DefaultWorkspace, r.Document.Hash)
				if err != nil {
					t.Fatal(err)
				}
				if len(part) > 2_000_000 || r.Document.Index != i+1 || i < len(results)-1 && !bytes.HasSuffix(part, []byte(tt.ends)) {
					t.Errorf("part %d has the number %d, %d bytes and the end %q", i+1, r.Document.Index, len(part), part[len(part)-8:])
				}
				if tt.name == "headings" && !bytes.HasPrefix(part, []byte("# Title")) {
					t.Errorf("part %d begins with %q", i+1, part[:20])
				}
				all.Write(part)
			}
			if want := strings.TrimSuffix(tt.file, ".txt") + ", part 03.txt"; len(results) < 6 || tt.name == "paragraphs" && results[2].Name != want {
				t.Fatalf("there are %d parts; the third is not %q", len(results), want)
			}
			if want := cmp.Or(tt.want, string(tt.content)); all.String() != want {
				t.Error("together the parts are not the text")
			}
			stored := 0
			if err := a.Files.Each(t.Context(), domain.DefaultWorkspace, func(string, time.Time) error { stored++; return nil }); err != nil || stored != len(results) {
				t.Errorf("%d files are kept for %d parts (%v)", stored, len(results), err)
			}
		})
	}
}

// TestTheBillOfALongText is that of its parts.
func TestTheBillOfALongText(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true, MaxUpload: 50 << 20})
	text := long("Part %d." + strings.Repeat("\n", 10_000))
	bill, err := a.Documents.Bill(t.Context(), domain.DefaultWorkspace, "all.txt", domain.Chunking{}, strings.NewReader(text))
	if err != nil || bill.Problem != "" || bill.Chunks < 6 {
		t.Errorf("the bill of a long text is %+v, %v", bill, err)
	}
}
