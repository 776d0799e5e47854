package main

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
)

func TestChunksAreChosenOnTheCommandLine(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	page := file(t, t.TempDir(), "log.md", "# One\n\nAnna Quill met Maud Ferring.\n\n# Two\n\nThe mill at Brae burnt down.\n\n# Three\n\nIt was built again.\n")
	preview := func(args ...string) (p documents.Previewed) {
		t.Helper()
		if err := json.Unmarshal([]byte(sh.must(t, append([]string{"documents", "preview", page, "--json"}, args...)...)), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := preview(); p.Chunks != 1 || len(p.First) != 1 {
		t.Errorf("by its format: %+v", p)
	}
	p := preview("--chunk", "headings")
	if p.Chunks != 3 || len(p.First) != 3 || p.First[1].Text != "Two\n\nThe mill at Brae burnt down." || p.First[1].Headings[0] != "Two" {
		t.Errorf("by headings: %+v", p)
	}
	if out := sh.must(t, "documents", "preview", page, "--chunk", "headings"); !strings.Contains(out, "log.md: 3 chunks") || !strings.Contains(out, "2 · ") {
		t.Errorf("in words: %s", out)
	}
	if out := sh.must(t, "ingest", "--chunk", "headings", page); !strings.Contains(out, "3 chunks") {
		t.Errorf("read: %s", out)
	}
	if out := sh.must(t, "ingest", "--chunk", "sentences", page); !strings.Contains(out, "3 chunks") || !strings.Contains(out, "it keeps its chunks") {
		t.Errorf("added again: %s", out)
	}
	if p := preview("--chunk", "sentences"); p.Chunks != 1 {
		t.Errorf("a preview of what the library has: %+v", p)
	}
	for _, args := range [][]string{{"--chunk", "pages"}, {"--chunk-tokens", "3"}} {
		if _, err := sh.run(t, append([]string{"ingest", page}, args...)...); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

// TestAnEncodingIsChosenOnTheCommandLine reads a text again in another encoding than was guessed,
// which stays with the document.
func TestAnEncodingIsChosenOnTheCommandLine(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	names := file(t, t.TempDir(), "names.txt", "\xe9\xd7\xc1\xce lives here, in a house by the quay.\n") // Иван in KOI8-R
	if out := sh.must(t, "documents", "preview", names); !strings.Contains(out, "KOI8-R") || !strings.Contains(out, "Иван") {
		t.Errorf("the preview does not say what was guessed: %s", out)
	}
	sh.must(t, "ingest", "--encoding", "latin1", names)
	text := func() string { return sh.must(t, "search", "house by the quay") }
	if got := text(); !strings.Contains(got, "é×ÁÎ") {
		t.Fatalf("as chosen at first: %s", got)
	}
	for range 2 { // the second time as stored
		args := []string{"documents", "retry", "names.txt", "--yes", "--encoding", "koi8-r"}
		if strings.Contains(text(), "Иван") {
			args = args[:4]
		}
		sh.must(t, args...)
		sh.drain(t)
		if got := text(); !strings.Contains(got, "Иван") {
			t.Fatalf("read again: %s", got)
		}
	}
	if _, err := sh.run(t, "documents", "retry", "names.txt", "--yes", "--encoding", "klingon"); err == nil || !strings.Contains(err.Error(), "shift_jis") {
		t.Errorf("an unknown encoding: %v", err)
	}
}

// TestAnEncodingIsChosenOnThePage offers other encodings beside the warning about a guessed one.
func TestAnEncodingIsChosenOnThePage(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", file(t, t.TempDir(), "names.txt", "\xe9\xd7\xc1\xce \xd6\xc9\xd7\xa3\xd4 \xd7 \xeb\xc1\xda\xc1\xce\xc9.\n"))
	list := func() []domain.Document {
		docs, _, err := sh.app(t).ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
		noError(t, err)
		return docs
	}
	docs := list()
	if len(docs) != 1 || !strings.Contains(strings.Join(docs[0].Warnings, ""), domain.ChooseEncoding) {
		t.Fatalf("read %+v", docs)
	}
	v := sh.pages(t)
	if status, body := v.get(t, "/documents/"+string(docs[0].ID)); status != 200 || !strings.Contains(body, `data-testid="encoding"`) || !strings.Contains(body, `<option value="koi8-r"`) {
		t.Errorf("the page offers no other encoding: %d", status)
	}
	if status, _ := v.post(t, "/documents/"+string(docs[0].ID)+"/again", url.Values{"encoding": {"cp866"}}); status != 303 {
		t.Errorf("choosing another: %d", status)
	}
	if docs = list(); docs[0].Chunking.Encoding != "ibm866" || docs[0].Status.Settled() {
		t.Errorf("chosen %q, %s", docs[0].Chunking.Encoding, docs[0].Status)
	}
}
