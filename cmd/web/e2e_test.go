//go:build e2e

package main

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit/tempdir"
	"github.com/clewhq/clew/views/link"
)

// start serves the program on a free port from a temporary folder and returns
// both.
func start(t *testing.T, environ ...string) (address, data string) {
	t.Helper()
	data = newShell(t).data
	return startOn(t, data, environ...), data
}

// startWithSample is like start, with the sample library.
func startWithSample(t *testing.T, environ ...string) (address, data string) {
	t.Helper()
	data = copyOfSample(t)
	return startOn(t, data, environ...), data
}

// copyOfSample returns a data folder with the sample library.
func copyOfSample(t *testing.T) (data string) {
	t.Helper()
	filled, err := sampleLibrary()
	if err != nil {
		t.Fatal(err)
	}
	data = filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(data, os.DirFS(filled)); err != nil {
		t.Fatal(err)
	}
	return data
}

// sampleLibrary reads the sample documents once, into a folder to copy.
var sampleLibrary = sync.OnceValues(func() (dir string, err error) {
	if dir, err = tempdir.New("sample"); err != nil {
		return "", err
	}
	files := filepath.Join(dir, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		return "", err
	}
	args := []string{"ingest"}
	for _, f := range sample.Files() {
		path := filepath.Join(files, f.Name)
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			return "", err
		}
		args = append(args, path)
	}
	root := program(env{environ: []string{"DATA_DIR=" + filepath.Join(dir, "data"), "LOG_LEVEL=warn"}, stdout: io.Discard, stderr: os.Stderr, now: time.Now, random: rand.Reader})
	root.SetArgs(args)
	return filepath.Join(dir, "data"), root.ExecuteContext(context.Background())
})

// startOn serves the program from the given folder.
func startOn(t *testing.T, data string, environ ...string) (address string) {
	t.Helper()
	return serveEnv(t, env{
		environ: append(environ, "DATA_DIR="+data, "LISTEN=127.0.0.1:0", "LOG_LEVEL=warn"),
		stdout:  io.Discard, stderr: t.Output(), now: time.Now, random: rand.Reader,
	})
}

// serveEnv serves the program in an environment until the test ends.
func serveEnv(t *testing.T, s env) (address string) {
	t.Helper()
	cfg, err := s.load("")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- serve(ctx, cfg, s, ready) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	select {
	case at := <-ready:
		return "http://" + at
	case err := <-done:
		done <- nil
		t.Fatalf("the server did not start: %v", err)
	}
	return ""
}

