package static

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func build() files {
	return load(fstest.MapFS{
		"dist/.keep": {}, "dist/app.css": {Data: []byte("a{}")}, "dist/work.css": {Data: []byte("c{}")}, "dist/app.js": {Data: []byte("1")}, "dist/theme.js": {Data: []byte("2")}, "dist/chart.js": {Data: []byte("3")}, "dist/graph.js": {Data: []byte("4")},
		"dist/pdf.js": {Data: []byte("5")}, "dist/pdf-worker.js": {Data: []byte("6")}, "dist/pdf.css": {Data: []byte("b{}")},
		"dist/fonts/x.woff2": {Data: []byte("f")}, "dist/app.css.br": {Data: []byte("brotli")}, "dist/app.css.gz": {Data: []byte("gzip")},
	}, "dist")
}

func get(t *testing.T, h http.Handler, method, url, etag string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, url, nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestAddressesCarryTheContent(t *testing.T) {
	t.Parallel()
	b := build()
	if url := b.url("app.css"); !regexp.MustCompile(`^/static/app\.[0-9a-f]{12}\.css$`).MatchString(url) {
		t.Errorf("app.css is at %s", url)
	}
	if url := b.url("fonts/x.woff2"); !strings.HasPrefix(url, "/static/fonts/x.") {
		t.Errorf("a file in a folder is at %s", url)
	}
	other := load(fstest.MapFS{"dist/app.css": {Data: []byte("b{}")}}, "dist")
	if b.url("app.css") == other.url("app.css") {
		t.Error("another content has the same address")
	}
}

func TestWhatIsOnlyCompressedIsUnpacked(t *testing.T) {
	t.Parallel()
	var dense bytes.Buffer
	w := gzip.NewWriter(&dense)
	_, err := w.Write([]byte("a{}"))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	b := load(fstest.MapFS{"dist/app.css.gz": {Data: dense.Bytes()}, "dist/app.css.br": {Data: []byte("brotli")}}, "dist")
	if url := build().url("app.css"); b.url("app.css") != url {
		t.Errorf("app.css is at %s, want %s, where it is if it stands beside", b.url("app.css"), url)
	}
	res := get(t, b, http.MethodGet, b.url("app.css"), "")
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "a{}" || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/css") {
		t.Errorf("a client that takes no compression gets %q (%v) with %v", body, err, res.Header)
	}
	if err := load(fstest.MapFS{"dist/app.css.gz": {Data: []byte("damaged on the way")}}, "dist").ready(); err == nil || !strings.Contains(err.Error(), "gzip") {
		t.Errorf("a damaged file: %v, want an error of gzip", err)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	b := build()
	res := get(t, b, http.MethodGet, b.url("app.css"), "")
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/css") || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("got %d with %v", res.StatusCode, res.Header)
	}
	if res := get(t, b, http.MethodGet, b.url("app.css"), res.Header.Get("ETag")); res.StatusCode != http.StatusNotModified {
		t.Errorf("asked again with the tag: %d, want 304", res.StatusCode)
	}
	for _, unknown := range []string{b.url("app.css") + ".br", "/static/app.css", "/static/app.000000000000.css", "/static/", "/static/../static.go", "/static/.keep"} {
		if res := get(t, b, http.MethodGet, unknown, ""); res.StatusCode != http.StatusNotFound || res.Header.Get("Cache-Control") != "" {
			t.Errorf("%s: %d with %q, want 404 that is not kept", unknown, res.StatusCode, res.Header.Get("Cache-Control"))
		}
	}
}

func TestServeCompressed(t *testing.T) {
	t.Parallel()
	b := build()
	for _, tt := range []struct{ accepts, coding, body string }{
		{"gzip, deflate, br, zstd", "br", "brotli"},
		{"gzip;q=1.0, br;q=0", "gzip", "gzip"},
		{"GZIP", "gzip", "gzip"},
		{"br;q=0.5", "br", "brotli"},
		{"brotli", "", "a{}"},
		{"", "", "a{}"},
	} {
		t.Run(tt.accepts, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, b.url("app.css"), nil)
			r.Header.Set("Accept-Encoding", tt.accepts)
			w := httptest.NewRecorder()
			b.ServeHTTP(w, r)
			h := w.Result().Header
			if h.Get("Content-Encoding") != tt.coding || w.Body.String() != tt.body || h.Get("Vary") != "Accept-Encoding" || !strings.HasPrefix(h.Get("Content-Type"), "text/css") {
				t.Errorf("got %q with %v", w.Body, h)
			}
			r.Header.Set("If-None-Match", h.Get("ETag"))
			again := httptest.NewRecorder()
			b.ServeHTTP(again, r)
			if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
				t.Errorf("asked again with the tag: %d with %d bytes", again.Code, again.Body.Len())
			}
		})
	}
}

// TestBuiltFilesAreLight holds what a first visit loads.
func TestBuiltFilesAreLight(t *testing.T) {
	t.Parallel()
	if Ready() != nil {
		t.Skip("the front end is not built")
	}
	for names, most := range map[string]int{"app.css app.js theme.js": 50 << 10, "chart.js": 200 << 10, "graph.js": 120 << 10} {
		sum := 0
		for name := range strings.FieldsSeq(names) {
			sum += len(embedded().byName[name].compressed["br"])
			if len(embedded().byName[name].compressed["gzip"]) == 0 || len(embedded().byName[name].compressed["br"]) == 0 {
				t.Errorf("%s is not compressed", name)
			}
		}
		t.Logf("%s: %d bytes of %d", names, sum, most)
		if sum > most {
			t.Errorf("%s: %d bytes on the wire, at most %d", names, sum, most)
		}
	}
}

func TestReadySaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	if err := build().ready(); err != nil {
		t.Errorf("a whole build is not ready: %v", err)
	}
	err := load(fstest.MapFS{"dist/.keep": {}}, "dist").ready()
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("a bare clone says %v, want the command that builds", err)
	}
	if err := load(fstest.MapFS{}, "dist").ready(); err == nil {
		t.Error("a missing folder is ready")
	}
}

func TestThePlaceholderIsEmbedded(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(dist, "dist/.keep"); err != nil {
		t.Errorf("a bare clone could not be built: %v", err)
	}
	if Handler() == nil || URL("app.css") == "" {
		t.Error("the package serves nothing")
	}
}
