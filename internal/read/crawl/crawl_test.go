package crawl_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/parse"
)

// world is a web of scripted sites, all on one server, and a library.
type world struct {
	server  *httptest.Server
	answers map[string]http.HandlerFunc // by host and path
	dns     map[string][]string         // answers by host; the server's address for any other
	waits   []time.Duration

	mu      sync.Mutex
	visited []string // host and path
	stored  map[string]string
	tags    map[string]string
	gone    []string // links
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{answers: map[string]http.HandlerFunc{}, dns: map[string][]string{}, stored: map[string]string{}, tags: map[string]string{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.Host)
		w.mu.Lock()
		w.visited = append(w.visited, host+r.URL.RequestURI())
		answer := w.answers[host+r.URL.Path]
		w.mu.Unlock()
		if answer == nil {
			http.NotFound(rw, r)
			return
		}
		answer(rw, r)
	}))
	t.Cleanup(w.server.Close)
	return w
}

// at returns an address of a scripted host.
func (w *world) at(path string) string {
	u, _ := url.Parse(w.server.URL)
	host, rest, _ := strings.Cut(path, "/")
	return "http://" + host + ":" + u.Port() + "/" + rest
}

func (w *world) page(path, html string) {
	w.answers[path] = func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "<!DOCTYPE html>"+html) }
}

// lookup is the resolver of the world.
func (w *world) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	answers, ok := w.dns[host]
	if !ok {
		answers = []string{"127.0.0.1"}
	}
	var all []netip.Addr
	for _, a := range answers {
		all = append(all, netip.MustParseAddr(a))
	}
	return all, nil
}

// here reads links in this process.
type here struct{}

func (here) LinksOfPage(_ context.Context, page io.Reader, _ int64) (parse.Links, error) {
	data, err := io.ReadAll(page)
	return parse.LinksOfPage(data), err
}

func (here) LinksOfSitemap(_ context.Context, sitemap io.Reader, _ int64) (parse.Links, error) {
	data, err := io.ReadAll(sitemap)
	if err != nil {
		return parse.Links{}, err
	}
	return parse.LinksOfSitemap(data)
}

