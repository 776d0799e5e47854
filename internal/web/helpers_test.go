package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/studies"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/prompts/tryout"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/researches"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/upkeep/retention"
	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/views/link"
)

// A bench is a site with its own library, and a client of it.
type bench struct {
	*testkit.App
	Auth       *auth.Auth
	settings   *settings.Overview
	workspaces *workspaces.Service
	server     *Server
	url        string
	client     *http.Client
	served     chan error // receives the result of Serve; nil once stopped
}

// open serves a site until the test ends. The client keeps cookies and does not
// follow redirects.
func open(t *testing.T, o testkit.Options, changes ...func(*Params)) *bench {
	t.Helper()
	race.SkipUnwanted(t)
	a := testkit.Open(t, o)
	trail := &audit.Trail{Ledger: a.Ledger.AuditStore, Log: a.Log}
	accounts, err := auth.New(auth.Params{
		Trail:  trail,
		Ledger: a.Ledger, Hasher: auth.NewHasher(rand.Reader, 2), Random: rand.Reader, Lifetime: 30 * 24 * time.Hour, Now: a.Clock.Now, Log: a.Log,
		Vault: vault.Vault{File: filepath.Join(t.TempDir(), "secret.key"), Random: rand.Reader}, Site: "http://127.0.0.1",
	})
	testkit.Must(t, err)
	signOn := signon.New(signon.Params{Ledger: a.Ledger, Auth: accounts, Random: rand.Reader, Now: a.Clock.Now, Log: a.Log})
	p := Params{
		SignOn: signOn, Ledger: a.Ledger, Graph: a.Graph, Queue: a.Queue, Hub: a.Hub, Auth: accounts, Documents: a.Documents, Questions: a.Questions, Suggest: a.Suggest, Evaluation: a.Evaluation, Prices: a.Costs.Prices, Summaries: a.Summaries, Studies: &studies.Service{Orders: a.Summaries}, Researches: researches.New(researches.Params{Ledger: a.Ledger, Queue: a.Queue, Hub: a.Hub, Questions: a.Questions, Costs: a.Costs, Themes: a.Themes}), Curator: a.Curator, Proposals: a.Proposals, Schemas: a.Schemas,
		Prompts: a.Prompts, Tryout: tryout.New(tryout.Params{Prompts: a.Prompts, Retriever: a.Searcher(), Passages: a.Ledger, Documents: a.Ledger}),
		Trial: a.Trial, Themes: a.Themes, Lists: worklist.Desk{Graph: a.Graph, Texts: a.Ledger, Schemas: a.Schemas, Kept: worklist.NewCache(a.Graph, 1)},
		Kinds: a.Kinds, RunFiles: a.RunFiles, Costs: a.Costs,
		Webhooks: webhooks.New(webhooks.Params{
			Ledger: a.Ledger, Costs: a.Costs, Network: crawl.NewFetcher(crawl.Options{Allowed: crawl.Allowed{Hosts: []string{"127.0.0.1"}}}), Random: rand.Reader, Now: a.Clock.Now, Log: a.Log,
		}),
		Models: answers{}, Operations: operation.On(func(struct{}) *auth.Auth { return accounts }, auth.TokenOperations()),
		Settings: overview(t, a, accounts, signOn), Unembedded: func(context.Context) bool { return false },
		Vectors:    whole{},
		Workspaces: workspaces.New(workspaces.Params{Ledger: a.Ledger, Stores: unclaimed{}, Random: rand.Reader, Now: a.Clock.Now, Log: a.Log}),
		Probed:     new(probed), Metrics: http.HandlerFunc(Alive),
		MaxUpload: a.MaxUpload, MaxLoops: testkit.MaxLoops, Loopback: true, Recheck: 20 * time.Millisecond, Now: a.Clock.Now, Log: a.Log, Trail: trail, Audit: audit.Desk{Ledger: a.Ledger.AuditStore, Now: a.Clock.Now, Access: accounts},
		Retention: retention.Keeper{Ledger: a.Ledger, Trail: trail, Now: a.Clock.Now},
	}
	p.Sources, err = source.New(source.Params{Ledger: a.Ledger, Documents: a.Documents, Schemas: a.Schemas, Queue: a.Queue, IDs: domain.IDs{Random: rand.Reader, Now: a.Clock.Now}, Now: a.Clock.Now, Log: a.Log})
	testkit.Must(t, err)
	p.Crawl, err = crawl.New(crawl.Params{Queue: a.Queue, IDs: domain.IDs{Random: rand.Reader, Now: a.Clock.Now}, Now: a.Clock.Now})
	testkit.Must(t, err)
	for _, change := range append([]func(*Params){healthy(a)}, changes...) {
		change(&p)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	b := &bench{App: a, Auth: accounts, settings: p.Settings, workspaces: p.Workspaces, server: NewServer(p), url: "http://" + listener.Addr().String(), client: newClient(), served: make(chan error, 1)}
	go func() { b.served <- b.server.Serve(listener) }()
	t.Cleanup(func() { b.stop(context.Background(), t) })
	return b
}

// here returns a context in the workspace of a bench.
func here(t *testing.T) context.Context {
	t.Helper()
	return domain.WithWorkspace(t.Context(), testkit.Workspace)
}

// unclaimed are stores that belong to whoever writes to them.
type unclaimed struct{}

func (unclaimed) Claim(context.Context, domain.WorkspaceID) error { return nil }

// overview says how a site is set, which a test's settings of the environment change.
func overview(t *testing.T, a *testkit.App, accounts *auth.Auth, signOn *signon.Service) *settings.Overview {
	t.Helper()
	given, err := config.Load([]string{"PASSAGES=9"})
	testkit.Must(t, err)
	return &settings.Overview{
		Used: given, Connections: desk(t, a), Costs: a.Costs, Prompts: a.Prompts, Schemas: a.Schemas, Auth: accounts, SignOn: signOn, Ledger: a.Ledger, Models: []string{"scripted"},
		Book: &settings.Book{Ledger: a.Ledger, Given: given, Now: a.Clock.Now, Process: testkit.Once{}},
	}
}

// desk connects models of a server that has one.
func desk(t *testing.T, a *testkit.App) *connections.Service {
	t.Helper()
	return connections.New(connections.Params{
		Ledger: a.Ledger, Vault: vault.Vault{File: filepath.Join(t.TempDir(), "secret.key"), Random: rand.Reader},
		Network: network{}, Process: testkit.Once{},
	})
}

// answers is a model that answers.
type answers struct{}

func (answers) Test(context.Context) []llm.Check {
	return []llm.Check{{OK: true, Sentence: "It answers."}}
}

// network has a server with one model, and no model on this machine.
type network struct{}

func (network) List(context.Context, config.Endpoint) ([]llm.Listed, error) {
	return []llm.Listed{{Name: "tiny"}}, nil
}

func (network) Probe(_ context.Context, chat, _ config.Endpoint) []llm.Check {
	return []llm.Check{{OK: true, Sentence: "The model " + chat.Name + " answers."}}
}

func (network) Local() error {
	return domain.Errorf(domain.Invalid, "The model's files are missing: run clew model fetch.")
}

// stop stops the site if it still serves, and waits until it does not.
func (b *bench) stop(ctx context.Context, t *testing.T) {
	t.Helper()
	if b.served == nil {
		return
	}
	b.client.CloseIdleConnections() // Stop would wait for connections without a request
	testkit.Must(t, b.server.Stop(ctx))
	testkit.Must(t, <-b.served)
	b.served = nil
}

// newClient returns an HTTP client without cookies.
func newClient() *http.Client {
	jar := &cookies{}
	return &http.Client{Transport: inLibrary{&http.Transport{}}, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// inLibrary lets tests leave the workspace out of addresses: it is the library, in what is asked for, and taken off what is
// answered. TestAWorkspaceStandsInTheAddress sees addresses as they are.
type inLibrary struct{ *http.Transport }

const library = link.InWorkspace + "library"

func (t inLibrary) RoundTrip(r *http.Request) (*http.Response, error) {
	if at := link.Under("library", r.URL.EscapedPath()); !noPage(r.URL.Path) && at != r.URL.EscapedPath() {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = library+r.URL.Path, library+r.URL.EscapedPath()
	}
	for _, name := range []string{"HX-Current-URL", "Referer"} {
		if u, err := url.Parse(r.Header.Get(name)); err == nil && u.Path != "" {
			u.Path = link.Under("library", u.Path)
			r.Header.Set(name, u.String())
		}
	}
	answer, err := t.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Location", "HX-Redirect", "HX-Replace-Url", "Link"} {
		if value := answer.Header.Get(name); value != "" {
			answer.Header.Set(name, strings.ReplaceAll(value, library, ""))
		}
	}
	if kind := answer.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/event-stream") {
		answer.Body = &lined{lines: bufio.NewReader(answer.Body), Closer: answer.Body}
	} else if strings.HasPrefix(kind, "text/") || strings.Contains(kind, "json") {
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte(library), nil)))
	}
	return answer, nil
}

