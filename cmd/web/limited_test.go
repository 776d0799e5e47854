package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/internal/web/mcp"
	"github.com/clewhq/clew/views/link"
)

// What everybody may read, and what only ada may. The hidden documents know other names for what the others name, relate it
// otherwise, and have words that the others lack.
var (
	openPapers = map[string]string{
		"foundry.txt": "Maud Ferring founded the Carrow Foundry in 1871. The Carrow Foundry cast the bell Great Margery in 1872. Maud Ferring lived in Velmdale.",
		"bridge.txt":  "Aldous Penn built the Osterby Bridge in 1880. The Osterby Bridge crosses the Lenn. Aldous Penn worked for the Carrow Foundry.",
		"school.txt":  "The Velmdale School was opened by Maud Ferring in 1890. Great Margery hangs in the tower of the Velmdale School.",
	}
	hiddenPapers = map[string]string{
		"payroll.txt":        "Aldous Penn was paid nine shillings by the Carrow Foundry. Ivo Threnody was the cashier of the Carrow Foundry. Ivo Threnody married Maud Ferring.",
		"Osterby Bridge.txt": "The Osterby Bridge was condemned in 1901. Ivo Threnody wrote the report on the Osterby Bridge. Maud Ferring knew the engineer Aldous Penn.",
	}
	askedOfBoth = []string{
		"Who founded the Carrow Foundry?", "Who was the cashier of the Carrow Foundry?", "When was the Osterby Bridge condemned?", "Who is Ivo Threnody?",
		"What did Aldous Penn do?", "What is this library about?", "How many people are named?",
	}
)

// peopled is a server with accounts, of which one program asks as one of them.
type peopled struct {
	t      *testing.T
	sh     shell
	server *served
	beside *served // pages of another process, if there is one
	url    string
	secret map[string]string
	ids    map[string]string
}

func openPeopled(t *testing.T, environ ...string) *peopled {
	t.Helper()
	return newShell(t, environ...).peopled(t)
}

// peopled adds accounts and serves.
func (sh shell) peopled(t *testing.T) *peopled {
	t.Helper()
	sh.stdin = "correct horse battery staple\n"
	l := &peopled{t: t, sh: sh, secret: map[string]string{}, ids: map[string]string{}}
	for _, one := range [][]string{{"ada", "owner", "read", "ask", "documents:write", "admin"}, {"owen", "curator", "read", "ask", "documents:write", "graph:write", "evaluate", "summarize"}, {"iris", "reader", "read", "ask"}} {
		sh.must(t, "user", "add", one[0], "--role", "owner")
		l.secret[one[0]], _, _ = strings.Cut(sh.must(t, "token", "create", one[0], "--scope", strings.Join(one[2:], ","), "--account", one[0]), "\n")
		sh.must(t, "user", "role", one[0], one[1])
	}
	l.server = sh.serve(t)
	l.url = l.server.url
	return l
}

// send sends a request as an account, and returns the status and the text of the answer.
func (l *peopled) send(who, method, path string, body any) (int, string) {
	l.t.Helper()
	text, err := json.Marshal(body)
	noError(l.t, err)
	r, err := http.NewRequestWithContext(l.t.Context(), method, l.url+api.Root+path, bytes.NewReader(text))
	noError(l.t, err)
	r.Header.Set("Authorization", "Bearer "+l.secret[who])
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	noError(l.t, err)
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	noError(l.t, err)
	return answer.StatusCode, string(got)
}

// must is send for requests that can't fail.
func (l *peopled) must(who, method, path string, body any) string {
	l.t.Helper()
	status, text := l.send(who, method, path, body)
	if status > 299 {
		l.t.Fatalf("%s %s answers %d: %s", method, path, status, text)
	}
	return text
}

// add adds documents as an account, one after the other.
func (l *peopled) add(who string, papers map[string]string, limit ...string) {
	l.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(papers)) {
		l.must(who, http.MethodPost, "/documents", map[string]any{"name": name, "text": papers[name], "wait": 60, "limit_to": limit})
	}
}

// aTaken is a field with how long something took.
var aTaken = regexp.MustCompile(`"(ms|took|took_ms|p50|p95|p50_ms|p95_ms|seconds)":\s*[0-9.]+`)

// aRun is an id that is drawn, other than those of documents, passages and entities.
var aRun = regexp.MustCompile(`\b(run|[hkmps])[0-9a-f]{24}\b`)

