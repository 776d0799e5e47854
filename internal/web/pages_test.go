package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/web/middleware"
)

// forbidden returns what the policy would block of an element, or "".
func forbidden(n *html.Node) string {
	switch {
	case n.Data == "style":
		return "a style sheet in the page"
	case n.Data == "script" && attr(n, "src") == "":
		return "a script in the page"
	case n.Data == "base" || n.Data == "iframe" || n.Data == "object":
		return "an element " + n.Data
	}
	for _, a := range n.Attr {
		value := strings.ToLower(strings.TrimSpace(a.Val))
		switch {
		case a.Key == "style":
			return "a style attribute on " + n.Data
		case strings.HasPrefix(a.Key, "on"), strings.HasPrefix(a.Key, "hx-on"):
			return "a handler " + a.Key + " on " + n.Data
		case strings.HasPrefix(value, "javascript:"), strings.HasPrefix(value, "//"), strings.HasPrefix(value, "http://"), strings.HasPrefix(value, "https://"):
			if slices.Contains([]string{"href", "src", "action", "formaction"}, a.Key) {
				return a.Key + " leads to " + a.Val
			}
		}
	}
	return ""
}

func TestPagesFollowTheContentSecurityPolicy(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	for _, path := range append(f.pages(), "/nothing") {
		p := b.get(t, path)
		csp := p.header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%s: Content-Security-Policy %q", path, csp)
		}
		for _, n := range nodes(t, p.body, func(n *html.Node) bool { return forbidden(n) != "" }) {
			t.Errorf("%s holds %s", path, forbidden(n))
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if got := p.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if vary := strings.Join(p.header.Values("Vary"), ", "); !strings.Contains(vary, "HX-Request") || !strings.Contains(vary, "Accept") {
			t.Errorf("%s: Vary is %q", path, vary)
		}
		if p.header.Get("X-Request-Id") == "" {
			t.Errorf("%s has no id for the log", path)
		}
	}
}

func TestForbiddenCatchesWhatThePolicyBlocks(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"<style>a{}</style>", "<script>1</script>", `<p style="color:red">`, `<img onerror="x">`, `<div hx-on:click="x">`,
		`<a href=" JavaScript:alert(1)">`, `<script src="https://cdn.example/x.js"></script>`, `<a href="//evil.example">`,
	} {
		if len(nodes(t, bad, func(n *html.Node) bool { return forbidden(n) != "" })) == 0 {
			t.Errorf("%s is not caught", bad)
		}
	}
}

func TestUserTextIsEscaped(t *testing.T) {
	t.Parallel()
	const attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	b := open(t, testkit.Options{})
	name := `<img src=x onerror=alert(1)>.md`
	p := b.send(t, []upload{{name, "# <script>alert(1)</script> & Maud Ferring\n\nThe Foundry </mark><script>alert(2)</script> of Agnes Lovibond, cast " + attack + "."}}, "Accept", "application/json")
	doc := b.Settle(t, b.Document(t, results(t, p)[0].ID))
	if doc.Name != name {
		t.Fatalf("name %q", doc.Name)
	}
	m := b.Answered(t, "", "What did the foundry cast? "+attack)
	f := fixture{doc: doc, message: m, entity: domain.NewEntityID(testkit.Workspace, "Person", "agnes lovibond")}
	query := "?" + url.Values{"q": {attack}, "label": {attack}, "tab": {attack}, "done": {attack}, "kind": {attack}, "next": {attack}}.Encode()
	for _, path := range append(f.pages(), "/documents"+query, "/graph"+query+"&view=table", "/graph"+query, "/ask"+query, "/runs"+query, "/login"+query, "/documents/"+url.PathEscape(attack)) {
		page := b.get(t, path)
		for _, n := range nodes(t, page.body, func(n *html.Node) bool { return forbidden(n) != "" }) {
			t.Errorf("%s holds %s", path, forbidden(n))
		}
	}
	if p := b.post(t, "/ask", url.Values{"question": {strings.Repeat(attack, 100)}}); len(nodes(t, p.body, func(n *html.Node) bool { return forbidden(n) != "" })) > 0 {
		t.Error("a question that is sent back is not escaped")
	}
	if p := b.get(t, "/documents"); !strings.Contains(p.main(t), name) {
		t.Error("the name is not shown as it is")
	}
}

func TestUserTextInEventsIsEscaped(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "a.txt", "The foundry cast <script>alert(1)</script> of Agnes Lovibond.")
	m := b.Answered(t, "", "What did the foundry <script>alert(2)</script> cast?")
	s := b.stream(t, "/runs/"+string(m.Run)+"/events")
	for _, e := range s.until(t, "the end", func(e event) bool { return e.name == "end" }) {
		if e.name != "token" && e.name != "text" && strings.Contains(e.data, "<script") {
			t.Errorf("event %s holds a script: %s", e.name, e.data)
		}
	}
}

