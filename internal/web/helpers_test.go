package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/partial"
)

// bench is a site over a library of its own.
type bench struct {
	*testkit.App
	Auth   *auth.Auth
	site   *Site
	url    string
	client *http.Client
}

// open serves a site until the test ends. Its client keeps cookies and follows
// no redirect.
func open(t *testing.T, o testkit.Options, changes ...func(*Params)) *bench {
	t.Helper()
	a := testkit.Open(t, o)
	accounts, err := auth.New(a.Ledger, auth.NewHasher(rand.Reader, 2), a.Clock.Now)
	testkit.Must(t, err)
	p := Params{
		Ledger: a.Ledger, Graph: a.Graph, Queue: a.Queue, Hub: a.Hub, Auth: accounts, Documents: a.Documents, Questions: a.Questions, Summaries: a.Summaries, Curator: a.Curator,
		Kinds: a.Kinds,
		TestModels: func(context.Context) []partial.CheckLine {
			return []partial.CheckLine{{Works: true, Text: "It answers."}}
		},
		MaxUpload: a.MaxUpload, MaxLoops: testkit.MaxLoops, Loopback: true, Now: a.Clock.Now, Log: a.Log,
	}
	for _, change := range append([]func(*Params){healthy(a)}, changes...) {
		change(&p)
	}
	site, err := New(p)
	testkit.Must(t, err)
	server := httptest.NewServer(site.Handler())
	t.Cleanup(func() {
		testkit.Must(t, site.Stop(context.Background()))
		server.Close()
	})
	return &bench{App: a, Auth: accounts, site: site, url: server.URL, client: visitor()}
}

// visitor is a browser that has not been here yet.
func visitor() *http.Client {
	jar := &cookies{}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// cookies is a jar for one site.
type cookies struct{ all []*http.Cookie }

func (c *cookies) SetCookies(_ *url.URL, set []*http.Cookie) { c.all = set }
func (c *cookies) Cookies(*url.URL) []*http.Cookie           { return c.all }

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   string
}

// main is what a page says in its main part.
func (r reply) main(t *testing.T) string {
	t.Helper()
	for _, n := range nodes(t, r.body, func(n *html.Node) bool { return n.Data == "main" }) {
		return strings.Join(strings.Fields(text(n)), " ")
	}
	return r.body
}

// do sends a request; headers are names and values in turn.
func (b *bench) do(t *testing.T, method, path string, body io.Reader, headers ...string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.url+path, body)
	testkit.Must(t, err)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := b.client.Do(r)
	testkit.Must(t, err)
	defer response.Body.Close()
	p := reply{status: response.StatusCode, header: response.Header}
	if response.Header.Get("Content-Type") == "text/event-stream" { // never ends by itself
		return p
	}
	all, err := io.ReadAll(response.Body)
	testkit.Must(t, err)
	p.body = string(all)
	return p
}

func (b *bench) get(t *testing.T, path string, headers ...string) reply {
	t.Helper()
	return b.do(t, http.MethodGet, path, nil, headers...)
}

func (b *bench) post(t *testing.T, path string, form url.Values, headers ...string) reply {
	t.Helper()
	return b.do(t, http.MethodPost, path, strings.NewReader(form.Encode()), append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
}

// upload is a file to send.
type upload struct{ name, content string }

// form is a multipart body with files.
func form(t *testing.T, files ...upload) (*bytes.Buffer, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range files {
		h := textproto.MIMEHeader{}
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f.name)
		h.Set("Content-Disposition", `form-data; name="files"; filename="`+quoted+`"`)
		part, err := w.CreatePart(h)
		testkit.Must(t, err)
		_, err = io.WriteString(part, f.content)
		testkit.Must(t, err)
	}
	testkit.Must(t, w.Close())
	return &b, w.FormDataContentType()
}

