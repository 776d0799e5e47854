package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/questions"
)

// aWeb is a search server with the pages that it finds. It answers as SearXNG 2026.8 does.
type aWeb struct {
	*scriptedSite
	mu      sync.Mutex
	status  int      // that a search answers with; 0 finds the pages
	finds   []string // addresses
	failing []string // engines that do not answer
	queries []string

	searchAt string // WEB_SEARCH_URL
}

func newWeb(t *testing.T) *aWeb {
	t.Helper()
	web := &aWeb{scriptedSite: newScriptedSite(t)}
	web.set("/hydrofoil", `<title>Hydrofoils &lt;script&gt;</title><h1>Hydrofoils</h1><p>Enrico Forlanini built the first hydrofoil in 1906 on Lake Maggiore.</p><p>`+strings.Repeat("It was a boat on ladders. ", 20)+`</p>`)
	web.set("/robots.txt", "\nUser-agent: *\nDisallow: /closed")
	web.set("/closed", "<title>Closed</title><p>Forlanini kept his hydrofoil closed.</p>")
	pages := web.URL
	web.finds = []string{pages + "/hydrofoil", pages + "/hydrofoil#again", pages + "/closed", pages + "/missing", "ftp://example.org/hydrofoil", "http://10.0.0.1/inner"}
	search := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.mu.Lock()
		defer web.mu.Unlock()
		query := r.URL.Query().Get("q")
		web.queries = append(web.queries, query)
		switch {
		case web.status != 0:
			http.Error(w, "<!doctype html>", web.status)
			return
		case r.URL.Path != "/searx/search" || r.URL.Query().Get("format") != "json":
			http.NotFound(w, r)
			return
		case query == "":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error": "No query"}`))
			return
		case strings.HasPrefix(query, "!!"):
			http.Redirect(w, r, "https://elsewhere.example/?q="+query, http.StatusFound)
			return
		}
		results, failing := []any{}, [][2]string{}
		for n, at := range web.finds {
			results = append(results, map[string]any{"url": at, "title": "A page", "content": "", "engine": "one", "engines": []string{"one"}, "positions": []int{n + 1}, "score": 1.0, "publishedDate": nil})
		}
		for _, engine := range web.failing {
			failing = append(failing, [2]string{engine, "Suspended: too many requests"})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"query": query, "results": results, "answers": []any{}, "corrections": []any{}, "infoboxes": []any{}, "suggestions": []any{}, "unresponsive_engines": failing})
	}))
	t.Cleanup(search.Close)
	web.searchAt = search.URL + "/searx/"
	return web
}

// refuse has searches answer with a status, 0 finds pages again.
func (web *aWeb) refuse(status int) {
	web.mu.Lock()
	defer web.mu.Unlock()
	web.status = status
}

func (web *aWeb) sent() []string {
	web.mu.Lock()
	defer web.mu.Unlock()
	return slices.Clone(web.queries)
}

const hydrofoil = "Who built the first hydrofoil?"

