package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
)

// TestNoAddressFails drives every page with odd and long values in its path and
// its query. It answers some as it can, and refuses others in words.
func TestNoAddressFails(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	params := strings.NewReplacer(
		"/documents/:id", "/documents/"+string(f.doc.ID), "/ask/:id", "/ask/"+string(f.message.Conversation), "/runs/:id", "/runs/"+string(f.message.Run),
		"/entities/:id", "/entities/"+string(f.entity), ":message", string(f.message.Message), ":n", "1", ":figure", "x", ":relation", "x", ":id", "x", "*", "app.js",
	)
	names := []string{"q", "tag", "tab", "offset", "label", "order", "to", "kind", "start", "end", "after", "document", "done", "next", "with", "at", "change"}
	odd := []string{"\x00", "\xff\xfe", "%", "-1", "99999999999999999999", "9223372036854775807", "2147483648", "1e9", `"*(`, "\u202e☃'", strings.Repeat("%_", 1900)}
	long := map[string]string{"letters": strings.Repeat("x", 50_000), "words": strings.Repeat("a b ", 12_500)}
	seen := 0
	for _, r := range b.server.pages.Load().Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		seen++
		path := params.Replace(r.Path)
		check := func(what, at string) {
			t.Helper()
			if p := b.get(t, at); p.status >= 500 {
				t.Errorf("GET %s with %s: status %d: %s", r.Path, what, p.status, p.main(t))
			}
		}
		for _, value := range odd {
			query := url.Values{"look": {"1"}}
			for _, name := range names {
				query.Set(name, value)
			}
			check(value, path+"?"+query.Encode())
			check("path "+value, segments(r.Path, url.PathEscape(value))+"?look=1")
		}
		check("a broken query", path+"?q=%zz&offset=%&look=1")
		for what, value := range long {
			for _, name := range names {
				check(what+" in "+name, path+"?look=1&"+url.Values{name: {value}}.Encode())
			}
			if before, _, found := strings.Cut(r.Path, ":"); found {
				check(what+" in its path", before+url.PathEscape(value)+"?look=1")
			}
		}
	}
	if seen < 25 {
		t.Errorf("%d pages: are these all?", seen)
	}
	for _, path := range []string{"/documents?q=", "/graph?view=table&q=", "/runs?kind="} {
		if p := b.get(t, path+long["letters"]); p.status != 400 || !strings.Contains(p.main(t), "50000 characters") {
			t.Errorf("GET %s of 50,000 characters: status %d, %q", path, p.status, p.main(t))
		}
	}
}

// segments replaces the parameters of a route.
func segments(route, value string) string {
	parts := strings.Split(route, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") || part == "*" {
			parts[i] = value
		}
	}
	return strings.Join(parts, "/")
}
