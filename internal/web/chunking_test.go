package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
)

// sendCut sends a file with what is chosen of its chunks.
func (b *bench) sendCut(t *testing.T, to string, fields map[string]string, name, content string, headers ...string) reply {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for field, value := range fields {
		testkit.Must(t, w.WriteField(field, value))
	}
	part, err := w.CreateFormFile("files", name)
	testkit.Must(t, err)
	_, err = part.Write([]byte(content))
	testkit.Must(t, err)
	testkit.Must(t, w.Close())
	return b.do(t, http.MethodPost, to, &body, append(headers, "Content-Type", w.FormDataContentType())...)
}

func TestChunksAreChosenForAnUpload(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	log := "# One\n\nAnna Quill met Maud Ferring.\n\n# Two\n\nThe mill at Brae burnt down.\n"
	bill := b.sendCut(t, "/documents/bill", map[string]string{"chunk": "headings"}, "log.md", log)
	if bill.status != http.StatusOK || !strings.Contains(bill.body, "2 passages of log.md") || !strings.Contains(bill.body, `value="headings" selected`) {
		t.Errorf("the bill: %d %s", bill.status, bill.body)
	}
	added := results(t, b.sendCut(t, "/documents", map[string]string{"chunk": "headings", "chunk-tokens": "64", "text-field": "body"}, "log.md", log, "Accept", "application/json"))
	want := domain.Chunking{By: domain.ByHeadings, Tokens: 64, Field: "body"}
	d := b.Settle(t, b.Document(t, added[0].ID))
	if d.Chunking != want || d.Chunks != 2 {
		t.Errorf("read as %+v", d)
	}
	_, err := b.Documents.ReadAgain(t.Context(), testkit.Workspace, d.ID)
	testkit.Must(t, err)
	if d = b.Settle(t, b.Document(t, d.ID)); d.Chunking != want || d.Chunks != 2 {
		t.Errorf("read again as %+v", d)
	}
	again := results(t, b.sendCut(t, "/documents", nil, "log.md", log, "Accept", "application/json"))
	if !strings.Contains(again[0].Message, "keeps its chunks") {
		t.Errorf("added again: %+v", again)
	}
	for field, value := range map[string]string{"chunk": "pages", "chunk-tokens": "1"} {
		if got := b.sendCut(t, "/documents", map[string]string{field: value}, "other.md", "# Other", "Accept", "application/json"); got.status != http.StatusBadRequest && got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s=%s: %d %s", field, value, got.status, got.body)
		}
	}
	if docs := b.documents(t); len(docs) != 1 {
		t.Errorf("documents: %+v", docs)
	}
}

// TestChunksAreChosenForPastedText pastes text to be cut at its headings.
func TestChunksAreChosenForPastedText(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	text := "# One\n\nAnna Quill met Maud Ferring.\n\n# Two\n\nThe mill at Brae burnt down.\n"
	if p := b.post(t, "/documents/text", url.Values{"text": {text}, "name": {"log.md"}, "chunk": {"headings"}, "chunk-tokens": {"64"}}); p.status != http.StatusSeeOther {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	d := b.Settle(t, b.documents(t)[0])
	if d.Chunking != (domain.Chunking{By: domain.ByHeadings, Tokens: 64}) || d.Chunks != 2 {
		t.Errorf("read as %+v", d)
	}
	for _, path := range []string{"/documents/text", "/documents/web"} {
		if p := b.post(t, path, url.Values{"text": {text}, "address": {"https://example.org/"}, "chunk": {"pages"}}); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "There is no chunking by") {
			t.Errorf("%s with a chunking that there isn't: %d", path, p.status)
		}
	}
}