func TestErrorsRevealOnlyTheirMessage(t *testing.T) {
	t.Parallel()
	secret := errors.New("sql: no such column password_hash at /srv/clew/data")
	for _, tt := range []struct {
		name   string
		err    error
		status int
		says   string
	}{
		{"inside", secret, 500, "An internal error occurred."},
		{"with a cause", domain.Because(domain.Exhausted, secret, "The disk is full."), 507, "The disk is full."},
		{"wrapped", errors.Join(errors.New("read the store"), domain.Because(domain.Unavailable, secret, "The store does not answer.")), 503, "The store does not answer."},
		{"a kind that is inside", domain.Because(domain.Internal, secret, "Column password_hash is missing."), 500, "An internal error occurred."},
		{"of the router", echo.NewHTTPError(418, secret.Error()), 500, "An internal error occurred."},
		{"too large", &http.MaxBytesError{Limit: 16 << 10}, 413, "The request is larger than 16 KB, the most that is read at this address."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, testkit.Options{Idle: true})
			b.server.pages.Load().GET("/broken", func(echo.Context) error { return tt.err })
			for _, accept := range []string{"text/html", "application/json"} {
				p := b.get(t, "/broken", "Accept", accept)
				if p.status != tt.status || !strings.Contains(p.body, tt.says) {
					t.Errorf("%s: status %d, page says %q", accept, p.status, p.main(t))
				}
				if strings.Contains(p.body, "password_hash") || strings.Contains(p.body, "/srv") {
					t.Errorf("%s: the page reveals internals: %s", accept, p.main(t))
				}
				if accept == "text/html" && !strings.Contains(p.body, p.header.Get("X-Request-Id")) {
					t.Error("the page lacks the request id to find in the log")
				}
			}
		})
	}
}

func TestAPanicBecomesAnErrorPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.server.pages.Load().GET("/broken", func(echo.Context) error { panic("secret") })
	if p := b.get(t, "/broken"); p.status != 500 || strings.Contains(p.body, "secret") {
		t.Errorf("status %d, page says %q", p.status, p.main(t))
	}
}

func TestRecoverPassesOnErrAbortHandler(t *testing.T) {
	t.Parallel()
	h := middleware.Recover(func(echo.Context) error { panic(http.ErrAbortHandler) })
	defer func() {
		if r := recover(); r != http.ErrAbortHandler {
			t.Errorf("recovered %v", r)
		}
	}()
	_ = h(echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()))
	t.Error("the abort was swallowed")
}

func TestFragmentsAndPages(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	source := "/ask/" + string(f.message.Conversation) + "/source/" + string(f.message.Message) + "/1"
	for _, tt := range []struct {
		name  string
		reply reply
		whole bool
	}{
		{"a source, by itself", b.get(t, source), true},
		{"a source, by htmx", b.get(t, source, "HX-Request", "true"), false},
		{"a source, boosted", b.get(t, source, "HX-Request", "true", "HX-Boosted", "true"), true},
		{"a source, going back", b.get(t, source, "HX-Request", "true", "HX-History-Restore-Request", "true"), true},
		{"a test, by itself", b.post(t, "/settings/test", nil), true},
		{"a test, by htmx", b.post(t, "/settings/test", nil, "HX-Request", "true"), false},
	} {
		if whole := strings.Contains(tt.reply.body, "<html"); tt.reply.status != 200 || whole != tt.whole {
			t.Errorf("%s: status %d, whole page: %t, want %t", tt.name, tt.reply.status, whole, tt.whole)
		}
	}
	if p := b.post(t, "/settings/test", nil, "HX-Request", "true"); !strings.Contains(p.body, "It answers.") {
		t.Errorf("the test says %s", p.body)
	}
}

func TestSourcesOfAnEntityAreNamed(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	const many = 35 // more than passages are shown
	for i := range many {
		b.Add(t, fmt.Sprintf("letter-%d.txt", i), fmt.Sprintf("In letter %d Agnes Lovibond asks for copper.", i))
	}
	for _, d := range b.documents(t) {
		b.Settle(t, d)
	}
	p := b.get(t, "/entities/"+string(domain.NewEntityID(testkit.Workspace, "Person", "agnes lovibond")))
	for _, d := range b.documents(t) {
		if strings.Contains(p.main(t), string(d.ID)) || !strings.Contains(p.main(t), d.Name) {
			t.Errorf("%s is not called by its name", d.Name)
		}
	}
}

func TestTheSameRunIsDrawnAgain(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	picture := func(path string) string {
		found := nodes(t, b.get(t, path).body, func(n *html.Node) bool { return attr(n, "data-testid") == "graph" })
		if len(found) != 1 {
			t.Fatalf("%s draws %d graphs", path, len(found))
		}
		var out strings.Builder
		testkit.Must(t, html.Render(&out, found[0]))
		return out.String()
	}
	page := picture("/runs/" + string(f.message.Run))
	if again := picture("/runs/" + string(f.message.Run)); again != page {
		t.Error("the second look differs from the first")
	}
	if beside := picture("/ask/" + string(f.message.Conversation)); beside != page {
		t.Error("the picture beside the answer differs from that on the page of the run")
	}
	if !strings.Contains(page, `data-node="grade_documents" data-state="seen"`) && !strings.Contains(page, `data-node="grade_documents" data-state="done"`) {
		t.Errorf("the grading is not drawn as done: %s", page)
	}
}