// aFormKey is what a form is known again by, aRequest an id in the log, and aDuration how long something took, in words, which drawings leave
// out where it is short.
var (
	aRequest  = regexp.MustCompile(`<code>[0-9a-f]{16}</code>`)
	drawnTime = regexp.MustCompile(`<text class="m" [^>]*></text>`)
	aFormKey  = regexp.MustCompile(`name="form_key" value="[^"]*"`)
	aDuration = regexp.MustCompile(`(?:< ?|&lt; ?)?\b\d+(?:\.\d+)?\s?(?:ms|s|seconds?|minutes?)\b`)
)

// plain returns a text without times and without the ids that are drawn.
func (l *peopled) plain(text string) string {
	text = aTime.ReplaceAllString(text, "TIME")
	text = aTaken.ReplaceAllString(text, `"$1":0`)
	for _, secret := range l.secret {
		text = strings.ReplaceAll(text, secret[:9], "SECRET")
	}
	text = aFormKey.ReplaceAllString(strings.ReplaceAll(text, strings.TrimPrefix(l.url, "http://"), "HOST"), `name="form_key"`)
	text = aRequest.ReplaceAllString(drawnTime.ReplaceAllString(aDuration.ReplaceAllString(text, ""), ""), "")
	return aRun.ReplaceAllStringFunc(text, func(id string) string {
		if l.ids[id] == "" {
			l.ids[id] = fmt.Sprintf("%s#%d", aRun.FindStringSubmatch(id)[1], len(l.ids)+1)
		}
		return l.ids[id]
	})
}

