package static

import (
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
		"dist/.keep": {}, "dist/app.css": {Data: []byte("a{}")}, "dist/app.js": {Data: []byte("1")}, "dist/theme.js": {Data: []byte("2")}, "dist/chart.js": {Data: []byte("3")}, "dist/graph.js": {Data: []byte("4")},
		"dist/fonts/x.woff2": {Data: []byte("f")},
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
	for _, unknown := range []string{"/static/app.css", "/static/app.000000000000.css", "/static/", "/static/../static.go", "/static/.keep"} {
		if res := get(t, b, http.MethodGet, unknown, ""); res.StatusCode != http.StatusNotFound || res.Header.Get("Cache-Control") != "" {
			t.Errorf("%s: %d with %q, want 404 that is not kept", unknown, res.StatusCode, res.Header.Get("Cache-Control"))
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
