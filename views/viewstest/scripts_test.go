//go:build e2e

package viewstest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/chromium"
	"github.com/clewhq/clew/static"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// policy is the program's content security policy; a page that violates it
// fails the test.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// stage serves the examples like the program, and sends the events of a test.
type stage struct {
	*httptest.Server
	events chan [3]string // id, name, data
	calls  chan string    // path and Accept of each POST
	mu     sync.Mutex
	resume string // Last-Event-ID or after of the latest stream
}

func newStage(t *testing.T) *stage {
	t.Helper()
	if err := static.Ready(); err != nil {
		t.Skip(err)
	}
	s := &stage{events: make(chan [3]string), calls: make(chan string, 16)}
	mux := http.NewServeMux()
	mux.Handle("GET "+static.Prefix, static.Handler())
	show := func(path string, c templ.Component) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { _ = c.Render(r.Context(), w) })
	}
	live := asking()
	live.Turns[1].Text = ""
	done := withSource()
	done.Source = nil
	show("/ask/live", page.AskPage(live))
	show("/ask/k1", page.AskPage(done))
	show("/ask/k1/source/m2/1", page.AskPage(withSource()))
	charting := asking()
	charting.Turns = []partial.TurnProps{ChartTurn(partial.TurnAnswering)}
	charting.Turns[0].Text = ""
	show("/ask/chart", page.AskPage(withCharts()))
	show("/ask/charting", page.AskPage(charting))
	show("/ask/k1/figures/m6/call_1/source/{n}", page.AskPage(chartSource()))
	show("/documents", page.DocumentsPage(noDocuments()))
	show("/", page.HomePage(home()))
	mux.HandleFunc("GET /runs/{id}/events", s.stream)
	mux.HandleFunc("GET /documents/events", s.stream)
	mux.HandleFunc("POST /", s.post)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *stage) stream(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.resume = r.Header.Get("Last-Event-ID") + "|" + r.URL.Query().Get("after")
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, ": open\n\n")
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case e := <-s.events:
			if e[1] == "cut" {
				return
			}
			fmt.Fprintf(w, "id: %s\nevent: %s\n", e[0], e[1])
			for line := range strings.SplitSeq(e[2], "\n") {
				fmt.Fprintf(w, "data: %s\n", line)
			}
			fmt.Fprint(w, "\n")
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func (s *stage) post(w http.ResponseWriter, r *http.Request) {
	s.calls <- r.URL.Path + " " + r.Header.Get("Accept")
	if r.URL.Path != "/documents" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	_, header, err := r.FormFile("files")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string][]partial.UploadResult{"results": {{Name: header.Filename, Outcome: partial.UploadAdded, Message: "Added.", ID: "d9"}}})
}

// expect waits for a call whose path and Accept header begin with want.
func (s *stage) expect(t *testing.T, want string) {
	t.Helper()
	late := time.After(actionTimeout)
	for {
		select {
		case call := <-s.calls:
			if strings.HasPrefix(call, want) {
				return
			}
		case <-late:
			t.Fatalf("nothing was sent to %s", want)
		}
	}
}

// send sends one event to the one open stream.
func (s *stage) send(t *testing.T, id, name, data string) {
	t.Helper()
	select {
	case s.events <- [3]string{id, name, data}:
	case <-time.After(actionTimeout):
		t.Fatalf("nobody listens for %s", name)
	}
}

