package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log" //nolint:depguard // the library of the IMAP server takes no other
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/google/go-cmp/cmp"
	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/object"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/testkit/gitserver"
)

// A stand is a place of a kind whose items a test changes.
type stand struct {
	kind  source.Kind
	place source.Place
	put   func(name, text string)
	drop  func(name string)
	left  string // beginning of the paths of what is put below left/
}

// items lists the items of a place, and those that they lead to, by name.
func (s stand) items(t *testing.T) map[string]source.Item {
	t.Helper()
	items := map[string]source.Item{}
	for at, first := "", true; first || at != ""; first = false {
		l, err := s.kind.List(t.Context(), s.place, at)
		if err != nil {
			t.Fatal(err)
		}
		waiting := l.Items
		for len(waiting) > 0 {
			i := waiting[0]
			waiting = waiting[1:]
			if _, twice := items[i.Name]; twice {
				if s.kind.Traits().Asks {
					continue
				}
				t.Errorf("%s is listed twice", i.Name)
			}
			items[i.Name] = i
			if s.kind.Traits().Asks {
				if c, err := s.kind.Open(t.Context(), s.place, i, ""); err == nil {
					waiting = append(waiting, c.Leads...)
					noError(t, c.Body.Close())
				}
			}
		}
		at = l.Next
	}
	return items
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read returns what an item holds, and its stamp.
func (s stand) read(t *testing.T, i source.Item, stamp string) (text, now string, err error) {
	t.Helper()
	c, err := s.kind.Open(t.Context(), s.place, i, stamp)
	if err != nil {
		return "", "", err
	}
	defer c.Body.Close()
	data, err := io.ReadAll(c.Body)
	noError(t, err)
	_, err = c.Body.Seek(0, io.SeekStart)
	noError(t, err)
	if !parse.MayRead(c.Name) || strings.HasSuffix(c.Name, ".html.eml") != (c.Source == domain.SourceMail) {
		t.Errorf("%s is named %s, which nothing reads", i.Name, c.Name)
	}
	if c.Stamp == "" {
		c.Stamp = i.Stamp
	}
	return string(data), c.Stamp, nil
}

func ending(items map[string]source.Item, with string) (source.Item, bool) {
	for name, i := range items {
		if strings.HasSuffix(name, with) || i.Title == with {
			return i, true
		}
	}
	return source.Item{}, false
}

// TestKindsKeepTheContract has each kind list, open, tell what has changed and what is gone.
func TestKindsKeepTheContract(t *testing.T) {
	t.Parallel()
	for name, make := range stands() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := make(t)
			s.put("a.html", "Maud Ferring cast the bell.")
			s.put("b.html", "The bridge of Osterby.")
			var err error
			s.place, err = s.kind.Check(t.Context(), s.place)
			noError(t, err)
			again, err := s.kind.Check(t.Context(), s.place)
			if diff := cmp.Diff(s.place, again); diff != "" || err != nil {
				t.Errorf("checked again, %v (-first +again):\n%s", err, diff)
			}
			first := s.items(t)
			a, is := ending(first, "a.html")
			b, other := ending(first, "b.html")
			if !is || !other {
				t.Fatalf("listed %v", first)
			}
			text, stamp, err := s.read(t, a, "")
			if err != nil || !strings.Contains(text, "Maud Ferring") {
				t.Fatalf("read %q, %v", text, err)
			}
			if _, now, err := s.read(t, a, stamp); !errors.Is(err, source.ErrSame) && (err != nil || now != stamp) {
				t.Errorf("what is unchanged has the stamp %q, error %v; want %q or ErrSame", now, err, stamp)
			}
			if same := s.items(t)[a.Name]; same.Stamp != a.Stamp {
				t.Errorf("unchanged item: got stamp %q, want %q", same.Stamp, a.Stamp)
			}
			s.put("a.html", "Maud Ferring recast the bell in 1888.")
			if changed, is := ending(s.items(t), "a.html"); s.kind.Traits().Complete && (!is || changed.Stamp == a.Stamp) {
				t.Errorf("what has changed is listed as %+v, was %+v", changed, a)
			} else if text, now, err := s.read(t, changed, stamp); err != nil || !strings.Contains(text, "recast") || now == stamp {
				t.Errorf("what has changed reads %q with the stamp %q, was %q, error %v", text, now, stamp, err)
			}
			s.drop("b.html")
			if _, is := s.items(t)[b.Name]; is && s.kind.Traits().Complete {
				t.Errorf("%s is gone and still listed", b.Name)
			}
			if _, _, err := s.read(t, b, ""); domain.KindOf(err) != domain.NotFound {
				t.Errorf("what is gone opens with %v", err)
			}
			if s.left != "" {
				s.put("left/out.html", "Nobody should read this.")
				s.place.Rules.LeaveOut = []string{s.left}
			}
			if _, is := ending(s.items(t), "left/out.html"); is {
				t.Error("what the rules leave out is listed")
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if l, err := s.kind.List(ended, s.place, ""); err == nil && len(l.Items) > 1 {
				t.Error("a list goes on after its context has ended")
			}
		})
	}
}

