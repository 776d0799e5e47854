package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
)

// most is how many bytes a page may send.
const most = 20 << 10

// TestPagesTravelCompressed asks for every page as browsers do. It compares
// status and length only with the plain page, since ids and times may differ.
func TestPagesTravelCompressed(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	unpack := map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
	}
	for _, path := range b.fill(t).pages() {
		plain := b.get(t, path, "Accept-Encoding", "identity")
		if plain.header.Get("Content-Encoding") != "" {
			t.Errorf("%s: the plain page is encoded as %q", path, plain.header.Get("Content-Encoding"))
		}
		for accepted, coding := range map[string]string{"gzip, deflate": "gzip", "gzip, deflate, br, zstd": "zstd", "gzip, zstd;q=0": "gzip"} {
			dense := b.get(t, path, "Accept-Encoding", accepted)
			if !strings.Contains(strings.Join(dense.header.Values("Vary"), ","), "Accept-Encoding") {
				t.Errorf("%s: Vary is %q", path, dense.header.Values("Vary"))
			}
			if dense.status != plain.status || len(dense.body) > most {
				t.Errorf("%s: status %d and %d, %d bytes on the wire", path, plain.status, dense.status, len(dense.body))
			}
			if got := dense.header.Get("Content-Encoding"); got != coding {
				if got != "" || len(dense.body) > 1<<10 {
					t.Errorf("%s: %d bytes travel as %q, %q is accepted", path, len(dense.body), got, accepted)
				}
				continue
			}
			r, err := unpack[coding](strings.NewReader(dense.body))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := io.ReadAll(r)
			if err != nil || len(whole) < len(plain.body)/2 || 3*len(dense.body) > 2*len(whole) {
				t.Errorf("%s: %d bytes of %d, plain %d: %v", path, len(dense.body), len(whole), len(plain.body), err)
			}
		}
	}
}

// TestStreamsTravelPlain keeps a compressor out of every open page.
func TestStreamsTravelPlain(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	p := b.do(t, http.MethodGet, "/documents/events?look=1", nil, "Accept-Encoding", "gzip")
	if p.status != http.StatusOK || p.header.Get("Content-Encoding") != "" {
		t.Errorf("status %d, encoded as %q", p.status, p.header.Get("Content-Encoding"))
	}
}