// stored opens the data folder beside the server, like another process would.
func stored(t *testing.T, data string) *app {
	t.Helper()
	s := env{stdout: io.Discard, stderr: t.Output(), now: time.Now, random: rand.Reader}
	cfg, err := config.Load([]string{"DATA_DIR=" + data, "LOG_LEVEL=warn"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// loadSample loads the sample library from the home page and waits until its
// rows are ready, without a reload.
func loadSample(b *browser) {
	b.t.Helper()
	b.open("/")
	b.until(`!!document.querySelector('[data-testid="load-sample"]')`)
	b.shoot("home")
	b.click(sel("load-sample"))
	b.until(`location.pathname === "/w/library/documents"`)
	js[any](b, `window.sameSinceLoading = true`)
	want := len(sample.Files())
	b.until(`document.querySelectorAll('[data-testid="document"][data-status="ready"]').length === ` + quoteInt(want))
	b.until(counted + ` === "` + strconv.Itoa(want) + `"`)
	if !js[bool](b, `window.sameSinceLoading === true`) {
		b.t.Error("the page was reloaded: rows should move by themselves")
	}
	b.shoot("documents")
}

func quoteInt(n int) string {
	return strings.TrimSpace(string(rune('0'+n/10)) + string(rune('0'+n%10)))
}

func TestTheMainJob(t *testing.T) {
	t.Parallel()
	base, data := start(t, "UNDO_TIME=10m")
	b := newBrowser(t, base, 1440)
	loadSample(b)

	b.open("/ask")
	question := sample.Try()[0]
	b.ask(question.Question)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	if answer := b.text(sel("answer")); !strings.Contains(answer, question.Answer) {
		t.Errorf("the answer %q does not hold %q", answer, question.Answer)
	}
	for _, node := range []string{"retrieve", "grade_documents", "generate", "check_support"} {
		if got := b.times(node); got != "1" {
			t.Errorf("%s was visited %q times, want 1", node, got)
		}
	}
	b.shoot("ask")
	openCitations(t, b, data)
	samePictureAfterReload(t, b)
	everythingCanBeRead(b)
	b.quiet()

	askTheUnanswerable(t, b)
	deleteChosenAndUndo(t, b)
	deleteADocument(t, b, question)
	b.quiet()
}

// openCitations opens every citation on the page and compares the highlight
// with the stored text.
func openCitations(t *testing.T, b *browser, data string) {
	t.Helper()
	a := stored(t, data)
	conversations, _, err := a.ledger.Conversations(t.Context(), domain.DefaultWorkspace, 1, 0)
	if err != nil || len(conversations) != 1 {
		t.Fatalf("%d conversations, %v", len(conversations), err)
	}
	messages, err := a.ledger.Messages(t.Context(), domain.DefaultWorkspace, conversations[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	citations := messages[0].Citations
	if len(citations) < 2 {
		t.Fatalf("%d citations, want at least the two documents' sentences", len(citations))
	}
	for _, c := range citations {
		text, err := a.ledger.Text(t.Context(), domain.DefaultWorkspace, c.DocumentID)
		if err != nil {
			t.Fatal(err)
		}
		want := c.Span.Slice(text.Content)
		if c.Text != want {
			t.Errorf("citation %d holds %q, the source has %q", c.N, c.Text, want)
		}
		n := quoteInt(c.N)[1:]
		b.click(`:is([data-testid="cite"], [data-testid="near-link"])[data-cite="` + n + `"]`)
		b.until(`document.querySelector('[data-testid="source"]')?.dataset.source === "` + n + `"`)
		marked := js[string](b, `[...document.querySelectorAll('[data-testid="source"] [data-testid="hit"]')].map(m => m.textContent).join(" ")`)
		if squeeze(marked) != squeeze(strings.ReplaceAll(want, " | ", " ")) {
			t.Errorf("citation %d highlights %q, want %q", c.N, marked, want)
		}
	}
	b.click(sel("cite"))
	b.until(`document.querySelector('[data-testid="source"]')?.dataset.source === document.querySelector('[data-testid="cite"]').dataset.cite`)
	const leaves = `(() => {
		const middle = (e) => { const r = e.getBoundingClientRect(); return r.top + r.height / 2; };
		return Math.abs(middle(document.querySelector("[data-thread] circle")) - middle(document.querySelector(".turn .cite.on"))) < 3;
	})()`
	b.until(leaves)
	b.until(`document.getAnimations().every((a) => a.playState !== "running")`)
	b.shoot("source")
	js[any](b, `document.getElementById("turns").prepend("What comes later above the citation moves it.")`)
	b.until(leaves)
}

func squeeze(s string) string { return domain.OneLine(s) }

// samePictureAfterReload compares the live picture with the one after a reload.
func samePictureAfterReload(t *testing.T, b *browser) {
	t.Helper()
	const look = `JSON.stringify([...document.querySelectorAll('#trace [data-testid="node"]')].map(n => [n.dataset.node, n.dataset.state, n.dataset.times])) +
		[...document.querySelectorAll('#trace [data-testid="step"]')].map(s => s.dataset.node + s.dataset.state).join()`
	conversation := js[string](b, `location.pathname.split("/source/")[0]`)
	b.open(conversation)
	live := js[string](b, look)
	b.open(conversation)
	if again := js[string](b, look); again != live || !strings.Contains(live, "generate") {
		t.Errorf("after a reload the picture is\n%s\nbefore it was\n%s", again, live)
	}
}

// everythingCanBeRead measures the lettering of an answer with its trace, and of its run's page: none is smaller than 12
// pixels, in drawings neither, at any width.
func everythingCanBeRead(b *browser) {
	b.t.Helper()
	const small = `(() => {
		const found = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
		while (walk.nextNode()) {
			const e = walk.currentNode.parentElement;
			if (!walk.currentNode.textContent.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest(".vh, title, template")) continue;
			const size = parseFloat(getComputedStyle(e).fontSize) * (e.ownerSVGElement ? e.getScreenCTM().a : 1);
			if (size < 11.95) found.push(size.toFixed(1) + " " + e.textContent.trim().slice(0, 40));
		}
		return found.join("; ");
	})()`
	answer := js[string](b, `location.pathname`)
	run := js[string](b, `document.querySelector("#trace h2 a").getAttribute("href")`)
	for _, path := range []string{answer, run, run + "?step=1"} {
		b.open(path)
		for _, width := range []int{1440, 1024, 390, 320} {
			b.wide(int64(width))
			if found := js[string](b, small); found != "" {
				b.t.Errorf("%s has letters of less than 12 pixels at %d: %s", path, width, found)
			}
			b.fits(width)
			b.shoot("legible-" + strconv.Itoa(width) + "-" + path[1:4] + strconv.Itoa(len(path)))
		}
	}
	b.wide(1440)
	b.open(answer)
}

func askTheUnanswerable(t *testing.T, b *browser) {
	t.Helper()
	i := slices.IndexFunc(sample.Try(), func(q sample.Question) bool { return q.Unanswerable })
	b.open("/ask")
	b.ask(sample.Try()[i].Question)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	b.until(`document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	for node, want := range map[string]string{"retrieve": "4", "transform_query": "3", "generate": "1"} {
		if got := b.times(node); got != want {
			t.Errorf("%s was visited %q times, want %s", node, got, want)
		}
	}
	if n := b.count(sel("cite")); n != 0 {
		t.Errorf("an answer without evidence has %d citations", n)
	}
	if answer := b.text(sel("answer")); !strings.Contains(answer, "Nothing close was found") {
		t.Errorf("the answer says %q", answer)
	}
	if n := b.count(sel("rewrite")); n != 3 {
		t.Errorf("%d rewrites are shown, want 3", n)
	}
	if near := b.text(sel("try")); !strings.Contains(near, "What this library can answer") {
		t.Errorf("below the answer stands %q", near)
	}
	b.shoot("nothing-found")
}

// deleteChosenAndUndo chooses documents by keys, a range of them, and all, deletes them and takes
// that back, wide and on a phone.
func deleteChosenAndUndo(t *testing.T, b *browser) {
	t.Helper()
	all := len(sample.Files())
	rows := `document.querySelectorAll('[data-testid="document"]').length === `
	for _, width := range []int64{1440, 390} {
		b.wide(width)
		b.open("/documents?sort=name")
		b.until(rows + strconv.Itoa(all))
		for _, key := range []string{"j", "x", "j", "j"} {
			b.press(key)
		}
		b.until(`document.activeElement.closest(".doc")?.matches(":nth-child(3)")`)
		js[any](b, `document.activeElement.dispatchEvent(new MouseEvent("click", { shiftKey: true, bubbles: true, cancelable: true }))`)
		b.until(`document.querySelector("[data-chosen]").textContent === "3 chosen"`)
		b.shoot("chosen-" + strconv.FormatInt(width, 10))
		b.fits(int(width))
		b.click(sel("delete-chosen"))
		b.until(`!!document.querySelector('[data-testid="toll"]')`)
		b.shoot("delete-chosen-" + strconv.FormatInt(width, 10))
		b.click(sel("confirm-delete"))
		b.until(`location.pathname === "/w/library/documents" && ` + rows + strconv.Itoa(all-3))
		b.click(sel("undo"))
		b.until(`location.search === "?done=restored" && ` + rows + strconv.Itoa(all))
	}
	slashLeadsToTheSearch(t, b)
	b.open("/documents?q=bridge")
	b.click(sel("pick"))
	b.click(sel("choose-all"))
	b.click(sel("tag-chosen"))
	b.until(`location.pathname === "/w/library/documents/chosen"`)
	b.wide(1440)
}

// slashLeadsToTheSearch presses the key that the search of the list names, where it leads there and where it is typed.
func slashLeadsToTheSearch(t *testing.T, b *browser) {
	t.Helper()
	b.wide(1440)
	b.open("/documents")
	b.until(`document.querySelector("#doc-filter .search kbd")?.checkVisibility() && document.querySelector("#doc-filter .search kbd").textContent === "/"`)
	b.press("?")
	b.until(`document.getElementById("all-keys").open && [...document.querySelectorAll("#all-keys kbd")].some((key) => key.textContent === "/")`)
	b.press("/")
	if js[bool](b, `document.activeElement.matches("[data-slash]")`) {
		t.Error("a key of the page is heard below a dialog")
	}
	b.press(kb.Escape)
	b.until(`!document.getElementById("all-keys").open`)
	b.press("j")
	b.until(`document.activeElement.matches(".pick")`)
	if !js[bool](b, `!document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }))`) {
		t.Error("the key that leads to the search is typed there too")
	}
	for _, key := range []string{"j", "/", "?"} {
		b.press(key)
	}
	b.until(`document.activeElement.matches("[data-slash]") && document.activeElement.value === "j/?" && !document.getElementById("all-keys").open`)
}

func deleteADocument(t *testing.T, b *browser, q sample.Question) {
	t.Helper()
	name := q.Sources[0]
	row := `[data-testid="document"][data-name="` + name + `"]`
	b.open("/documents")
	b.click(row + ` [data-act="more"]`)
	b.click(row + ` a[href$="/delete"]`)
	b.click(sel("confirm-delete"))
	b.until(`location.pathname === "/w/library/documents"`)
	if n := b.count(row); n != 0 {
		t.Errorf("%s is still listed", name)
	}
	b.open("/ask")
	b.ask(q.Question)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	if answer := b.text(sel("answer")); strings.Contains(answer, q.Evidence[0].Sentence) {
		t.Errorf("without %s the answer is %q", name, answer)
	}
}

// TestTheTraceMovesWhileAModelWorks chooses a question of an empty library and holds the model at each step: while the
// documents are read, while it grades, and while it writes. axe reads the page of each.
func TestTheTraceMovesWhileAModelWorks(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	model := llmtest.New(t)
	read, grade, write, support := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	script(model, grade, write, support)
	model.First(llmtest.Tool("knowledge_graph"), llmtest.Compute(people).After(read))
	base, _ := start(t, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=scripted", "EXTRACT_MODE=tool")
	b := newBrowser(t, base, 1440)
	b.open("/")
	b.click(".question-row")
	b.until(`location.pathname === "/w/library/ask" && location.search.includes("when=read") && document.readyState === "complete" && !!document.getElementById("waits-for")`)
	b.auditHere(axe, "waiting")
	close(read)
	lit := func(node string) {
		t.Helper()
		b.until(`document.querySelector('#trace [data-testid="node"][data-state="now"]')?.dataset.node === ` + quote(node))
	}
	lit("grade_documents")
	b.shoot("grading")
	b.auditHere(axe, "grading")
	close(grade)
	lit("generate")
	write <- struct{}{}
	write <- struct{}{}
	b.until(`(document.querySelector('[data-testid="answer"]')?.textContent ?? "").includes("Henrike")`)
	if b.count(sel("cite")) > 0 {
		t.Error("the answer is finished before its end")
	}
	b.shoot("writing")
	b.auditHere(axe, "writing")
	close(write)
	lit("check_support")
	close(support)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	if n := b.count(sel("cite")); n == 0 {
		t.Error("the model's citation is not shown")
	}
	b.quiet()
}

// TestStop stops an answer that is being written: what was written stays, and the drawing says where it stopped.
func TestStop(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	open, write := make(chan struct{}), make(chan struct{})
	close(open)
	t.Cleanup(func() { close(write) })
	script(model, open, write, open)
	base, _ := startWithSample(t, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=scripted", "EXTRACT_MODE=tool")
	b := newBrowser(t, base, 1440)
	b.open("/ask")
	b.ask("Who designed Copper Bridge?")
	write <- struct{}{}
	write <- struct{}{}
	b.until(`(document.querySelector('[data-testid="answer"]')?.textContent ?? "").includes("Henrike")`)
	b.click(sel("stop")) // the model writes no more, so that nothing else can end the run
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "stopped"`)
	b.until(`document.querySelector('#trace [data-testid="node"][data-state="stopped"]')?.dataset.node === "generate"`)
	if answer := b.text(sel("answer")); !strings.Contains(answer, "Henrike") {
		t.Errorf("of what was written stays %q", answer)
	}
	b.shoot("stopped")
	b.quiet()
}

func TestOnAPhone(t *testing.T) {
	t.Parallel()
	base, _ := start(t)
	b := newBrowser(t, base, 390)
	loadSample(b)
	for _, path := range []string{"/", "/documents", "/ask", link.Entities, "/runs", "/settings", "/health", "/accounts", "/account"} {
		b.open(path)
		if wide := js[int](b, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s is %d pixels wide on a screen of 390", path, wide)
		}
	}
	b.open("/ask")
	b.ask(sample.Try()[0].Question)
	b.until(`document.querySelector('[data-testid="answer"]')?.dataset.status === "done"`)
	b.shoot("ask-phone")
	if wide := js[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("an answer is %d pixels wide on a screen of 390", wide)
	}
	b.click(`[data-testid="answer"] .cite`)
	b.until(`!!document.querySelector('.ask .source mark.on')`)
	for _, button := range []string{`[data-close-source]`, `[aria-label="Citations"]`} {
		if top := js[float64](b, "document.querySelector('.source "+button+"').getBoundingClientRect().top"); top < 0 {
			t.Errorf("%s of the source lies %.0f pixels above the screen", button, -top)
		}
	}
	b.wide(1024)
	b.open("/documents?q=inscriptions")
	b.click(`[data-testid="document"] a[href^="/w/library/documents/d"]`)
	b.until(`!!document.querySelector(".toc .names li")`)
	if !js[bool](b, `((t) => t.scrollHeight <= t.clientHeight || getComputedStyle(t).backgroundImage.includes("gradient"))(document.querySelector(".toc"))`) {
		t.Error("at 1024 the names in a document are cut, and nothing says so")
	}
	b.shoot("names-1024")
	b.wide(320)
	b.open(link.Entities)
	b.click(`[data-testid="entities"] a.serif`)
	b.until(`!!document.querySelector(".rels .entity-link")`)
	if narrow := js[float64](b, `Math.min(...[...document.querySelectorAll(".rels .entity-link")].map((e) => e.getBoundingClientRect().width))`); narrow < 120 {
		t.Errorf("the name of an entity has %.0f pixels on a screen of 320", narrow)
	}
	b.quiet()
}

// TestAccountsOnAPhone signs in by keyboard alone and adds an account.
func TestAccountsOnAPhone(t *testing.T) {
	t.Parallel()
	base, _ := start(t, "FIRST_PASSWORD=correct horse", "FIRST_USER=ada")
	b := newBrowser(t, base, 390)
	keys := func(text string) { b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(text))) }
	fits := func() {
		t.Helper()
		if wide := js[int](b, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s is %d pixels wide on a screen of 390", js[string](b, `location.pathname`), wide)
		}
	}
	b.open("/account")
	b.until(`document.activeElement?.name === "name"`)
	keys("ada\tcorrect horse\r")
	b.until(`location.pathname === "/w/library/account" && document.readyState === "complete"`)
	fits()
	b.shoot("account-phone")
	b.open("/accounts")
	b.must(chromedp.Do(b.ctx, chromedp.Focus(`input[name="name"]`)))
	keys("bob\tcorrect horse\t\r")
	b.until(`[...document.querySelectorAll('[data-testid="accounts"] a')].some((a) => a.textContent === "bob")`)
	fits()
	b.shoot("accounts-phone")
	b.open("/accounts/bob")
	fits()
	b.shoot("account-managed-phone")
	b.click("details.fold > summary")
	b.click(sel("remove-account"))
	b.until(`location.pathname === "/w/library/accounts" && document.querySelectorAll('[data-testid="accounts"] a').length === 1`)
	b.quiet()
}