// TestWhatIsHiddenIsAsIfItWasNotThere compares what a member sees of a library with hidden documents with a library that never
// had them, at each route that reads, and what is answered.
func TestWhatIsHiddenIsAsIfItWasNotThere(t *testing.T) {
	t.Parallel()
	t.Run("built-in", func(t *testing.T) {
		t.Parallel()
		comparesWithout(t)
	})
	t.Run("model", func(t *testing.T) {
		t.Parallel()
		model := obliging(t)
		comparesWithout(t, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=tiny", "LLM_API_KEY=key", "EXTRACT_MODE=tool")
	})
}

func comparesWithout(t *testing.T, environ ...string) {
	t.Helper()
	without, with := openPeopled(t, environ...), openPeopled(t, environ...)
	without.add("owen", openPapers)
	with.add("ada", map[string]string{"payroll.txt": hiddenPapers["payroll.txt"]}, "ada") // limited from the start
	with.add("owen", openPapers)
	with.add("ada", map[string]string{"Osterby Bridge.txt": hiddenPapers["Osterby Bridge.txt"]})
	with.must("ada", http.MethodPost, "/documents/limit", map[string]any{"documents": []string{"Osterby Bridge.txt"}, "to": []string{}})
	same := func(who, method, path string, body any) {
		t.Helper()
		var got [2]string
		for i, l := range []*peopled{without, with} {
			status, text := l.send(who, method, path, body)
			got[i] = fmt.Sprintf("%d %s", status, l.plain(text))
		}
		if diff := gocmp.Diff(got[0], got[1]); diff != "" {
			t.Errorf("%s %s %v tells of hidden documents (-without +with):\n%s", method, path, body, diff)
		}
		for _, word := range []string{"Threnody", "payroll", "condemned", "shillings"} {
			if strings.Contains(strings.ReplaceAll(got[1], askedWords(body), ""), word) && !strings.Contains(got[0], word) {
				t.Errorf("%s %s has the word %s", method, path, word)
			}
		}
	}
	ids := without.found("owen")
	for _, path := range ids {
		same("owen", http.MethodGet, path, nil)
	}
	for _, q := range askedOfBoth {
		same("owen", http.MethodPost, "/search", map[string]any{"question": q})
		same("owen", http.MethodPost, "/ask", map[string]any{"question": q})
		for _, method := range []string{"words", "walk", "hybrid"} {
			same("owen", http.MethodPost, "/search", map[string]any{"question": q, "method": method, "limit": 20})
		}
	}
	for _, path := range []string{"/runs", "/runs?kind=ingest", "/runs?kind=answer", "/conversations", "/suggestions", "/usage", "/usage/runs"} {
		same("owen", http.MethodGet, path, nil)
	}
	samePages(t, without, with)
	sameTools(t, without, with)
	// The same file, added by somebody else, is not said to be there.
	same("owen", http.MethodPost, "/documents", map[string]any{"name": "note.txt", "text": hiddenPapers["payroll.txt"], "wait": 60})
	for _, path := range ids {
		same("owen", http.MethodGet, path, nil)
	}
	if text := with.must("ada", http.MethodPost, "/ask", map[string]any{"question": "Who was the cashier of the Carrow Foundry?"}); !strings.Contains(text, "payroll.txt") {
		t.Errorf("who may read it is not answered: %s", text)
	}
}

// sameShown compares what owen is shown of two libraries.
func sameShown(t *testing.T, what, without, with string) {
	t.Helper()
	if diff := gocmp.Diff(strings.Split(without, "\n"), strings.Split(with, "\n")); diff != "" {
		t.Errorf("%s tells of hidden documents (-without +with):\n%.3000s", what, diff)
	}
}

// samePages opens the pages that a curator may open, with the first events of the streams behind them.
func samePages(t *testing.T, without, with *peopled) {
	t.Helper()
	paths := []string{
		link.Home, link.Find + "?q=pay", link.Documents, link.Within + "?q=pay", link.Themes, link.Entities, link.Summaries, link.Runs, link.With(link.Runs, "kind", "ingest"), link.With(link.Runs, "kind", "answer"), link.Evaluation, link.KeptQuestions,
		link.NewQuestion, link.Conversations, link.Ask, link.Bill, link.DocumentsEvents, link.Review, link.Schema, link.LimitedDocuments, link.NewSummary(),
	}
	for _, of := range without.found("owen") {
		if strings.HasPrefix(of, "/documents/d") && strings.Count(of, "/") == 2 || strings.HasPrefix(of, "/entities/e") && strings.Count(of, "/") == 2 {
			paths = append(paths, of)
		}
	}
	shown := func(l *peopled) []string {
		p := l.server.person(t)
		p.signsIn(t, "owen", "correct horse battery staple", http.StatusSeeOther)
		all := make([]string, len(paths))
		for i, path := range paths {
			all[i] = l.plain(p.first(t, library(path)))
		}
		return all
	}
	before, after := shown(without), shown(with)
	for i, path := range paths {
		if !strings.HasPrefix(before[i], "200 ") && path != link.LimitedDocuments && path != link.Ask {
			t.Errorf("the page %s is not tried: %.200s", path, before[i])
		}
		sameShown(t, "the page "+path, before[i], after[i])
	}
}

// first returns the status and the text of a page, or what a stream sends at first.
func (p person) first(t *testing.T, path string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
	noError(t, err)
	response, err := p.client.Do(r)
	noError(t, err)
	defer response.Body.Close()
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		defer time.AfterFunc(time.Second, cancel).Stop()
	}
	text, _ := io.ReadAll(response.Body) // a stream ends with an error
	return fmt.Sprintf("%d %s", response.StatusCode, text)
}

// sameTools calls the tools of models that read.
func sameTools(t *testing.T, without, with *peopled) {
	t.Helper()
	args := []map[string]any{
		{"id": "payroll.txt", "query": "cashier", "question": "Who was the cashier?", "name": "Ivo Threnody", "entity": "Ivo Threnody", "from": "Maud Ferring", "to": "Ivo Threnody", "of": "Person", "wait": 120},
		{"id": "foundry.txt", "query": "Penn", "question": "Who built the Osterby Bridge?", "name": "Aldous Penn", "entity": "Aldous Penn", "from": "Maud Ferring", "to": "Aldous Penn", "of": "Person", "wait": 120},
	}
	said := func(l *peopled) []string {
		c := connect(t, &sdk.StreamableClientTransport{Endpoint: l.url + mcp.Path, HTTPClient: &http.Client{Transport: withToken{l.secret["owen"]}}, DisableStandaloneSSE: true})
		list, err := c.ListTools(t.Context(), nil)
		noError(t, err)
		var all []string
		for _, tool := range list.Tools {
			if !slices.Contains(toolsToRead, tool.Name) {
				continue
			}
			schema, _ := tool.InputSchema.(map[string]any)
			known, _ := schema["properties"].(map[string]any)
			for _, given := range args {
				fields := map[string]any{}
				if tool.Name == "study" {
					fields["kind"], fields["all"] = "cards", true
				}
				for name, v := range given {
					if known[name] != nil {
						fields[name] = v
					}
				}
				out, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool.Name, Arguments: fields})
				all = append(all, fmt.Sprint(tool.Name, " of ", fields, ":\n", l.plain(fmt.Sprint(asText(out), err))))
			}
		}
		return all
	}
	before, after := said(without), said(with)
	if len(before) != len(after) || len(before) != 2*len(toolsToRead) {
		t.Fatalf("%d calls of tools, and %d", len(before), len(after))
	}
	for i := range before {
		sameShown(t, "the tool "+strings.SplitN(before[i], "\n", 2)[0], before[i], after[i])
	}
}