// TestTheWebIsALastResort asks the library, which has no answer, and then the web, whose answer is kept beside it: cited as the web's,
// replayed without a request, and not found by later questions.
func TestTheWebIsALastResort(t *testing.T) {
	t.Parallel()
	web := newWeb(t)
	sh := newShell(t, "WEB_ALLOW=127.0.0.1", "WEB_SEARCH_URL="+web.searchAt, "EMBED_PROVIDER=none")
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", foundry))
	asked := decoded[questions.Reply](t, sh.must(t, "ask", "--json", hydrofoil))
	if asked.Answered || asked.Web || len(web.sent()) > 0 {
		t.Fatalf("the library answers %+v, and the web was asked %q", asked, web.sent())
	}
	r := decoded[questions.Reply](t, sh.must(t, "run", "web", asked.Run, "--json"))
	if !r.Web || r.Answered || len(r.Citations) == 0 || !strings.Contains(r.Answer, "Enrico Forlanini") || !slices.Equal(web.sent(), []string{hydrofoil}) {
		t.Fatalf("the web answers %+v, asked %q", r, web.sent())
	}
	c := r.Citations[0]
	if c.Web.Address != web.URL+"/hydrofoil" || c.Address != c.Web.Address || c.Document != "Hydrofoils" || c.Web.Fetched.IsZero() || !strings.Contains(c.Text, "1906") {
		t.Errorf("it cites %+v", c)
	}
	if slices.Contains(web.asked, "/closed") || !slices.Contains(web.asked, "/missing") {
		t.Errorf("read %q", web.asked)
	}
	if out := sh.must(t, "run", "answer", r.Run); !strings.Contains(out, "From the web, not from the library:") || !strings.Contains(out, "(from the web, "+web.URL+"/hydrofoil, ") {
		t.Errorf("printed as\n%s", out)
	}
	if out := sh.must(t, "conversations", "show", string(asked.Conversation), "--json"); !strings.Contains(out, `"address": "`+web.URL+`/hydrofoil"`) {
		t.Errorf("exported as\n%s", out)
	}
	for _, says := range []string{"/closed", "robots.txt", "There is nothing at", "WEB_ALLOW"} {
		if out := sh.must(t, "run", "show", r.Run); !strings.Contains(out, says) {
			t.Errorf("the steps do not say %q:\n%s", says, out)
		}
	}
	before, pages := len(web.sent()), len(web.asked)
	if out := sh.must(t, "run", "replay", r.Run); !strings.Contains(out, "same  search_web") || strings.Contains(out, "differs") || len(web.sent()) != before || len(web.asked) != pages {
		t.Errorf("replayed: %s, and %d requests", out, len(web.sent())-before+len(web.asked)-pages)
	}
	again := decoded[questions.Reply](t, sh.must(t, "ask", "--json", hydrofoil))
	if len(again.Citations) > 0 || strings.Contains(again.Answer, "Forlanini") {
		t.Errorf("asked later, the library answers %+v", again)
	}
	if out := sh.must(t, "documents", "list"); strings.Contains(out, "Hydrofoils") {
		t.Errorf("the library has a page of the web:\n%s", out)
	}
	if out := sh.must(t, "audit", "list", "--everywhere", "--json"); !strings.Contains(out, `"run web"`) {
		t.Errorf("the trail does not say that the web was asked:\n%s", out)
	}
	other := decoded[questions.Reply](t, sh.must(t, "run", "web", asked.Run, "--json", "--question", "Forlanini hydrofoil"))
	if sent := web.sent(); sent[len(sent)-1] != "Forlanini hydrofoil" || other.Question != "Forlanini hydrofoil" {
		t.Errorf("sent %q for %q", sent, other.Question)
	}
	kept := func() int {
		pages, err := sh.app(t).ledger.WebPages(t.Context(), domain.DefaultWorkspace, domain.RunID(r.Run))
		noError(t, err)
		return len(pages)
	}
	if n := kept(); n != 4 {
		t.Errorf("%d pages are kept with the answer, want 4", n)
	}
	if _, err := sh.run(t, "run", "fork", r.Run, "--step", "0", "--set", "question=Who built it?"); err == nil || len(web.sent()) != before+1 {
		t.Errorf("a fork may change what is sent: %v", err)
	}
	sh.must(t, "run", "delete", r.Run)
	if n := kept(); n != 0 {
		t.Errorf("%d pages are left of a deleted answer", n)
	}
}

