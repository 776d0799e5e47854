package documents_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
)

// zipped returns an archive of files, each with its name as its text.
func zipped(t *testing.T, names ...string) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, "This is "+name+"."); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

// TestFilesWithinFiles adds an archive, mail, and an archive without anything to
// read: the files in them are documents, and the archive is not.
func TestFilesWithinFiles(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	mail := "From: ann@example.org\r\nSubject: Plans\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the plan.\r\n--b\r\n" +
		"Content-Disposition: attachment; filename=plan.md\r\n\r\n# The plan\r\n--b--\r\n"
	add := func(name string, r io.Reader) []string {
		var said []string
		for _, result := range a.Documents.Add(t.Context(), domain.DefaultWorkspace, name, documents.How{}, r) {
			if result.Err != nil {
				said = append(said, result.Name+": "+domain.InWords(result.Err))
			} else {
				said = append(said, fmt.Sprintf("%s as %s, %s %d", result.Name, result.Document.Format, result.Document.Source, result.Document.Index))
			}
		}
		return said
	}
	for _, tt := range []struct {
		name string
		file io.Reader
		want []string
	}{
		{"all.zip", zipped(t, "a.txt", "deep/b.md", "photo.psd", "fake.pdf"), []string{
			"a.txt as text, archive 1", "b.md as markdown, archive 2", "fake.pdf: This file is called .pdf but looks like plain text, not like a PDF. Give it the right ending, or choose another file.",
			"1 file in all.zip: Their format can't be read: photo.psd.",
		}},
		{"letter.eml", strings.NewReader(mail), []string{"letter.eml as eml, upload 0", "plan.md as markdown, mail 1"}},
		{"empty.zip", zipped(t), []string{"empty.zip: empty.zip contains no files."}},
		{"note.txt", strings.NewReader("A note."), []string{"note.txt as text, upload 0"}},
	} {
		if diff := cmp.Diff(tt.want, add(tt.name, tt.file)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	bill, err := a.Documents.Bill(t.Context(), domain.DefaultWorkspace, "more.zip", domain.Chunking{}, zipped(t, "c.txt", "d.txt", "photo.psd"))
	if err != nil || bill.Chunks != 2 || bill.Problem != "" {
		t.Errorf("the bill of an archive is %+v, %v", bill, err)
	}
}