// TestIngestLimitsWhatItAdds limits files as they are added, here and on a server.
func TestIngestLimitsWhatItAdds(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.stdin = "correct horse battery staple\n"
	for _, name := range []string{"ada", "maud"} {
		sh.must(t, "user", "add", name, "--role", "owner")
	}
	sh.must(t, "user", "groups", "maud", "board")
	folder := t.TempDir()
	if out, err := sh.run(t, "ingest", file(t, folder, "strange.txt", "Ivo Threnody was the cashier."), "--limit-to", "nobody"); err == nil || !strings.Contains(fmt.Sprint(out, err), "nobody is not a member") {
		t.Errorf("limited to a stranger: %s %v", out, err)
	}
	sh.must(t, "ingest", file(t, folder, "payroll.txt", hiddenPapers["payroll.txt"]), "--limit-to", "maud", "--limit-to", "group:board")
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "ada", "--scope", "read,documents:write", "--account", "ada"), "\n")
	far := newShellWithoutData(t, "CLEW_SERVER="+sh.serve(t).url, "CLEW_TOKEN="+secret)
	far.must(t, "ingest", file(t, folder, "bridge.txt", openPapers["bridge.txt"]), "--limit-to", "group:board")
	if out := far.must(t, "documents", "readers", "bridge.txt"); !strings.Contains(out, "ada, group:board") {
		t.Errorf("the server says %s", out)
	}
	if out := far.must(t, "documents", "list"); strings.Contains(out, "payroll.txt") || !strings.Contains(out, "bridge.txt") {
		t.Errorf("ada sees %s", out)
	}
	if out := sh.must(t, "documents", "limited"); !strings.Contains(out, "payroll.txt") || !strings.Contains(out, "maud, group:board") || strings.Contains(out, "strange.txt") {
		t.Errorf("limited are %s", out)
	}
}