// tab opens a browser tab that fails the test on any message of the browser.
func tab(t *testing.T) context.Context {
	t.Helper()
	ctx := chromium.Tab(t, 1440, 900)
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			t.Errorf("the browser says: %s (%s)", e.Entry.Text, e.Entry.URL)
		case *runtime.EventExceptionThrown:
			t.Errorf("a script threw: %+v", e.ExceptionDetails)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// actionTimeout bounds one action.
const actionTimeout = time.Minute

func do(ctx context.Context, t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, actionTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

func evaluate(ctx context.Context, t *testing.T, expression string) string {
	t.Helper()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// until waits for an expression to become true.
func until(ctx context.Context, t *testing.T, expression string) {
	t.Helper()
	held := "(() => { try { return " + expression + " } catch { return false } })()" // what is not there yet may come
	if _, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void](held, chromedp.WithPollingTimeout(actionTimeout))); err != nil {
		t.Fatalf("%s never held: %v\n%s", expression, err, evaluate(ctx, t, `document.querySelector("main").innerHTML.slice(0, 6000)`))
	}
}

func markup(t *testing.T, c templ.Component) string { return string(render(t, c)) }

func TestAnswerStreams(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	do(ctx, t, chromedp.Navigate(s.URL+"/ask/live"), chromedp.WaitVisible(`.pending`))
	trace := AnswerTrace(false)
	retrieving := trace
	retrieving.Visits = []diagram.Visit{{Node: "start", State: diagram.Seen, Times: 1}, {Node: "retrieve", State: diagram.Now, Times: 1}}
	s.send(t, "32", "graph", markup(t, partial.GraphEvent(retrieving)))
	until(ctx, t, `document.querySelector('.tg [data-state="now"]').dataset.node === "retrieve"`)
	s.send(t, "32", "text", `""`)
	until(ctx, t, `document.querySelector(".pending").textContent.includes("Searching for passages") && document.querySelector(".pending").checkVisibility()`)

	s.send(t, "33", "token", `"The *Orrin Courier* was first. [1"`)
	until(ctx, t, `document.querySelector(".streaming").textContent === "The Orrin Courier was first. " && document.querySelector(".streaming em").textContent === "Orrin Courier"`)
	s.send(t, "33", "token", `"] It printed a letter.\n\nThe repair <b>"`)
	until(ctx, t, `document.querySelectorAll(".streaming p").length === 2 && document.querySelector(".streaming .cite").textContent === "1" && !document.querySelector(".streaming b")`)
	s.send(t, "33", "text", `"Built in 1885, [1] mended. [2][3] Gone"`)
	until(ctx, t, `document.querySelector(".streaming").textContent === "Built in 18851, mended23. Gone"`)
	s.send(t, "33", "graph", markup(t, partial.GraphEvent(trace)))
	s.send(t, "33", "sources", markup(t, partial.SourcesSoFar(trace.Run, SecondTurn(false).Citations[:2])))
	until(ctx, t, `document.querySelector('[data-node="generate"] .m').textContent === "5 words" && document.querySelectorAll("#answer-run1284 > .sources q").length === 2`)
	s.send(t, "33", "text", `"Anew."`)
	until(ctx, t, `document.querySelector(".streaming").textContent === "Anew."`)

	do(ctx, t, chromedp.Click(`#step-run1284-3 > summary`))
	step := trace.Steps[2]
	step.Took *= 2
	s.send(t, "34", "step", markup(t, partial.Step(step)))
	until(ctx, t, `document.querySelector("#step-run1284-3 > summary").innerText.includes("1.8 s") && document.getElementById("step-run1284-3").open`)
	step.N = 8
	s.send(t, "35", "step", markup(t, partial.Step(step)))
	until(ctx, t, `document.getElementById("steps-run1284").lastElementChild.id === "step-run1284-8"`)

	s.send(t, "", "cut", "")
	s.send(t, "36", "totals", markup(t, partial.Totals(AnswerTrace(true))))
	until(ctx, t, `document.getElementById("totals-run1284").textContent.includes("finished")`)
	s.mu.Lock()
	resume := s.resume
	s.mu.Unlock()
	if resume != "35|31" {
		t.Errorf("the stream was resumed from %q, want the last event seen", resume)
	}
	asks := SecondTurn(true)
	asks.Asks = &partial.AsksProps{Run: trace.Run, Hints: true, MaxHint: 100}
	s.send(t, "36", "answer", markup(t, partial.Answer(asks)))
	until(ctx, t, `document.querySelector('.asks [name="hint"]').focus() === undefined`)
	do(ctx, t, chromedp.KeyEvent("iron "))
	asks.Asks.Nothing = true
	s.send(t, "36", "answer", markup(t, partial.Answer(asks)))
	until(ctx, t, `document.querySelector(".asks").textContent.includes("Nothing that was found")`)
	do(ctx, t, chromedp.KeyEvent("bridge"))
	until(ctx, t, `document.querySelector('.asks [name="hint"]').value === "iron bridge"`)
	s.send(t, "37", "answer", markup(t, partial.Answer(SecondTurn(false))))
	until(ctx, t, `document.querySelectorAll("#answer-run1284 .said").length === 3`)
	do(ctx, t, chromedp.KeyEvent("\x1b"))
	until(ctx, t, `true`)
	s.send(t, "38", "end", "{}")
	until(ctx, t, `document.querySelector("[data-stop]").hidden && !document.querySelector("[data-ask-button]").hidden && document.querySelector(".turn:last-child [aria-busy]").ariaBusy === "false"`)
	do(ctx, t, chromedp.Click(`#answer-run1284 .cite`), chromedp.WaitVisible(`.source`))
	s.expect(t, "/runs/run1284/stop application/json") // by Escape
}

func TestCitationOpensItsSource(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	do(ctx, t, chromedp.Navigate(s.URL+"/ask/k1"), chromedp.WaitVisible(`.ask`), chromedp.Click(`#answer-run1284 .cite`), chromedp.WaitVisible(`.source`))
	marked := evaluate(ctx, t, `[...document.querySelectorAll("mark.on")].map((m) => m.textContent).join("\n\n")`)
	if marked != Cited {
		t.Errorf("marked %q, want the cited characters", marked)
	}
	until(ctx, t, `document.querySelectorAll(".thread-layer circle").length === 2 && location.pathname === "/ask/k1/source/m2/1"`)
	until(ctx, t, `document.querySelector("#answer-run1284 .cite").classList.contains("on") && document.querySelectorAll(".cite.on").length === 1`)
	do(ctx, t, chromedp.KeyEvent("\x1b"))
	until(ctx, t, `!document.querySelector(".source") && !document.querySelector(".thread-layer path") && location.pathname === "/ask/k1"`)
}

func TestFilesAreSentAndRowsMove(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	dir := t.TempDir()
	var files []string
	for name, content := range map[string]string{"a.md": "# A", "empty.txt": ""} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	do(ctx, t, chromedp.Navigate(s.URL+"/documents"), chromedp.WaitReady(`[data-upload] input[type=file]`),
		chromedp.SetUploadFiles(`[data-upload] input[type=file]`, files))
	until(ctx, t, `document.querySelectorAll("#uploads [data-outcome=added]").length === 1 && document.querySelectorAll("#uploads [data-outcome=refused]").length === 1`)
	s.send(t, "1", "row", markup(t, partial.DocumentRow(row("a.md", domain.DocumentWorking, nil))))
	until(ctx, t, `document.querySelectorAll("#rows .doc").length === 1 && !document.querySelector("[data-when-empty]")`)
	do(ctx, t, chromedp.Focus(`[data-act=stop]`))
	s.send(t, "2", "row", markup(t, partial.DocumentRow(row("a.md", domain.DocumentWorking, func(r *partial.DocumentRowProps) { r.Document.ChunksDone = 18 }))))
	until(ctx, t, `document.querySelector(".stages .now").textContent.includes("18 of 42") && document.activeElement.dataset.act === "stop"`)
	do(ctx, t, chromedp.Click(`[data-act=stop]`))
	until(ctx, t, `location.pathname === "/documents"`)
	s.send(t, "3", "counts", markup(t, partial.Counts(partial.CountsProps{Documents: 1, Working: 1})))
	until(ctx, t, `document.getElementById("doc-totals").textContent.startsWith("1 document,")`)
	s.send(t, "4", "gone", "doc-d-a.md")
	until(ctx, t, `document.querySelectorAll("#rows .doc").length === 0`)
	s.send(t, "5", "row", markup(t, partial.DocumentRow(row("a.md", domain.DocumentWorking, nil))))
	for name, age := range map[string]time.Duration{"older.md": time.Hour, "newer.md": -time.Hour} {
		s.send(t, "6", "row", markup(t, partial.DocumentRow(row(name, domain.DocumentWorking, func(r *partial.DocumentRowProps) { r.Document.CreatedAt = r.Document.CreatedAt.Add(-age) }))))
	}
	until(ctx, t, `[...document.querySelectorAll("#rows .doc")].map((e) => e.dataset.name).join() === "newer.md,a.md"`) // an older one is on a later page
	s.expect(t, "/runs/run77/stop application/json")
}

func TestAConversationOpensAtItsLastQuestion(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	do(ctx, t, chromedp.EmulateViewport(1024, 600), chromedp.Navigate(s.URL+"/ask/k1"))
	until(ctx, t, `document.querySelector(".scroll").scrollTop > 100 && document.querySelector("#turn-m2").getBoundingClientRect().top < 120`)
}

func TestThemeIsKept(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), tab(t)
	do(ctx, t, chromedp.Navigate(s.URL+"/"), chromedp.Click(`[data-theme-switch]`))
	until(ctx, t, `document.documentElement.dataset.theme === "dark"`)
	do(ctx, t, chromedp.Reload())
	until(ctx, t, `document.documentElement.dataset.theme === "dark" && getComputedStyle(document.body.parentElement).backgroundColor === "rgb(22, 21, 19)"`)
}
