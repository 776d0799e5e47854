package ocr_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// TestWordsInImages reads an image with tesseract, with one that is unsure or fails, and without.
func TestWordsInImages(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 60, 50))
	for i := range m.Pix {
		m.Pix[i] = uint8(i)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	words := strings.ReplaceAll(table, "cat ", "/bin/cat ")
	for name, tt := range map[string]struct{ script, content, said string }{
		"words":   {words, "The harbour.\n\nBuilt", "Its words were read by tesseract, with a mean confidence of 70 %.\nWords may be wrong: compare quotations with the image."},
		"noise":   {strings.NewReplacer("90.5", "20", "49.5", "20").Replace(words), "", ""},
		"gave up": {"/bin/cat >/dev/null; exit 1\n", "", "Tesseract gave up on this image."},
		"missing": {"", "", "The text in this image was not read.\nWords in images are read where tesseract is installed: install it where Clew runs (on Debian and Ubuntu the package tesseract-ocr), and read the image again."},
	} {
		fake(t, tt.script)
		text, err := reader(t, 9).Parse(t.Context(), domain.FormatImage, domain.Chunking{}, bytes.NewReader(b.Bytes()), int64(b.Len()), func() error { return nil })
		if got := strings.Join(text.Warnings, "\n"); err != nil || text.Content != tt.content || got != tt.said || len(text.Pictures) != 1 || len(text.Pages) != 1 {
			t.Errorf("%s: %q, warnings %q, %d pictures, error %v", name, text.Content, got, len(text.Pictures), err)
		}
		if len(text.Pictures) == 1 && text.Pictures[0].At.End != domain.Runes(tt.content) {
			t.Errorf("%s: the picture is at %+v", name, text.Pictures[0].At)
		}
	}
}