// stands are places of each kind.
func stands() map[string]func(t *testing.T) stand {
	return map[string]func(t *testing.T) stand{
		source.OfFolder: func(t *testing.T) stand {
			root := t.TempDir()
			dir := filepath.Join(root, "scans")
			noError(t, os.Mkdir(dir, 0o700))
			tick := time.Unix(1e9, 0)
			return stand{Folder{[]string{root}}, source.Place{Address: "scans"}, func(name, text string) {
				path := filepath.Join(dir, filepath.FromSlash(name))
				noError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				noError(t, os.WriteFile(path, []byte(text), 0o600))
				tick = tick.Add(time.Second)
				noError(t, os.Chtimes(path, tick, tick))
			}, func(name string) { noError(t, os.Remove(filepath.Join(dir, name))) }, "/left"}
		},
		source.OfMail:      mailBox,
		source.OfGit:       func(t *testing.T) stand { return repository(t, true) },
		"git from a whole": func(t *testing.T) stand { return repository(t, false) },
		source.OfSite: func(t *testing.T) stand {
			w := newWeb(t)
			return stand{Site{w.service(t)}, source.Place{Address: w.URL + "/docs/", Rules: ledger.SourceRules{Rate: mostRate}}, w.put, w.drop, "/docs/left"}
		},
		source.OfFeed: func(t *testing.T) stand {
			w := newWeb(t)
			w.feed = true
			return stand{Feed{w.service(t)}, source.Place{Address: w.URL + "/docs/", Rules: ledger.SourceRules{Rate: mostRate}}, w.put, w.drop, "/docs/left"}
		},
		source.OfBucket: func(t *testing.T) stand {
			backend := s3mem.New()
			noError(t, backend.CreateBucket(t.Context(), "box"))
			server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithV4Auth(map[string]string{"key": "secret"})).Server())
			t.Cleanup(server.Close)
			allowed, _ := crawl.ParseAllowed("127.0.0.1")
			fetch := crawl.NewFetcher(crawl.Options{MaxBytes: 10_000, Allowed: allowed, Storage: crawl.Storage{
				Server: object.Server{Endpoint: server.URL, Region: "us-east-1", Key: "key", Secret: "secret"}, Buckets: []string{"box/docs"},
			}})
			return stand{Bucket{fetch}, source.Place{Address: "s3://box/docs"}, func(name, text string) {
				_, err := backend.PutObject(t.Context(), "box", "docs/"+name, nil, strings.NewReader(text), int64(len(text)))
				noError(t, err)
			}, func(name string) {
				_, err := backend.DeleteObject(t.Context(), "box", "docs/"+name)
				noError(t, err)
			}, "/docs/left"}
		},
	}
}