// TestWhatIsFetchedOrFollowedIsLimited limits what comes from the web and from a folder as it comes, and shows the run that fetches it
// to whoever asked for it alone. Somebody else who fetches the same address gets a document of their own.
func TestWhatIsFetchedOrFollowedIsLimited(t *testing.T) {
	t.Parallel()
	site := newScriptedSite(t)
	l := openPeopled(t, "WEB_ALLOW=127.0.0.1")
	address := site.URL + "/docs/bridge"
	fetch := func(who string, limit ...string) string {
		return value(t, "["+l.must(who, http.MethodPost, "/documents/fetch", map[string]any{"address": address, "limit_to": limit})+"]", 0, "run")
	}
	bridges := func(who string) int {
		return strings.Count(l.must(who, http.MethodGet, "/documents", nil), "docs bridge.html")
	}
	fetched := func(who string, want int) {
		t.Helper()
		for range 600 {
			if bridges(who) == want {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("%s sees %d documents from %s, want %d", who, bridges(who), address, want)
	}
	run := fetch("ada", "ada")
	fetched("ada", 1)
	if text := l.must("ada", http.MethodGet, "/runs?kind=crawl", nil); !strings.Contains(text, run) {
		t.Errorf("ada's list of runs lacks it: %s", text)
	}
	if status, text := l.send("owen", http.MethodGet, "/runs/"+run, nil); status != http.StatusNotFound {
		t.Errorf("owen sees the run that fetches it: %d %s", status, text)
	}
	if text := l.must("owen", http.MethodGet, "/runs?kind=crawl", nil); strings.Contains(text, run) {
		t.Errorf("owen's list of runs has it: %s", text)
	}
	if n := bridges("owen"); n != 0 {
		t.Errorf("owen sees %d documents of it", n)
	}
	fetch("owen")
	fetched("owen", 1)
	fetched("ada", 2)

	folder := t.TempDir()
	file(t, folder, "payroll.txt", hiddenPapers["payroll.txt"])
	l.sh.must(t, "watch", "--once", "--settle", "0s", "--limit-to", "ada", folder)
	l.sh.must(t, "ingest", site.URL+"/docs/school", "--limit-to", "ada")
	for name, want := range map[string]bool{"ada": true, "owen": false} {
		for _, of := range []string{"payroll", "School"} {
			if text := l.must(name, http.MethodGet, "/documents", nil); strings.Contains(text, of) != want {
				t.Errorf("%s sees %s: %v", name, of, !want)
			}
		}
	}
	l.must("owen", http.MethodPost, "/documents", map[string]any{"name": "note.txt", "text": "The bell is cracked.", "wait": 60})
	if status, text := l.send("owen", http.MethodPost, "/documents", map[string]any{"name": "note.txt", "text": "The bell was sold in secret.", "limit_to": []string{"ada"}}); !strings.Contains(text, "Every member may read") {
		t.Errorf("the next version of what everybody reads is limited: %d %s", status, text)
	}
}

// TestGroupsReadWhatIsLimitedToThem has members join and leave a group, and asks as they do.
func TestGroupsReadWhatIsLimitedToThem(t *testing.T) {
	t.Parallel()
	l := openPeopled(t)
	l.add("owen", openPapers)
	if status, text := l.send("ada", http.MethodPost, "/documents", map[string]any{"name": "payroll.txt", "text": hiddenPapers["payroll.txt"], "limit_to": []string{"group:board"}}); status != http.StatusUnprocessableEntity && status != http.StatusBadRequest {
		t.Errorf("limited to a group that is not there: %d %s", status, text)
	}
	l.sh.must(t, "user", "groups", "iris", "board")
	l.add("ada", map[string]string{"payroll.txt": hiddenPapers["payroll.txt"]}, "group:board")
	knows := func(when, who string, want bool) {
		t.Helper()
		for path, word := range map[string]string{"/documents": "payroll.txt", "/entities?limit=200": "Threnody", "/documents/payroll.txt/text": "Threnody"} {
			if _, text := l.send(who, http.MethodGet, path, nil); strings.Contains(text, word) != want {
				t.Errorf("%s: %s of %s has %s: %v", when, path, who, word, !want)
			}
		}
		if text := l.must(who, http.MethodPost, "/ask", map[string]any{"question": "Who was the cashier of the Carrow Foundry?"}); strings.Contains(text, "Threnody") != want {
			t.Errorf("%s: %s is answered %s", when, who, text)
		}
	}
	knows("a member", "iris", true)
	knows("no member", "owen", false)
	l.sh.must(t, "user", "groups", "owen", "board")
	knows("joined", "owen", true)
	l.sh.must(t, "user", "groups", "iris", "choir")
	knows("left", "iris", false)
	l.sh.must(t, "user", "groups", "owen", "directors") // the board under another name: what is limited to it is to be limited anew
	knows("renamed", "owen", false)
	knows("who added it", "ada", true)
	if text := l.sh.must(t, "documents", "limited"); !strings.Contains(text, "no member is in the group board") {
		t.Errorf("a group nobody is in is listed as %s", text)
	}
	l.must("ada", http.MethodPost, "/documents/limit", map[string]any{"documents": []string{"payroll.txt"}, "to": []string{"group:directors"}})
	knows("limited anew", "owen", true)
}

// TestARunReadsNoMoreThanItsPersonCould takes a document away from a person and gives them another one while their questions wait to be
// written: the first is not written from, and the second not found before they ask anew.
func TestARunReadsNoMoreThanItsPersonCould(t *testing.T) {
	t.Parallel()
	l := openPeopled(t)
	l.add("ada", openPapers)
	l.add("ada", map[string]string{"payroll.txt": hiddenPapers["payroll.txt"]}, "ada")
	const built, cashier = "Who built the Osterby Bridge?", "Who was the cashier of the Carrow Foundry?"
	ask := func(question string) (run, text string) {
		text = l.must("owen", http.MethodPost, "/ask", map[string]any{"question": question, "stop_before_writing": true, "hint": true})
		return value(t, "["+text+"]", 0, "run"), text
	}
	goOn := func(run string, with map[string]any) string {
		with["wait"] = 60
		return l.must("owen", http.MethodPost, "/runs/"+run+"/continue", with)
	}
	taken, text := ask(built)
	if !strings.Contains(text, `"asks"`) {
		t.Fatalf("it does not wait: %s", text)
	}
	given, _ := ask(cashier)
	l.must("ada", http.MethodPost, "/documents/limit", map[string]any{"documents": []string{"bridge.txt"}, "to": []string{}})
	l.must("ada", http.MethodPost, "/documents/limit", map[string]any{"documents": []string{"payroll.txt"}, "to": []string{"owen"}})
	if text := goOn(taken, map[string]any{}); strings.Contains(text, "Aldous Penn built") || strings.Contains(text, "bridge.txt") {
		t.Errorf("it is written from what was taken away: %s", text)
	}
	if text := goOn(given, map[string]any{"hint": "Ivo Threnody cashier"}); strings.Contains(text, "Threnody was the cashier") || strings.Contains(text, "payroll.txt") {
		t.Errorf("it reads what its person could not when they asked: %s", text)
	}
	if text := l.must("owen", http.MethodPost, "/ask", map[string]any{"question": cashier}); !strings.Contains(text, "Threnody was the cashier") {
		t.Errorf("asked anew: %s", text)
	}
	if text := l.must("owen", http.MethodPost, "/ask", map[string]any{"question": built}); strings.Contains(text, "Aldous Penn built") {
		t.Errorf("asked anew of what was taken away: %s", text)
	}
}

func askedWords(body any) string {
	if m, ok := body.(map[string]any); ok {
		return fmt.Sprint(m["question"])
	}
	return ""
}

// found returns the addresses of everything in the library that an account sees.
func (l *peopled) found(who string) []string {
	l.t.Helper()
	paths := []string{
		"/documents", "/documents?limit=200", "/reading", "/dropped", "/entities?limit=200", "/graph", "/themes", "/counts?of=Person", "/worklist", "/review", "/changes",
		"/suggestions", "/schema", "/schema/versions", "/evaluation/questions", "/evaluation/sets", "/summaries", "/feedback", "/health",
		"/workspaces", "/documents/payroll.txt", "/documents/payroll.txt/text", "/documents/payroll.txt/readers", "/entities/Ivo%20Threnody", "/paths?from=Maud%20Ferring&to=Ivo%20Threnody",
		"/paths?from=Maud%20Ferring&to=Aldous%20Penn", "/limited",
	}
	var entities []struct{ ID string }
	noError(l.t, json.Unmarshal([]byte(itemsOf(l.must(who, http.MethodGet, "/entities?limit=200", nil))), &entities))
	for _, e := range entities {
		paths = append(paths, "/entities/"+e.ID, "/entities/"+e.ID+"/neighbours")
	}
	var docs []struct{ ID string }
	noError(l.t, json.Unmarshal([]byte(itemsOf(l.must(who, http.MethodGet, "/documents?limit=200", nil))), &docs))
	for _, d := range docs {
		for _, of := range []string{"", "/text", "/passages", "/dropped", "/schema", "/versions", "/readers", "/original"} {
			paths = append(paths, "/documents/"+url.PathEscape(d.ID)+of)
		}
	}
	return paths
}

// itemsOf returns the list in an answer.
func itemsOf(text string) string {
	var page struct{ Items json.RawMessage }
	if json.Unmarshal([]byte(text), &page) == nil && page.Items != nil {
		return string(page.Items)
	}
	return text
}

// TestReadersStopNoReading: a program of a reader stops what it asked, and nothing that reads documents.
func TestReadersStopNoReading(t *testing.T) {
	t.Parallel()
	l := openPeopled(t)
	l.add("owen", map[string]string{"foundry.txt": openPapers["foundry.txt"]})
	var reading struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	noError(t, json.Unmarshal([]byte(l.must("iris", http.MethodGet, "/runs?kind=ingest", nil)), &reading))
	var asked struct {
		Run string `json:"run"`
	}
	noError(t, json.Unmarshal([]byte(l.must("iris", http.MethodPost, "/ask", map[string]any{"question": "Who founded the Carrow Foundry?"})), &asked))
	for _, try := range []struct {
		who, run string
		want     int
	}{{"iris", reading.Items[0].ID, 403}, {"owen", reading.Items[0].ID, 204}, {"iris", asked.Run, 204}, {"owen", asked.Run, 404}, {"iris", "run00000000000000000000", 404}} {
		if status, text := l.send(try.who, http.MethodPost, "/runs/"+try.run+"/stop", map[string]any{}); status != try.want {
			t.Errorf("%s stops %s: %d %s, want %d", try.who, try.run, status, text, try.want)
		}
	}
}