// noPage reports whether an address is of no page.
func noPage(path string) bool {
	return slices.ContainsFunc([]string{"/static/", "/healthz", "/livez", "/readyz", "/metrics", "/api/v1", "/v1", "/mcp", "/retrieval", "/.well-known"}, func(under string) bool { return strings.HasPrefix(path, under) })
}

// lined takes the workspace off each line of a stream.
type lined struct {
	lines *bufio.Reader
	rest  []byte
	io.Closer
}

func (l *lined) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		line, err := l.lines.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		l.rest = bytes.ReplaceAll(line, []byte(library), nil)
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// cookies is a cookie jar for one site, whose cookies differ by name alone.
type cookies struct{ all []*http.Cookie }

func (c *cookies) SetCookies(_ *url.URL, set []*http.Cookie) {
	for _, s := range set {
		c.all = append(slices.DeleteFunc(c.all, func(o *http.Cookie) bool { return o.Name == s.Name }), s)
	}
}
func (c *cookies) Cookies(*url.URL) []*http.Cookie { return c.all }

type reply struct {
	status int
	header http.Header
	body   string
}

// main returns the text of a page's main element, or the whole body without
// one.
func (r reply) main(t *testing.T) string {
	t.Helper()
	for _, n := range nodes(t, r.body, func(n *html.Node) bool { return n.Data == "main" }) {
		return domain.OneLine(text(n))
	}
	return r.body
}