// repository is a folder of a repository, whose server leaves files out of packs on request if partial is set.
func repository(t *testing.T, partial bool) stand {
	t.Helper()
	s := gitserver.New(t, partial)
	s.Put("readme.html", "Beside the folder.")
	s.Token = "bells"
	p := source.Place{Address: s.Address, Rules: ledger.SourceRules{Folder: "/docs/", User: "maud"}, Secret: "bells"}
	return stand{&Git{Network: localNetwork()}, p, func(name, text string) { s.Put("docs/"+name, text) }, func(name string) { s.Drop("docs/" + name) }, "/docs/left"}
}

// localNetwork calls servers of tests.
func localNetwork() *crawl.Fetcher {
	allowed, _ := crawl.ParseAllowed("127.0.0.1")
	return crawl.NewFetcher(crawl.Options{Agent: "Clew/test", MaxBytes: 10_000, Allowed: allowed})
}

// mailBox is a folder with messages on a server, which are named by their subjects: one that is put again is another message.
func mailBox(t *testing.T) stand {
	t.Helper()
	server, user := imapmemserver.New(), imapmemserver.NewUser("maud", "bells")
	noError(t, user.Create(inbox, nil))
	server.AddUser(user)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	serving := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return server.NewSession(), nil, nil
		},
		Caps: imap.CapSet{imap.CapIMAP4rev1: {}}, InsecureAuth: true, Logger: log.New(io.Discard, "", 0),
	})
	go func() { _ = serving.Serve(l) }()
	t.Cleanup(func() { _ = serving.Close() })
	m := Mail{localNetwork()}
	p := source.Place{Address: "imap://" + l.Addr().String(), Rules: ledger.SourceRules{User: "maud", Folder: inbox}, Secret: "bells"}
	drop := func(name string) {
		c, err := imapclient.DialInsecure(l.Addr().String(), nil)
		noError(t, err)
		defer c.Close()
		noError(t, c.Login("maud", "bells").Wait())
		_, err = c.Select(inbox, nil).Wait()
		noError(t, err)
		found, err := c.UIDSearch(&imap.SearchCriteria{Header: []imap.SearchCriteriaHeaderField{{Key: "Subject", Value: name}}}, nil).Wait()
		noError(t, err)
		if uids := found.AllUIDs(); len(uids) > 0 {
			noError(t, c.Store(imap.UIDSetNum(uids...), &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagDeleted}, Silent: true}, nil).Close())
			_, err = c.Expunge().Collect()
			noError(t, err)
		}
	}
	return stand{m, p, func(name, text string) {
		drop(name)
		message := "From: maud@example.org\r\nTo: agnes@example.org\r\nSubject: " + name + "\r\n\r\n" + text + "\r\n"
		_, err := user.Append(inbox, literal{strings.NewReader(message)}, &imap.AppendOptions{})
		noError(t, err)
	}, drop, ""}
}

type literal struct{ *strings.Reader }

// Size implements imap.LiteralReader.
func (l literal) Size() int64 { return l.Reader.Size() }

// TestMailIsOnlyRead refuses what would give a password away, and marks nothing as seen.
func TestMailIsOnlyRead(t *testing.T) {
	t.Parallel()
	s := mailBox(t)
	s.put("a.html", "Maud Ferring cast the bell.")
	for _, i := range s.items(t) {
		if _, _, err := s.read(t, i, ""); err != nil {
			t.Error(err)
		}
	}
	c, err := imapclient.DialInsecure(strings.TrimPrefix(s.place.Address, "imap://"), nil)
	noError(t, err)
	defer c.Close()
	noError(t, c.Login("maud", "bells").Wait())
	_, err = c.Select(inbox, nil).Wait()
	noError(t, err)
	if seen, err := c.UIDSearch(&imap.SearchCriteria{Flag: []imap.Flag{imap.FlagSeen}}, nil).Wait(); err != nil || len(seen.AllUIDs()) > 0 {
		t.Errorf("marked as seen: %v, %v", seen.AllUIDs(), err)
	}
	wrong := s.place
	wrong.Secret = "bell"
	if _, err := s.kind.List(t.Context(), wrong, ""); domain.KindOf(err) != domain.Forbidden || !strings.Contains(err.Error(), "password") {
		t.Errorf("a wrong password: %v", err)
	}
	for _, address := range []string{"imap://mail.example.org", "imaps://maud:bells@mail.example.org", "https://example.org", "imaps://10.0.0.1"} {
		if _, err := s.kind.Check(t.Context(), source.Place{Address: address, Rules: s.place.Rules}); err == nil {
			t.Errorf("%s may be followed", address)
		}
	}
}

