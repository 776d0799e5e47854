package crawl_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/crawl"
)

// TestCanonicalOnlySkipsDuplicates follows sites whose pages say that they are the same as others. Whatever a page says,
// a document holds what was fetched from its address.
func TestCanonicalOnlySkipsDuplicates(t *testing.T) {
	t.Parallel()
	start := `Start. <a href=one>1</a> <a href=two>2</a>`
	for _, tt := range []struct {
		name  string
		pages map[string]string // of site.test
		want  map[string]string // part of what is stored by path; what is not named must not be there
	}{
		{"another page that is linked later",
			map[string]string{"/": start, "/one": `<link rel=canonical href=/two>The copy.`, "/two": "The page."},
			map[string]string{"/": "Start", "/two": "The page"}},
		{"another page that was visited",
			map[string]string{"/": start, "/one": `The page.`, "/two": "<link rel=canonical href=/one>The copy."},
			map[string]string{"/": "Start", "/one": "The page"}},
		{"each other",
			map[string]string{"/": start, "/one": `<link rel=canonical href=/two>One.`, "/two": "<link rel=canonical href=/one>Two."},
			map[string]string{"/": "Start", "/two": "Two"}},
		{"itself by another form of its address",
			map[string]string{"/": start, "/one": `<link rel=canonical href="http://SITE.test:PORT/one#top">One.`, "/two": "Two."},
			map[string]string{"/": "Start", "/one": "One", "/two": "Two"}},
		{"a page that does not exist",
			map[string]string{"/": start, "/one": `<link rel=canonical href=/none>One.`, "/two": "<link rel=canonical href=/none>Two."},
			map[string]string{"/": "Start", "/one": "One", "/two": "Two"}},
		{"a page that can't be read",
			map[string]string{"/": start, "/one": `<link rel=canonical href=/two>One.`, "/two": "unreadable"},
			map[string]string{"/": "Start", "/one": "One"}},
		{"a page of another site",
			map[string]string{"/": start, "/one": `<link rel=canonical href="http://other.test:PORT/">One.`, "/two": `<link rel=canonical href="http://other.test:PORT/two">Two.`},
			map[string]string{"/": "Start", "/one": "One", "/two": "Two"}},
		{"a page by another scheme",
			map[string]string{"/": start, "/one": `<link rel=canonical href="https://site.test:PORT/one">One.`, "/two": "Two."},
			map[string]string{"/": "Start", "/one": "One", "/two": "Two"}},
		{"a page that leads elsewhere",
			map[string]string{"/": start, "/one": `<link rel=canonical href=/to/other>One.`, "/two": "Two."},
			map[string]string{"/": "Start", "/one": "One", "/two": "Two"}},
		{"two pages",
			map[string]string{"/": start, "/one": `<link rel=canonical href=/two><link rel=canonical href=/>One.`, "/two": "Two."},
			map[string]string{"/": "Start", "/one": "One", "/two": "Two"}},
		{"another page, in what a visitor wrote",
			map[string]string{"/": start, "/one": `<body>One. <link rel=canonical href=/two>`, "/two": "Two."},
			map[string]string{"/": "Start", "/one": "One", "/two": "Two"}},
		{"another language is not the same page",
			map[string]string{"/": start, "/one": `<link rel=alternate hreflang=de href=/two>One.`, "/two": "<link rel=alternate hreflang=en href=/one>Zwei."},
			map[string]string{"/": "Start", "/one": "One", "/two": "Zwei"}},
		{"the start, which names a page",
			map[string]string{"/": `<link rel=canonical href=/one>Start. <a href=two>2</a>`, "/one": "One.", "/two": "Two."},
			map[string]string{"/one": "One", "/two": "Two"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			port := w.server.URL[strings.LastIndex(w.server.URL, ":")+1:]
			for path, html := range tt.pages {
				w.page("site.test"+path, strings.ReplaceAll(html, "PORT", port))
			}
			w.page("other.test/", "Another site.")
			w.answers["site.test/to/other"] = func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, w.at("other.test/"), http.StatusFound)
			}
			s := w.service(t, "site.test,other.test")
			for range 2 { // and once more, when all are known
				walk(t, w, s, crawl.Order{Address: w.at("site.test/"), Depth: 1, Rate: 20})
				got := map[string]string{}
				for key, content := range w.stored {
					path := strings.TrimPrefix(key, "site.test")
					if got[path] = content; tt.want[path] != "" && strings.Contains(content, tt.want[path]) {
						got[path] = tt.want[path]
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("stored (-want +got)\n%s", diff)
				}
			}
		})
	}
}

// TestADocumentKeepsItsAddress fetches single addresses: what was fetched from one never takes the place of what was
// fetched from another, before or afterwards.
func TestADocumentKeepsItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.page("site.test/good", "The good page.")
	w.page("site.test/bad", `<link rel="canonical" href="/good">The bad page.`)
	w.answers["site.test/moved"] = func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "/good", http.StatusMovedPermanently)
	}
	s := w.service(t, "site.test")
	for _, path := range []string{"good", "bad", "moved", "good", "bad"} {
		walk(t, w, s, crawl.Order{Address: w.at("site.test/" + path)})
	}
	want := map[string]string{"site.test/good": "<!DOCTYPE html>The good page.", "site.test/bad": `<!DOCTYPE html><link rel="canonical" href="/good">The bad page.`}
	if diff := cmp.Diff(want, w.stored); diff != "" {
		t.Errorf("stored (-want +got)\n%s", diff)
	}
}

// TestALongChainOfCanonicalsEnds visits a site each of whose pages names a new one.
func TestALongChainOfCanonicalsEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := 0
	for _, path := range []string{"", "a", "aa", "aaa", "aaaa", "aaaaa", "aaaaaa"} {
		w.page("site.test/"+path, `<link rel=canonical href="/`+path+`a">Page `+path)
		n++
	}
	got := walk(t, w, w.service(t, "site.test"), crawl.Order{Address: w.at("site.test/"), Depth: 3})
	if i := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, "site.test aaa.html") }); i < 0 || len(got) > 2*n {
		t.Errorf("visited %q", got)
	}
}