// send uploads files; headers as for do.
func (b *bench) send(t *testing.T, files []upload, headers ...string) reply {
	t.Helper()
	body, kind := form(t, files...)
	return b.do(t, http.MethodPost, "/documents", body, append(headers, "Content-Type", kind)...)
}

// patience is how long a stream may be waited for.
const patience = 2 * time.Minute

// stream is an open stream of server-sent events.
type stream struct {
	lines *bufio.Scanner
	Close func()
}

// event is one server-sent event.
type event struct{ id, name, data string }

func (b *bench) stream(t *testing.T, path string, headers ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+path, nil)
	testkit.Must(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := b.client.Do(r)
	testkit.Must(t, err)
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("GET %s: status %d, type %s", path, response.StatusCode, kind)
	}
	s := &stream{lines: bufio.NewScanner(response.Body), Close: func() {
		cancel()
		response.Body.Close()
	}}
	s.lines.Buffer(nil, 1<<20)
	t.Cleanup(s.Close)
	return s
}

// next is the next event; false at the end of the stream.
func (s *stream) next() (event, bool) {
	var e event
	var data []string
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			data = append(data, value)
		}
		if s.lines.Text() == "" && e.name != "" {
			e.data = strings.Join(data, "\n")
			return e, true
		}
	}
	return event{}, false
}

// until reads up to the first event that is right, and gives all read.
func (s *stream) until(t *testing.T, what string, right func(event) bool) []event {
	t.Helper()
	var all []event
	for {
		e, ok := s.next()
		if !ok {
			t.Fatalf("the stream ended before %s, after %d events: %v", what, len(all), s.lines.Err())
		}
		all = append(all, e)
		if right(e) {
			return all
		}
	}
}

// nodes lists the elements of a page that are right, in order.
func nodes(t *testing.T, body string, right func(*html.Node) bool) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	testkit.Must(t, err)
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && right(n) {
			found = append(found, n)
		}
	}
	return found
}

// attr is an attribute of an element, "" when it has none.
func attr(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}

// text is what an element says.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// marked is the text of the marks that belong to a page's hit.
func marked(t *testing.T, body string) string {
	t.Helper()
	var all []string
	for _, n := range nodes(t, body, func(n *html.Node) bool { return attr(n, "data-testid") == "hit" }) {
		all = append(all, text(n))
	}
	return strings.Join(all, "|")
}

// fixture is one document and one answer to look at.
type fixture struct {
	doc     domain.Document
	message ledger.Message
	entity  domain.EntityID
}

const foundry = "The Carrow Foundry cast the bells of Osterby. Agnes Lovibond wrote of it."

func (b *bench) fill(t *testing.T) fixture {
	t.Helper()
	f := fixture{doc: b.Read(t, "foundry.txt", foundry)}
	f.message = b.Answered(t, "", "What did the foundry cast?")
	f.entity = domain.NewEntityID(testkit.Workspace, "Person", "agnes lovibond")
	if f.doc.Status != domain.DocumentReady || len(f.message.Citations) != 1 {
		t.Fatalf("document %+v, message %+v", f.doc, f.message)
	}
	return f
}

// pages are the addresses of all pages about what fill makes.
func (f fixture) pages() []string {
	conversation := "/ask/" + string(f.message.Conversation)
	doc := "/documents/" + string(f.doc.ID)
	return []string{
		"/", "/documents", "/documents?tab=ready&q=foundry", doc, doc + "/delete", doc + "?start=4&end=18", "/ask", conversation,
		conversation + "/source/" + string(f.message.ID) + "/1", "/runs", "/runs/" + string(f.doc.Run), "/runs/" + string(f.message.Run),
		"/entities", "/entities?q=agnes", "/changes", "/entities/" + string(f.entity), "/entities/" + string(f.entity) + "/rename",
		"/entities/" + string(f.entity) + "/merge?q=carrow", "/entities/" + string(f.entity) + "/split", "/settings", "/health", "/login",
	}
}