// service returns a service to which the named hosts and networks are open.
func (w *world) service(t *testing.T, open string) *crawl.Service {
	t.Helper()
	allowed, unread := crawl.ParseAllowed(open)
	if unread != "" {
		t.Fatal(unread)
	}
	s, err := crawl.New(crawl.Params{
		Fetch: crawl.NewFetcher(crawl.Options{Agent: "Clew/test", MaxBytes: 10_000, Allowed: allowed, Lookup: w.lookup}),
		Links: here{}, Library: w, Now: func() time.Time { return time.Unix(1e9, 0) },
		Wait: func(ctx context.Context, d time.Duration) error { w.waits = append(w.waits, d); return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// AddFound implements crawl.Library: it keeps each content once.
func (w *world) AddFound(_ context.Context, _ domain.WorkspaceID, _ crawl.Order, link string, f crawl.File) ([]crawl.Document, bool, error) {
	u, _ := url.Parse(link)
	key := u.Hostname() + u.Path
	if strings.Contains(string(f.Data), "unreadable") {
		return nil, false, domain.Errorf(domain.Unsupported, "Files of this kind cannot be read.")
	}
	existing := w.stored[key] == string(f.Data)
	w.stored[key], w.tags[link] = string(f.Data), f.Tag
	return []crawl.Document{{ID: domain.DocumentID(f.Name)}}, existing, nil
}

// TagOf implements crawl.Library.
func (w *world) TagOf(_ context.Context, _ domain.WorkspaceID, link string) (string, error) {
	return w.tags[link], nil
}

// LinksBelow implements crawl.Library.
func (w *world) LinksBelow(_ context.Context, _ domain.WorkspaceID, beginning string) (links []string, err error) {
	for _, link := range slices.Sorted(maps.Keys(w.tags)) {
		if strings.HasPrefix(link, beginning) && !slices.Contains(w.gone, link) {
			links = append(links, link)
		}
	}
	return links, nil
}

// NoteGone implements crawl.Library.
func (w *world) NoteGone(_ context.Context, _ domain.WorkspaceID, link string) ([]string, error) {
	if _, known := w.tags[link]; !known {
		return nil, nil
	}
	w.gone = append(w.gone, link)
	return []string{"its document"}, nil
}

// NoteThere implements crawl.Library.
func (w *world) NoteThere(_ context.Context, _ domain.WorkspaceID, link string) error {
	w.gone = slices.DeleteFunc(w.gone, func(l string) bool { return l == link })
	return nil
}

// walk carries out an order and returns what became of each address, in words.
func walk(t *testing.T, w *world, s *crawl.Service, o crawl.Order) []string {
	t.Helper()
	var said []string
	err := s.Walk(t.Context(), domain.DefaultWorkspace, o, func(r crawl.Result) error {
		u, _ := url.Parse(r.Address)
		line := u.Hostname() + u.RequestURI() + ":"
		for _, d := range r.Documents {
			line += " " + string(d.ID)
		}
		switch {
		case r.Gone:
			line += " gone"
		case r.Existing:
			line += " as it was"
		}
		if r.Err != nil {
			line += " " + domain.KindOf(r.Err).String()
		}
		said = append(said, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// TestASite follows a site: below its path, to a depth, no page twice, and not
// where it asks programs not to go.
func TestASite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.page("site.test/docs/", `<a href="one">1</a> <a href="/docs/two?utm_source=x#top">2</a> <a href="../blog/">elsewhere</a> <a href="http://other.test/docs/">other</a>
		<a href="private/x">no</a> <a rel="nofollow" href="skipped">skip</a> <a href="mailto:a@b">m</a> <a href="javascript:x()">j</a>`)
	w.page("site.test/docs/one", `<link rel="canonical" href="/docs/one"><a href="deep">d</a><a href="two">2</a><a href="moved">m</a><a href="print">p</a>`)
	w.page("site.test/docs/two", "Second page. <a href=one>back</a>")
	w.page("site.test/docs/deep", "Deep page. <a href=deeper>more</a>")
	w.page("site.test/docs/deeper", "Too deep.")
	w.page("site.test/docs/print", `<link rel="canonical" href="one">The first page, to be printed.`)
	w.answers["site.test/docs/moved"] = func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "/docs/two", http.StatusMovedPermanently)
	}
	w.answers["site.test/robots.txt"] = func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "User-agent: *\nDisallow: /docs/private/\nCrawl-delay: 2\n")
	}
	s := w.service(t, "site.test")
	got := walk(t, w, s, crawl.Order{Address: w.at("site.test/docs/"), Depth: 2, Rate: 10})
	want := []string{
		"site.test/docs/: site.test docs.html", "site.test/docs/one: site.test docs one.html", "site.test/docs/two: site.test docs two.html",
		"site.test/docs/private/x: forbidden", "site.test/docs/deep: site.test docs deep.html", "site.test/docs/moved:", "site.test/docs/print:",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("visited (-want +got)\n%s", diff)
	}
	if len(w.waits) != 6 || slices.ContainsFunc(w.waits[1:], func(d time.Duration) bool { return d < 2*time.Second }) {
		t.Errorf("waits %v, want two seconds more before each", w.waits)
	}
	if n := slices.Index(w.visited, "site.test/docs/two"); n < 0 || slices.Contains(w.visited, "site.test/docs/deeper") || slices.Contains(w.visited, "site.test/docs/private/x") {
		t.Errorf("asked for %q", w.visited)
	}
	if got := walk(t, w, s, crawl.Order{Address: w.at("site.test/docs/"), Depth: 2, Most: 2}); len(got) != 2 {
		t.Errorf("at most two: %q", got)
	}
	if got := walk(t, w, s, crawl.Order{Address: w.at("site.test/docs/one")}); len(got) != 1 {
		t.Errorf("one address: %q", got)
	}
}

// TestUnchangedPagesCostNothing asks for a page again by its tag.
func TestUnchangedPagesCostNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	version, sent := "1", 0
	w.answers["site.test/a"] = func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", strconv.Quote(version))
		if r.Header.Get("If-None-Match") == strconv.Quote(version) {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		sent++
		fmt.Fprint(rw, "<!DOCTYPE html>Version "+version)
	}
	s, o := w.service(t, "site.test"), crawl.Order{Address: w.at("site.test/a")}
	first, second := walk(t, w, s, o), walk(t, w, s, o)
	version = "2"
	third := walk(t, w, s, o)
	want := []string{"site.test/a: site.test a.html", "site.test/a: as it was", "site.test/a: site.test a.html"}
	if diff := cmp.Diff(want, slices.Concat(first, second, third)); diff != "" || sent != 2 {
		t.Errorf("sent %d times (-want +got)\n%s", sent, diff)
	}
}

// TestImagesAreReadWhereTheyAreNamed follows a page that links to an image, and fetches the image itself.
func TestImagesAreReadWhereTheyAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answers["site.test/a"] = func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `<!DOCTYPE html>One. <a href="/x.png">A picture</a>`)
	}
	w.answers["site.test/x.png"] = func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	}
	s := w.service(t, "site.test")
	got := slices.Concat(walk(t, w, s, crawl.Order{Address: w.at("site.test/a"), Depth: 1}), walk(t, w, s, crawl.Order{Address: w.at("site.test/x.png")}))
	want := []string{"site.test/a: site.test a.html", "site.test/x.png: unsupported", "site.test/x.png: x.png"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestASitemap fetches what a sitemap and one within it list, of the same host.
func TestASitemap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := func(kind string, of ...string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(rw, `<?xml version="1.0"?><%[1]sset>`, kind)
			for _, a := range of {
				fmt.Fprintf(rw, "<%s><loc> %s </loc></%s>", kind, w.at(a), kind)
			}
			fmt.Fprintf(rw, "</%sset>", kind)
		}
	}
	w.answers["site.test/sitemap.xml"] = list("sitemap", "site.test/b.xml", "other.test/c.xml")
	w.answers["site.test/b.xml"] = list("url", "site.test/x", "other.test/y", "site.test/x", "site.test/z.txt")
	w.page("site.test/x", "Page X. <a href=more>more</a>")
	w.answers["site.test/z.txt"] = func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "unreadable") }
	got := walk(t, w, w.service(t, "site.test,other.test"), crawl.Order{Address: w.at("site.test/sitemap.xml"), Sitemap: true})
	want := []string{"site.test/sitemap.xml:", "site.test/b.xml:", "site.test/x: site.test x.html", "site.test/z.txt: unsupported"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("visited (-want +got)\n%s", diff)
	}
}