// TestRefusedSearchesOfTheWeb: each says what can be done.
func TestRefusedSearchesOfTheWeb(t *testing.T) {
	t.Parallel()
	web := newWeb(t)
	off := newShell(t, "EMBED_PROVIDER=none")
	off.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", foundry))
	unanswered := decoded[questions.Reply](t, off.must(t, "ask", "--json", hydrofoil))
	answered := decoded[questions.Reply](t, off.must(t, "ask", "--json", "Who founded the Carrow Foundry?"))
	on := off
	on.environ = append(slices.Clone(off.environ), "WEB_ALLOW=127.0.0.1", "WEB_SEARCH_URL="+web.searchAt)
	for _, tt := range []struct {
		name   string
		sh     shell
		status int
		args   []string
		says   string
	}{
		{"off", off, 0, []string{unanswered.Run}, "WEB_SEARCH_URL"},
		{"answered by the library", on, 0, []string{answered.Run}, "could not answer"},
		{"no run", on, 0, []string{"run0123456789abcdef0123"}, "There is no run"},
		{"too many words", on, 0, []string{unanswered.Run, "--question", strings.Repeat("hydrofoil ", 50)}, "at most 400"},
		{"without JSON", on, http.StatusForbidden, []string{unanswered.Run}, "formats: [html, json]"},
		{"moved", on, http.StatusMovedPermanently, []string{unanswered.Run}, "WEB_SEARCH_URL"},
		{"broken", on, http.StatusInternalServerError, []string{unanswered.Run}, "status 500"},
	} {
		web.refuse(tt.status)
		out, log, err := tt.sh.carryOut(t, append([]string{"run", "web"}, tt.args...)...)
		said := out.String() + log.String()
		if err != nil {
			said += err.Error()
		}
		if !strings.Contains(said, tt.says) {
			t.Errorf("%s: %v\n%s", tt.name, err, said)
		}
	}
	web.refuse(0)
	if out := on.must(t, "model", "test"); !strings.Contains(out, "The web search at") {
		t.Errorf("model test says %s", out)
	}
	web.finds = nil
	if r := decoded[questions.Reply](t, on.must(t, "run", "web", unanswered.Run, "--json")); r.Answer != "The web search found no page for this." || !r.Web {
		t.Errorf("without pages: %+v", r)
	}
	web.failing = []string{"wikipedia"}
	if out, log, err := on.carryOut(t, "run", "web", unanswered.Run); err == nil || !strings.Contains(out.String()+log.String()+err.Error(), "wikipedia: Suspended: too many requests") {
		t.Errorf("without engines: %v\n%s%s", err, out, log)
	}
	web.finds = []string{web.URL + "/missing"}
	if r := decoded[questions.Reply](t, on.must(t, "run", "web", unanswered.Run, "--json")); !strings.Contains(r.Answer, "There is nothing at") {
		t.Errorf("with a page that can't be read: %+v", r)
	}
}

// TestAModelAnswersFromTheWeb: its words are checked beside the pages, which stand in fences, and the sources are the web's.
func TestAModelAnswersFromTheWeb(t *testing.T) {
	t.Parallel()
	web := newWeb(t)
	model := obliging(t)
	model.First(llmtest.Tool("chart"), llmtest.Say("Enrico Forlanini built it in 1906. [1]"))
	sh := newShell(t, "WEB_ALLOW=127.0.0.1", "WEB_SEARCH_URL="+web.searchAt, "EMBED_PROVIDER=none", "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=tiny", "EXTRACT_MODE=tool", "MAX_LOOPS=0")
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", foundry))
	asked := decoded[questions.Reply](t, sh.must(t, "ask", "--json", hydrofoil))
	r := decoded[questions.Reply](t, sh.must(t, "run", "web", asked.Run, "--json"))
	if !r.Web || !strings.Contains(r.Answer, "Enrico Forlanini built it in 1906. [1]") || len(r.Citations) != 1 || r.Citations[0].Web.Address != web.URL+"/hydrofoil" || r.Tokens == 0 {
		t.Errorf("the library answers %q, the web %+v", asked.Answer, r)
	}
	for _, request := range model.Requests(llmtest.Tool("grade_passage")) {
		if _, err := llmtest.Fences(request); err != nil {
			t.Error(err)
		}
	}
}