// someone finds a person's name in a prompt.
var someone = regexp.MustCompile(`\b[A-Z][a-z]+ [A-Z][a-z]+\b`)

// people finds the people of a text.
func people(r llmtest.Request) llmtest.Reply {
	nodes := []map[string]any{}
	for _, name := range someone.FindAllString(r.Last(), -1) {
		nodes = append(nodes, map[string]any{"id": name, "label": "Person", "properties": []any{}})
	}
	return llmtest.Call("knowledge_graph", map[string]any{"nodes": nodes, "relationships": []any{}})
}

// script makes the model extract at once, grade the designer's passages
// relevant when grade is closed, write one piece of the answer per receive on
// write, and check support when support is closed.
func script(model *llmtest.Server, grade, write, support <-chan struct{}) {
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Compute(people))
	model.On(llmtest.Tool("grade_passage"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		score, reason := "no", "Says nothing of its designer."
		if strings.Contains(r.Last(), "Henrike Aldous designed") {
			score, reason = "yes", "Says who designed it."
		}
		return llmtest.Call("grade_passage", map[string]any{"binary_score": score, "reason": reason}).After(grade)
	}))
	model.On(llmtest.Tool("report_support"), llmtest.Call("report_support", map[string]any{"supported": []int{1}}).After(support))
	model.On(llmtest.Any, llmtest.Say("Henrike Aldous designed Copper Bridge for foot passengers [1].").EachAfter(write))
}