// do sends a request; headers alternates names and values.
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

// upload is a file to upload.
type upload struct{ name, content string }

// form returns a multipart body with files, and its content type.
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

// send uploads files, with headers as for do.
func (b *bench) send(t *testing.T, files []upload, headers ...string) reply {
	t.Helper()
	body, kind := form(t, files...)
	return b.do(t, http.MethodPost, "/documents", body, append(headers, "Content-Type", kind)...)
}

// testTimeout bounds the wait for a stream or a request.
const testTimeout = 2 * time.Minute

type stream struct {
	lines *bufio.Scanner
	Close func()
}

type event struct{ id, name, data string }

func (b *bench) stream(t *testing.T, path string, headers ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
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

// next returns the next event, or false at the end of the stream.
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

// until reads events up to the first match and returns all it has read.
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

// nodes returns the matching elements of a page, in order.
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

// attr returns an attribute of an element, or "" if it has none.
func attr(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}

// text returns the text content of an element.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// marked returns the marked text of a page, joined by "|".
func marked(t *testing.T, body string) string {
	t.Helper()
	var all []string
	for _, n := range nodes(t, body, func(n *html.Node) bool { return attr(n, "data-testid") == "hit" }) {
		all = append(all, text(n))
	}
	return strings.Join(all, "|")
}

// fixture holds the document, the answer and the entity that fill creates.
type fixture struct {
	doc     domain.Document
	message ledger.Answer
	asking  ledger.Answer // waits for a person
	branch  ledger.Answer // of message
	entity  domain.EntityID
}

const foundry = "The Carrow Foundry cast the bells of Osterby. Agnes Lovibond wrote of it."

func (b *bench) fill(t *testing.T) fixture {
	t.Helper()
	f := fixture{doc: b.Read(t, "foundry.txt", foundry)}
	f.message = b.Answered(t, "", "What did the foundry cast?")
	f.asking = b.asks(t, "What did the foundry cast?", questions.Options{Review: true})
	var err error
	f.branch, err = b.Questions.Vary(t.Context(), questions.Variation{Workspace: testkit.Workspace, Message: f.message.Message, Purpose: questions.Again})
	testkit.Must(t, err)
	b.Watch(t, f.branch.Run)
	f.entity = domain.NewEntityID(testkit.Workspace, "Person", "agnes lovibond")
	if f.doc.Status != domain.DocumentReady || len(f.message.Citations) != 1 {
		t.Fatalf("document %+v, message %+v", f.doc, f.message)
	}
	return f
}

// asks asks a question that waits for a person.
func (b *bench) asks(t *testing.T, text string, o questions.Options) ledger.Answer {
	t.Helper()
	m, err := b.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: text, Options: o})
	testkit.Must(t, err)
	b.WaitForSleep(t, m.Run)
	return m
}

