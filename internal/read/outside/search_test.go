package outside_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/outside"
)

// serve returns a search by a server that answers so.
func serve(t *testing.T, answer http.HandlerFunc) *outside.Search {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	s, err := outside.NewSearch(server.URL+"/", "Clew/test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFindKeepsWhatIsOfTheWeb: each page once, in its one form, with a title on one line.
func TestFindKeepsWhatIsOfTheWeb(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/search" || r.URL.Query().Get("q") != "bells & ropes?" || r.Header.Get("User-Agent") != "Clew/test" {
			t.Errorf("asked %s by %q", r.URL, r.Header.Get("User-Agent"))
		}
		_, _ = w.Write([]byte(`{"results": [
			{"url": "https://Example.org:443/bells?utm_source=x#top", "title": "Bells\n  and ropes"}, {"url": "https://example.org/bells", "title": "again"},
			{"url": "javascript:alert(1)", "title": "script"}, {"url": "file:///etc/passwd"}, {"url": "https://me:secret@example.org/"}, {"url": ""},
			{"url": "http://example.org/ropes", "title": "` + strings.Repeat("x", 500) + `"}, {"url": "https://example.net/"}], "answers": [1]}`))
	})
	found, err := s.Find(t.Context(), "bells & ropes?")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 3 && domain.Runes(found[1].Title) <= 201 {
		found[1].Title = ""
	}
	want := []outside.Result{{Address: "https://example.org/bells", Title: "Bells and ropes"}, {Address: "http://example.org/ropes"}, {Address: "https://example.net/", Title: "example.net"}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestNoWordCommandsASearch: what SearXNG would take for commands is sent as words.
func TestNoWordCommandsASearch(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"!!g  hydrofoil": "g hydrofoil", "Why !important in CSS?": "Why important in CSS?", ":de <3 hydrofoil!": "de 3 hydrofoil!", "hydrofoil !!": "hydrofoil", "a:b x<3": "a:b x<3",
	} {
		var sent string
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			sent = r.URL.Query().Get("q")
			_, _ = w.Write([]byte(`{"results": []}`))
		})
		if found, err := s.Find(t.Context(), words); err != nil || len(found) != 0 || sent != want {
			t.Errorf("%q is sent as %q and finds %v, %v", words, sent, found, err)
		}
	}
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("nothing was searched for") })
	if _, err := s.Find(t.Context(), "!! : <"); domain.KindOf(err) != domain.Invalid {
		t.Error(err)
	}
}

// TestWhatIsWrongWithASearchIsSaid, with its cure, and never as something that is tried again.
func TestWhatIsWrongWithASearchIsSaid(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"without JSON": {says(http.StatusForbidden, "<!doctype html>"), "formats: [html, json]"},
		"limited":      {says(http.StatusTooManyRequests, "<!doctype html>"), "pass_ip"},
		"no search":    {says(http.StatusNotFound, "<!doctype html>"), "without /search"},
		"no engine":    {says(http.StatusOK, `{"results": [], "unresponsive_engines": [["one", "timeout"], ["two", "Suspended: too many\nrequests"]]}`), "(one: timeout; two: Suspended: too many requests)"},
		"elsewhere":    {says(http.StatusFound, ""), "somewhere else"},
		"broken":       {says(http.StatusBadGateway, ""), "status 502"},
		"a page":       {says(http.StatusOK, "<html>"), "without /search"},
		"too long":     {says(http.StatusOK, `{"results": [`+strings.Repeat(`{"url": "https://example.org/"},`, 100_000)+`]}`), "a list of results"},
		"cut off":      {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "does not answer"},
	} {
		_, err := serve(t, tt.answer).Find(t.Context(), "bells")
		if err == nil || !strings.Contains(domain.InWords(err), tt.says) || domain.Temporary(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, wrong := range []string{"", "example.org", "ftp://example.org", "http://", "://"} {
		if _, err := outside.NewSearch(wrong, ""); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