// TestInnerAddressesAreRefused tries to have addresses called that are not on the
// public internet: as such, by name, by a name with an outer answer too, and by a
// redirect. Nothing may reach the server.
func TestInnerAddressesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.dns["inner.test"], w.dns["both.test"] = []string{"10.0.0.7"}, []string{"93.184.216.34", "127.0.0.1"}
	w.dns["mapped.test"], w.dns["nat.test"] = []string{"::ffff:127.0.0.1"}, []string{"64:ff9b::7f00:1"}
	s := w.service(t, "")
	refused := []string{
		"127.0.0.1", "localhost", "inner.test", "both.test", "mapped.test", "nat.test", "[::1]", "[::ffff:7f00:1]", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
		"100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "[fe80::1]", "[fc00::1]", "[64:ff9b::a00:1]", "[2002:7f00:1::]", "[::127.0.0.1]", "[::]", "[ff02::1]",
	}
	for _, host := range refused {
		if got := walk(t, w, s, crawl.Order{Address: w.at(host + "/x")}); len(got) != 1 || !strings.HasSuffix(got[0], " forbidden") {
			t.Errorf("%s: %q", host, got)
		}
	}
	if len(w.visited) > 0 {
		t.Errorf("the server was asked for %q", w.visited)
	}
	for _, address := range []string{"ftp://example.org/", "file:///etc/passwd", "http://user:pass@example.org/", "//example.org", "http://"} {
		if err := s.Walk(t.Context(), domain.DefaultWorkspace, crawl.Order{Address: address}, nil); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestARedirectIsNoWayIn follows redirects from an allowed host.
func TestARedirectIsNoWayIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to := func(where string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, where, http.StatusFound) }
	}
	w.answers["open.test/in"] = to(w.at("closed.test/secret"))
	w.answers["open.test/meta"] = to("http://169.254.169.254/latest/meta-data/")
	w.answers["open.test/file"] = to("file:///etc/passwd")
	w.answers["open.test/round"] = to("/round")
	w.page("closed.test/secret", "A secret.")
	for path, kind := range map[string]string{"in": "forbidden", "meta": "forbidden", "file": "invalid", "round": "invalid"} {
		if got := walk(t, w, w.service(t, "open.test"), crawl.Order{Address: w.at("open.test/" + path)}); len(got) != 1 || !strings.HasSuffix(got[0], " "+kind) {
			t.Errorf("%s: %q, want %s", path, got, kind)
		}
	}
	if rounds := strings.Count(strings.Join(w.visited, " "), "open.test/round"); rounds != 6 || slices.Contains(w.visited, "closed.test/secret") {
		t.Errorf("round %d times, want 6; asked for %q", rounds, w.visited)
	}
}