// pages returns the paths of all pages about the fixture.
func (f fixture) pages() []string {
	conversation := "/ask/" + string(f.message.Conversation)
	doc := "/documents/" + string(f.doc.ID)
	return []string{
		"/", "/find", "/find?q=foundry", "/documents", "/documents?tab=ready&q=foundry", "/documents/chosen?act=delete&all=1", "/documents/chosen?act=again&all=1", doc, doc + "/delete", doc + "?start=4&end=18", doc + "?find=bells", doc + "/chunks", doc + "/cited", "/ask", conversation,
		conversation + "/source/" + string(f.message.Message) + "/1", "/runs", "/runs/" + string(f.doc.Run), "/runs/" + string(f.message.Run),
		"/ask/" + string(f.asking.Conversation), "/runs/" + string(f.asking.Run),
		"/runs/" + string(f.branch.Run), "/runs/" + string(f.message.Run) + "/fork?step=2", conversation + "?branch=" + string(f.branch.Branch), "/branches/" + string(f.branch.Branch) + "/delete",
		conversation + "/methods/" + string(f.message.Message),
		"/compare?left=" + string(f.message.Run), "/compare?left=" + string(f.message.Run) + "&right=" + string(f.doc.Run),
		"/graph", "/graph?at=" + string(f.entity), "/graph?at=" + string(f.entity) + "&to=carrow&tag=letters&view=table", "/graph?q=agnes", "/graph?all=1",
		"/graph?doc=" + string(f.doc.ID), "/graph?answer=" + string(f.message.Message), "/themes", link.Entities, link.With(link.Entities, "q", "agnes"), "/review/changes", "/entities/" + string(f.entity), "/entities/" + string(f.entity) + "/rename",
		"/entities/" + string(f.entity) + "/merge?q=carrow", "/entities/" + string(f.entity) + "/split",
		"/entities/" + string(f.entity) + "/properties", "/entities/new", "/entities/new?document=" + string(f.doc.ID) + "&words=Carrow+Foundry",
		"/relations/new?document=" + string(f.doc.ID) + "&words=cast+the+bells", "/relations/new?source=" + string(f.entity),
		"/review", "/review?list=unlabelled", "/review?list=weak", "/review?list=contradictions", "/review?list=once&doc=" + string(f.doc.ID), "/review/alike/initials",
		"/documents/bill", "/settings", "/usage", "/usage?month=2020-02", "/prices", "/settings/prompts", "/settings/prompts/grade", "/settings/prompts/grade?from=0&to=1", "/settings?open=scans", "/settings?q=loops&only=changed", "/settings?role=embed", "/health", "/people", "/invitations", "/audit", "/accounts", "/tokens", "/webhooks", "/account", "/login",
		"/schema", "/schema?tag=letters", "/schema?template=minutes", "/schema?document=" + string(f.doc.ID), "/schema/versions", "/schema/yaml",
	}
}

// whole is a library of which all is embedded.
type whole struct{}

func (whole) Embedded(context.Context, domain.WorkspaceID) (e maintenance.Embedded, err error) {
	return e, nil
}

// probed is ready unless it has an error.
type probed struct{ err error }

// Ready implements Probed.
func (p *probed) Ready(context.Context) error { return p.err }