// web is a site whose first page leads to all others, or a feed of them.
type web struct {
	*httptest.Server
	feed bool

	mu     sync.Mutex
	pages  map[string]string
	bodies int // that were sent
}

func newWeb(t *testing.T) *web {
	t.Helper()
	w := &web{pages: map[string]string{}}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *web) put(name, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages["/docs/"+name] = text
}

func (w *web) drop(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pages, "/docs/"+name)
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, is := "<!DOCTYPE html><p>"+w.pages[r.URL.Path], w.pages[r.URL.Path] != ""
	if r.URL.Path == "/docs/" {
		is = true
		body = w.first()
	}
	if !is {
		http.NotFound(rw, r)
		return
	}
	tag := `"` + domain.Hash([]byte(body))[:16] + `"`
	rw.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		rw.WriteHeader(http.StatusNotModified)
		return
	}
	w.bodies++
	_, _ = io.WriteString(rw, body)
}

// first returns the page, or the feed, that leads to all others.
func (w *web) first() string {
	var names []string
	for path := range w.pages {
		names = append(names, path)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		if w.feed {
			fmt.Fprintf(&b, "<item><title>Page</title><link>%s%s</link><pubDate>%s</pubDate></item>", w.URL, name, domain.Hash([]byte(w.pages[name]))[:8])
		} else {
			fmt.Fprintf(&b, `<a href="%s">page</a> `, name)
		}
	}
	if w.feed {
		return `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>` + b.String() + `</channel></rss>`
	}
	return "<!DOCTYPE html><p>All pages: " + b.String()
}

func (w *web) service(t *testing.T) *crawl.Service {
	t.Helper()
	allowed, _ := crawl.ParseAllowed("127.0.0.1")
	s, err := crawl.New(crawl.Params{
		Fetch: crawl.NewFetcher(crawl.Options{Agent: "Clew/test", MaxBytes: 100_000, Allowed: allowed}), Links: here{}, Now: time.Now,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	noError(t, err)
	return s
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

// TestFoldersStayBelowTheirRoots follows no folder that lies elsewhere, by whatever way.
func TestFoldersStayBelowTheirRoots(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	noError(t, os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("words"), 0o600))
	noError(t, os.Symlink(outside, filepath.Join(root, "way")))
	noError(t, os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(root, "file.txt")))
	f := Folder{[]string{root}}
	for _, at := range []string{"..", "way", outside, root + "/../" + filepath.Base(outside), "way/.", "/"} {
		if _, err := f.Check(t.Context(), source.Place{Address: at}); err == nil {
			t.Errorf("%s may be followed", at)
		}
	}
	l, err := f.List(t.Context(), source.Place{Address: root}, "")
	if err != nil || len(l.Items) > 0 {
		t.Errorf("listed %+v, %v", l.Items, err)
	}
	if _, err := f.Open(t.Context(), source.Place{Address: "."}, source.Item{Name: "file.txt"}, ""); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a link out of the root opens with %v", err)
	}
	if _, err := (Folder{}).Check(t.Context(), source.Place{Address: root}); domain.KindOf(err) != domain.Forbidden {
		t.Errorf("without roots: %v", err)
	}
}
