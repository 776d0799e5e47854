package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/views/link"
)

// photograph writes an image, and returns its name.
func photograph(t *testing.T) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 400, 300))
	for y := range 300 {
		for x := range 400 {
			m.SetRGBA(x, y, color.RGBA{R: 90, G: uint8(x / 2), B: uint8(y / 2), A: 255})
		}
	}
	var b bytes.Buffer
	noError(t, png.Encode(&b, m))
	name := filepath.Join(t.TempDir(), "weir.png")
	noError(t, os.WriteFile(name, b.Bytes(), 0o600))
	return name
}

// TestThePageOfAnImageShowsIt looks at the page of an image, which has no encoding to choose.
func TestThePageOfAnImageShowsIt(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", photograph(t), manual(t))
	photo := decoded[documents.Shown](t, sh.must(t, "documents", "show", "weir.png", "--json"))
	page := decoded[documents.Shown](t, sh.must(t, "documents", "show", "pump.html", "--json"))
	if _, err := sh.run(t, "documents", "retry", "weir.png", "--yes", "--encoding", "koi8-r"); err == nil || !strings.Contains(err.Error(), "No encoding can be chosen for weir.png") {
		t.Errorf("an encoding is chosen for an image: %v", err)
	}
	served := sh.serve(t)
	for id, isPhoto := range map[domain.DocumentID]bool{photo.ID: true, page.ID: false} {
		answer, err := http.Get(served.url + "/w/library" + link.Document(id))
		noError(t, err)
		html, err := io.ReadAll(answer.Body)
		noError(t, err)
		noError(t, answer.Body.Close())
		shows := strings.Contains(string(html), `data-testid="photo"`) && strings.Contains(string(html), `<img src="/w/library`+link.PictureFile(id, 1)+`"`)
		if chooses := strings.Contains(string(html), "Choose another encoding"); shows != isPhoto || chooses == isPhoto {
			t.Errorf("%s: shows a photo: %t, offers encodings: %t", id, shows, chooses)
		}
	}
}

// manual writes a web page with a picture and its caption.
func manual(t *testing.T) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 400, 300))
	for y := range 300 {
		for x := range 400 {
			m.SetRGBA(x, y, color.RGBA{R: uint8(x), G: uint8(y), B: 120, A: 255})
		}
	}
	var b bytes.Buffer
	noError(t, png.Encode(&b, m))
	name := filepath.Join(t.TempDir(), "pump.html")
	noError(t, os.WriteFile(name, []byte(`<html><head><title>Pump manual</title></head><body><main><h1>Pump manual</h1><p>The pump lifts water from the well to the cistern.</p><figure><img src="data:image/png;base64,`+
		base64.StdEncoding.EncodeToString(b.Bytes())+`" alt="A round housing with two valves"><figcaption>Figure 3: Diagram of the pump housing</figcaption></figure><p>The housing is made of cast iron.</p></main></body></html>`), 0o600))
	return name
}

// TestAPictureIsServedSafely looks at the headers of a picture, its page, and what is asked for wrongly.
func TestAPictureIsServedSafely(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", manual(t))
	shown := decoded[documents.Shown](t, sh.must(t, "documents", "show", "pump.html", "--json"))
	bytesOf := sh.must(t, "documents", "pictures", "pump.html", "--picture", "1")
	if m, _, err := image.Decode(strings.NewReader(bytesOf)); err != nil || m.Bounds().Dx() != 400 {
		t.Errorf("the command writes %d bytes, %v", len(bytesOf), err)
	}
	if _, err := sh.run(t, "documents", "pictures", "pump.html", "--picture", "2"); err == nil {
		t.Error("a picture that is not there is printed")
	}
	served := sh.serve(t)
	answer, err := http.Get(served.url + "/w/library" + link.PictureFile(shown.ID, 1))
	noError(t, err)
	noError(t, answer.Body.Close())
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
		"Cache-Control": "private, no-cache", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := answer.Header.Get(name); got != want || answer.StatusCode != http.StatusOK {
			t.Errorf("%d, %s is %q, want %q", answer.StatusCode, name, got, want)
		}
	}
	for path, want := range map[string]int{
		link.Pictures(shown.ID): 200, link.Picture(shown.ID, 1): 200, link.Picture(shown.ID, 2): 404, link.Pictures(shown.ID) + "?picture=x": 404,
		link.PictureFile(shown.ID, 0): 404, link.PictureFile(shown.ID, 2): 404, link.Pictures(shown.ID) + "/%2e%2e": 404, link.Pictures("dnone"): 404,
	} {
		if status, page := served.get(t, path); status != want || want == 200 && !strings.Contains(page, "Figure 3: Diagram of the pump housing") {
			t.Errorf("%s answers %d, want %d", path, status, want)
		}
	}
	said := sh.must(t, "ask", "Show me the diagram of the pump housing")
	if !strings.Contains(said, "Figure 3: Diagram of the pump housing") {
		t.Errorf("the answer is %s", said)
	}
}

// TestPicturesOfLimitedDocumentsAreWithheld asks for them as somebody who may not read the document.
func TestPicturesOfLimitedDocumentsAreWithheld(t *testing.T) {
	t.Parallel()
	l := openPeopled(t)
	page, err := os.ReadFile(manual(t))
	noError(t, err)
	l.add("ada", map[string]string{"pump.html": string(page)}, "ada")
	for who, want := range map[string]int{"ada": 200, "owen": 404, "iris": 404} {
		for _, path := range []string{"/documents/pump.html/pictures", "/documents/pump.html/pictures?picture=1"} {
			if status, text := l.send(who, http.MethodGet, path, nil); status != want || want == 404 && strings.Contains(text, "Figure 3") {
				t.Errorf("%s gets %d for %s: %s", who, status, path, domain.Cut(text, 200))
			}
		}
	}
}

// TestAnAnswerListsItsPictures asks about a passage by which a picture stands: the command lists it, and its address leads to the
// image.
func TestAnAnswerListsItsPictures(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "ingest", manual(t))
	const question = "What does the pump lift?"
	said := decoded[questions.Reply](t, sh.must(t, "ask", "--json", question))
	if len(said.Pictures) != 1 || said.Pictures[0].Document != "pump.html" || said.Pictures[0].Caption != "Figure 3: Diagram of the pump housing" || said.Pictures[0].N != 1 {
		t.Fatalf("the answer has the pictures %+v", said.Pictures)
	}
	if printed := sh.must(t, "ask", question); !strings.Contains(printed, "picture beside [1], pump.html: Figure 3: Diagram of the pump housing "+said.Pictures[0].Address) {
		t.Errorf("printed: %s", printed)
	}
	answer, err := http.Get(sh.serve(t).url + said.Pictures[0].Address)
	noError(t, err)
	noError(t, answer.Body.Close())
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "image/png" {
		t.Errorf("its address %s answers %d, %s", said.Pictures[0].Address, answer.StatusCode, answer.Header.Get("Content-Type"))
	}
}