// TestWhatIsGoneIsTold fetches a site again of which one page is gone, one is linked from nowhere, and one is shown to
// nobody for a while; and then the page that is gone by itself.
func TestWhatIsGoneIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.page("site.test/docs/", `<a href="one">1</a> <a href="two">2</a> <a href="three">3</a> <a href="four">4</a>`)
	for _, name := range []string{"one", "two", "three", "four"} {
		w.page("site.test/docs/"+name, "Page "+name)
	}
	w.page("site.test/blog/", "A page beside it.")
	s := w.service(t, "site.test")
	site := crawl.Order{Address: w.at("site.test/docs/"), Depth: 1}
	walk(t, w, s, site)
	walk(t, w, s, crawl.Order{Address: w.at("site.test/blog/")})
	wants := func(when string, o crawl.Order, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, walk(t, w, s, o)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", when, diff)
		}
	}
	w.page("site.test/docs/", `<a href="one">1</a> <a href="four">4</a>`)
	delete(w.answers, "site.test/docs/two")
	w.answers["site.test/docs/four"] = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusForbidden) }
	wants("again", site, "site.test/docs/: site.test docs.html", "site.test/docs/one: site.test docs one.html as it was", "site.test/docs/four: forbidden",
		"site.test/docs/three:", "site.test/docs/two: gone")
	if want := []string{w.at("site.test/docs/two")}; !slices.Equal(w.gone, want) {
		t.Errorf("gone are %q, want %q", w.gone, want)
	}
	wants("by itself", crawl.Order{Address: w.at("site.test/docs/two")}, "site.test/docs/two: gone")
	wants("what was never there", crawl.Order{Address: w.at("site.test/docs/none")}, "site.test/docs/none: not found")
}

// TestAFileOfAWrongKindIsRefusedByItsBeginning serves the beginning of films whose rest never comes.
func TestAFileOfAWrongKindIsRefusedByItsBeginning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	film := func(kind string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", kind)
			_, _ = rw.Write(append([]byte("\x00\x00\x00\x18ftypmp42"), make([]byte, 5000)...))
			rw.(http.Flusher).Flush()
			<-r.Context().Done() // until the client has gone
		}
	}
	w.answers["site.test/film"], w.answers["site.test/film.txt"] = film("video/mp4"), film("text/plain")
	for path, kind := range map[string]string{"film": "unsupported", "film.txt": "invalid"} {
		if got := walk(t, w, w.service(t, "site.test"), crawl.Order{Address: w.at("site.test/" + path)}); !strings.HasSuffix(got[0], " "+kind) {
			t.Errorf("%s: %q, want %s", path, got, kind)
		}
	}
}

// TestALargeFileIsRefusedByItsLength reads no byte of a body that is announced as
// too large, and no more than the limit of one that is not.
func TestALargeFileIsRefusedByItsLength(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answers["site.test/told"] = func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", "10001")
		rw.WriteHeader(http.StatusOK)
		rw.(http.Flusher).Flush() // and no byte of it
	}
	w.answers["site.test/untold"] = func(rw http.ResponseWriter, _ *http.Request) {
		for range 200 {
			_, _ = rw.Write(bytes.Repeat([]byte("word "), 20))
			rw.(http.Flusher).Flush()
		}
	}
	for _, path := range []string{"told", "untold"} {
		if got := walk(t, w, w.service(t, "site.test"), crawl.Order{Address: w.at("site.test/" + path)}); !strings.HasSuffix(got[0], " too large") {
			t.Errorf("%s: %q", path, got)
		}
	}
}
