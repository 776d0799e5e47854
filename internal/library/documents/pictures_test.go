package documents_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// pictured returns a web page with a picture that depends on seed.
func pictured(t *testing.T, seed int, caption string) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 100, 80))
	for y := range 80 {
		for x := range 100 {
			m.SetRGBA(x, y, color.RGBA{R: uint8(x * seed), G: uint8(y), A: 255})
		}
	}
	var b bytes.Buffer
	testkit.Must(t, png.Encode(&b, m))
	return `<html><body><main><h1>Works</h1><p>Anna Quill met Maud Ferring.</p><figure><img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"><figcaption>` + caption + `</figcaption></figure></main></body></html>`
}

// TestPicturesGoWithTheirDocument reads a document, reads it again, replaces it and deletes it: its picture is kept, replaced and
// removed with it, unless another document shows the same.
func TestPicturesGoWithTheirDocument(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	doc := a.Read(t, "works.html", pictured(t, 3, "Figure 1: The mill"))
	files := func(want int, when string) {
		t.Helper()
		if got := stored(t, a.Path("files")); len(got) != want {
			t.Errorf("%s there are %d files, want %d", when, len(got), want)
		}
	}
	files(2, "at first")
	p, file, err := a.Documents.Picture(t.Context(), testkit.Workspace, doc.ID, 1)
	testkit.Must(t, err)
	content, err := io.ReadAll(file)
	testkit.Must(t, err)
	testkit.Must(t, file.Close())
	if p.Caption != "Figure 1: The mill" || domain.Hash(content) != p.Hash || p.Media != "image/png" {
		t.Errorf("picture %+v, of %d bytes", p, len(content))
	}
	if _, _, err := a.Documents.Picture(t.Context(), testkit.Workspace, doc.ID, 2); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a picture that is not there: %v", err)
	}
	other := a.Read(t, "again.html", pictured(t, 3, "Figure 7: The same mill"))
	files(3, "with the same picture in another document")
	_, now := added(t, a, "works.html", documents.How{Named: documents.Next}, pictured(t, 5, "Figure 1: The bridge"))
	if now.ID != doc.ID || now.Version != 1 {
		t.Fatalf("the next version is %+v", now)
	}
	all, err := a.Ledger.Pictures(t.Context(), testkit.Workspace, doc.ID)
	testkit.Must(t, err)
	if len(all) != 1 || all[0].Caption != "Figure 1: The bridge" {
		t.Errorf("the next version has %+v", all)
	}
	files(5, "with the next version and its picture")
	a.Delete(t, other.ID)
	files(3, "without the document that had the first picture last")
	a.Delete(t, doc.ID)
	files(0, "at the end")
}

// TestPicturesStandByWhatIsCited cites the caption, a sentence nearby, and a document that was deleted.
func TestPicturesStandByWhatIsCited(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	doc := a.Read(t, "works.html", pictured(t, 3, "Figure 1: The mill"))
	at := func(words string) domain.Citation {
		text, err := a.Ledger.Text(t.Context(), testkit.Workspace, doc.ID)
		testkit.Must(t, err)
		start := domain.Runes(text.Content[:strings.Index(text.Content, words)])
		chunks, err := a.Ledger.Chunks(t.Context(), testkit.Workspace, doc.ID)
		testkit.Must(t, err)
		return domain.Citation{N: 4, DocumentID: doc.ID, Chunk: chunks[0].ID, Span: domain.Span{Start: start, End: start + domain.Runes(words)}, Text: words}
	}
	for _, tt := range []struct {
		name string
		c    domain.Citation
		want int
	}{
		{"the caption", at("The mill"), 1},
		{"the passage", at("Anna Quill"), 1},
		{"what was deleted", domain.Citation{DocumentID: doc.ID, Chunk: at("The mill").Chunk}, 0},
		{"a chunk of before", domain.Citation{DocumentID: doc.ID, Chunk: "c0", Text: "x"}, 0},
	} {
		got, err := report.PicturesOf(t.Context(), a.Ledger, testkit.Workspace, []domain.Citation{tt.c, tt.c})
		if err != nil || len(got[0]) != tt.want || tt.want == 1 && (got[0][0].N != 4 || got[0][0].Document != "works.html" || got[0][0].Address != link.PictureFile(doc.ID, 1)) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}
