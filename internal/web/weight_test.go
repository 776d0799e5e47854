package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
)

// most is how many bytes a page may send.
const most = 24 << 10

// TestPagesTravelCompressed asks for every page as a browser does. It compares
// status and length only with the plain page, since ids and times may differ.
func TestPagesTravelCompressed(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	for _, path := range b.fill(t).pages() {
		plain, dense := b.get(t, path, "Accept-Encoding", "identity"), b.get(t, path, "Accept-Encoding", "gzip")
		if !strings.Contains(strings.Join(dense.header.Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s: Vary is %q", path, dense.header.Values("Vary"))
		}
		if plain.header.Get("Content-Encoding") != "" || dense.status != plain.status {
			t.Errorf("%s: status %d and %d, the plain one is encoded as %q", path, plain.status, dense.status, plain.header.Get("Content-Encoding"))
		}
		if len(dense.body) > most {
			t.Errorf("%s: %d bytes on the wire", path, len(dense.body))
		}
		if dense.header.Get("Content-Encoding") != "gzip" {
			if len(dense.body) > 1<<10 {
				t.Errorf("%s: %d bytes travel plain", path, len(dense.body))
			}
			continue
		}
		r, err := gzip.NewReader(strings.NewReader(dense.body))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := io.ReadAll(r)
		if err != nil || len(whole) < len(plain.body)/2 || 3*len(dense.body) > 2*len(whole) {
			t.Errorf("%s: %d bytes of %d, plain %d: %v", path, len(dense.body), len(whole), len(plain.body), err)
		}
	}
}

// TestStreamsTravelPlain keeps a compressor out of every open page.
func TestStreamsTravelPlain(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	p := b.do(t, http.MethodGet, "/documents/events?look=1", nil, "Accept-Encoding", "gzip")
	if p.status != http.StatusOK || p.header.Get("Content-Encoding") != "" {
		t.Errorf("status %d, encoded as %q", p.status, p.header.Get("Content-Encoding"))
	}
}
