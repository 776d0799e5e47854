//go:build e2e

package main

import (
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/link"
)

// audited is a page that axe reads.
type audited struct {
	name, path string
	until      string // what is true once it is complete, or ""
	dark       bool   // also in dark colours
}

// violation is what axe finds on a page.
type violation struct {
	Rule, Help string
	Nodes      []string // a selector and what is wrong with the element
}

// unfold opens what is folded, so that it is read too.
const unfold = `document.querySelectorAll("main details").forEach((d) => { d.open = true; })`

// uncover closes the menus and scrolls to where the question's field is below the
// page, because what lies behind them can't be hit.
const uncover = `document.querySelectorAll("main .menu[open]").forEach((d) => { d.open = false; }); scrollTo(0, document.documentElement.scrollHeight)`

// How axe is run: on the whole page by all rules but those of AAA and the
// experimental ones; on the menus by how large their targets are; by what colours alone can break; and by all but the colours,
// which cost the most and don't depend on the width, but on what only a narrow
// page shows.
const (
	everyRule = `document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }`
	noColours = `document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], rules: { "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } } }`
	menus     = `{ include: [...document.querySelectorAll("main .menu-list")].filter((e) => shows(e)) }, { runOnly: ["target-size"] }`
	contrast  = `document, { runOnly: ["color-contrast"] }`
	appeared  = `{ include: [...document.querySelectorAll("body *")].filter((e) => shows(e) && !shown.has(e)) }, { runOnly: ["color-contrast", "link-in-text-block"] }`
)

// remember notes which elements show.
const remember = `globalThis.shows = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
	globalThis.shown = new Set([...document.querySelectorAll("body *")].filter(shows)); 0`

// runAxe runs rules once colours have stopped changing.
const runAxe = `(async (context, options) => {
	document.getAnimations().forEach((a) => { if (a instanceof CSSTransition) a.finish(); });
	if (context.include?.length === 0) return [];
	const found = await axe.run(context, { resultTypes: ["violations"], preload: false, ...options });
	return found.violations.map((v) => ({ rule: v.id, help: v.help, nodes: v.nodes.map((n) => n.target.join(" ") + " (" + [...n.any, ...n.all, ...n.none].map((c) => c.message).join("; ") + ")") }));
})`

// audit fails for each rule of axe that a page breaks, wide and on a phone, and
// if it is wider than a phone.
func (b *browser) audit(axe string, pages []audited) {
	b.t.Helper()
	said := map[string]bool{} // a rule and an element, which many pages share
	for _, p := range pages {
		b.wide(1440)
		b.open(p.path)
		b.settle()
		if p.until != "" {
			b.until(p.until)
		}
		js[any](b, unfold)
		js[any](b, axe)
		b.read(p, "1440", everyRule, said)
		if p.dark {
			js[any](b, `document.documentElement.dataset.theme = "dark"`)
			b.read(p, "dark", contrast, said)
			b.shoot("axe-dark-" + p.name)
			js[any](b, `delete document.documentElement.dataset.theme`)
		}
		js[any](b, remember)
		b.wide(390)
		js[any](b, uncover)
		b.read(p, "390", noColours, said)
		js[any](b, unfold)
		b.read(p, "390", menus, said)
		b.read(p, "390", appeared, said)
		js[any](b, `scrollTo(0, 0)`)
		b.shoot("axe-phone-" + p.name)
		b.fits(390)
		b.wide(320)
		b.fits(320)
	}
}

// auditHere fails for each rule of axe that the page breaks as it stands, wide and on a phone. The page asks for
// nothing meanwhile, and streams must have nothing to send.
func (b *browser) auditHere(axe, name string) {
	b.t.Helper()
	js[any](b, `globalThis.notNow = (e) => e.preventDefault(); document.addEventListener("htmx:beforeRequest", notNow)`)
	b.until(`!document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling")`)
	defer js[any](b, `document.removeEventListener("htmx:beforeRequest", notNow)`)
	p, said := audited{name: name, path: js[string](b, `location.pathname`)}, map[string]bool{}
	js[any](b, axe)
	b.read(p, "1440", everyRule, said)
	b.shoot("axe-" + name)
	js[any](b, remember)
	b.wide(390)
	b.read(p, "390", noColours, said)
	b.read(p, "390", appeared, said)
	b.fits(390)
	b.shoot("axe-phone-" + name)
	b.wide(1440)
}

// axeScript returns axe-core.
func axeScript(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("../../node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("axe is not installed; make front installs it: %v", err)
	}
	return string(source) + "; true"
}

func (b *browser) wide(width int64) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900)))
}

// read runs axe on the page as it is shown. It names each element once, and the
// first of many.
func (b *browser) read(p audited, how, run string, said map[string]bool) {
	b.t.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]violation](runAxe+`(`+run+`)`, chromedp.EvalAwaitPromise))
	b.must(err)
	for _, v := range found {
		v.Nodes = slices.DeleteFunc(v.Nodes, func(n string) bool {
			before := said[v.Rule+n]
			said[v.Rule+n] = true
			return before
		})
		if n := len(v.Nodes); n > 6 {
			v.Nodes = append(v.Nodes[:6], "and "+strconv.Itoa(n-6)+" more")
		}
		if len(v.Nodes) > 0 {
			b.t.Errorf("%s (%s, %s) breaks %s: %s\n\t%s", p.name, p.path, how, v.Rule, v.Help, strings.Join(v.Nodes, "\n\t"))
		}
	}
}

// TestEveryPageIsAccessible reads all pages of a library with something of
// everything, and of an empty one with accounts. Those of the library are read
// in German too.
func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	t.Run("full", func(t *testing.T) {
		t.Parallel()
		base, data := startWithSample(t)
		b := newBrowser(t, base, 1440)
		pages := curated(b, data)
		b.audit(axe, pages)
		b.speaksGerman(pages, contentOf(t, stored(t, data)))
		b.quiet("404")
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		base, data := start(t, "FIRST_PASSWORD=correct horse", "FIRST_USER=ada")
		b := newBrowser(t, base, 1440)
		opens := func(command ...string) string {
			address, _, _ := strings.Cut(shell{data: data}.must(t, command...), "\n")
			return strings.TrimPrefix(address, "http://127.0.0.1:0")
		}
		b.audit(axe, []audited{
			{name: "login", path: link.Login, dark: true}, {name: "join", path: opens("invitation", "make"), dark: true}, {name: "reset", path: opens("user", "reset", "ada")},
		})
		b.open(link.Login)
		b.write(`input[name="name"]`, "ada\tcorrect horse\r")
		b.until(`location.pathname === "/w/library/" && document.readyState === "complete"`)
		var pages []audited
		for _, path := range []string{"/", "/documents", "/ask", "/summaries", "/runs", "/graph", "/themes", "/review/changes", "/review", "/schema", "/account", "/people", "/accounts", "/accounts/ada", link.Invitations} {
			pages = append(pages, audited{name: "empty" + strings.ReplaceAll(path, "/", "-"), path: path})
		}
		b.audit(axe, pages)
		b.open("/account")
		b.click(sel("codes-on"))
		b.until(`!!document.querySelector('[data-testid="secret"]')`)
		b.audit(axe, []audited{{name: "codes", path: link.SecondStep, dark: true}})
		b.quiet()
	})
}

// curated fills the sample library with something of everything, and returns
// its pages.
func curated(b *browser, data string) []audited {
	t := b.t
	t.Helper()
	propose(t, data, 4)
	shell{data: data}.must(t, "schema", "use", "minutes")
	shell{data: data}.must(t, "schema", "use", "people")
	a, w := stored(t, data), domain.DefaultWorkspace
	found, _, err := a.graph.Entities(t.Context(), w, graphstore.EntityQuery{Text: "Copper Bridge"})
	noError(t, err)
	bridge := found[0].ID
	found, _, err = a.graph.Entities(t.Context(), w, graphstore.EntityQuery{})
	noError(t, err)
	edges, err := a.graph.Relations(t.Context(), w, bridge, 1)
	noError(t, err)
	document := edges[0].Relation.Evidence[0].Document
	printed, _, err := a.ledger.Documents(t.Context(), w, ledger.DocumentQuery{Text: "walkers-guide"})
	noError(t, err)
	send := func(path string, form url.Values) string {
		t.Helper()
		status, to := (&served{url: b.base}).post(t, path, form)
		if status != http.StatusSeeOther {
			t.Fatalf("%s answers %d", path, status)
		}
		return to
	}
	send(link.Properties(bridge), url.Values{"key": {"opened"}, "value": {"1874"}})
	for _, name := range []string{"Ada Thorn", "Bela Thorn"} {
		send(link.NewEntity, url.Values{"name": {name}, "label": {"Person"}})
	}
	summary := send(link.Summaries, url.Values{"document": {string(document)}, "length": {"short"}})
	studied := send(link.Study, url.Values{"document": {string(document)}, "kind": {"cards"}, "most": {"30"}})
	b.open(link.Ask)
	b.ask(sample.Try()[0].Question)
	b.until(`!!document.querySelector('[data-testid="cite"]') && document.querySelector('[data-testid="totals"]')?.dataset.state === "seen"`)
	cited := js[string](b, `document.querySelector('[data-testid="cite"]').getAttribute("href")`)
	runs, err := a.queue.List(t.Context(), w, job.Query{Kind: "answer", Status: []job.Status{job.Done}})
	noError(t, err)
	run := runs[0].ID
	asked, err := a.ledger.Message(t.Context(), w, domain.MessageID(runs[0].Subject))
	noError(t, err)
	send(link.Methods(asked.Conversation, asked.Message), nil)
	methods, err := a.ledger.BranchesOf(t.Context(), w, asked.Message)
	noError(t, err)
	send(link.Replay(run), nil)
	send(link.KeptQuestions, url.Values{"question": {sample.Try()[0].Question}, "answers": {"none of it"}})
	send(link.Evaluation, url.Values{"search": {"words"}, "loops": {"0"}})
	evaluated := send(link.Evaluation, nil)
	b.open(evaluated)
	b.until(`document.querySelector('[data-testid="result"]')?.dataset.status === "done"`)
	waits := send(link.Ask, url.Values{"question": {sample.Try()[0].Question}, "stop_before_writing": {"true"}})
	branch := send(link.Fork(run, 2), url.Values{"max_loops": {"0"}})
	b.open(branch)
	b.until(`document.querySelector("[data-travel]") !== null`)
	branches, err := a.ledger.BranchesOf(t.Context(), w, domain.MessageID(runs[0].Subject))
	noError(t, err)
	b.open(summary)
	b.until(`document.querySelector('[data-testid="summary"]')?.dataset.status === "done"`)
	b.open(studied)
	b.until(`document.querySelector('[data-testid="study"]')?.dataset.status === "done"`)

	around := link.GraphView{At: []domain.EntityID{bridge}, Selected: bridge}
	table := around
	table.Selected, table.Table = "", true
	three := link.MergeEntities + "?" + url.Values{"id": {string(found[0].ID), string(found[1].ID), string(found[2].ID)}}.Encode()
	return []audited{
		{name: "home", path: link.Home, dark: true},
		{name: "setup", path: link.Setup, dark: true},
		{name: "documents", path: link.Documents},
		{name: "document", path: link.Document(document), dark: true},
		{name: "pdf", path: link.Found(printed[0].ID, "Copper", 2), until: `document.querySelector("[data-pdf]").dataset.state === "open" && !!document.querySelector(".pdf-page mark")`, dark: true},
		{name: "chunks", path: link.Chunks(document)},
		{name: "cited", path: link.Cited(document)},
		{name: "pictures", path: link.Pictures(document)},
		{name: "delete-document", path: link.DeleteDocument(document)},
		{name: "tag-documents", path: link.Chosen + "?act=tag&all=1"},
		{name: "ask", path: link.Ask},
		{name: "delete-conversation", path: link.DeleteConversation(asked.Conversation)},
		{name: "source", path: cited, dark: true},
		{name: "summaries", path: link.Summaries},
		{name: "order", path: link.NewSummary(document)},
		{name: "summary", path: summary},
		{name: "delete-summary", path: summary + "/delete"},
		{name: "study", path: link.Study},
		{name: "timeline", path: link.Timeline},
		{name: "fields", path: link.Fields},
		{name: "research", path: link.Researches},
		{name: "study-set", path: studied, dark: true},
		{name: "delete-study-set", path: studied + "/delete"},
		{name: "runs", path: link.Runs},
		{name: "run", path: link.RunAt(run, 3), until: `document.querySelector('[data-testid="replay"]')?.dataset.state === "seen"`, dark: true},
		{name: "waits", path: waits, until: `!!document.querySelector('[data-testid="write"]')`, dark: true},
		{name: "walk", path: link.RunAt(run, 1), dark: true},
		{name: "compare-with", path: link.CompareRuns(run, "")},
		{name: "compare", path: link.CompareRuns(run, methods[0].Run), dark: true},
		{name: "methods", path: link.Methods(asked.Conversation, asked.Message), until: `document.querySelectorAll('[data-testid="column"][data-status="done"]').length === 3`, dark: true},
		{name: "fork", path: link.Fork(run, 2), dark: true},
		{name: "branch", path: branch, dark: true},
		{name: "delete-branch", path: link.DeleteBranch(branches[0].Branch)},
		{name: "graph", path: link.Graph, until: pictured, dark: true},
		{name: "card", path: around.URL(), until: pictured, dark: true},
		{name: "table", path: table.URL(), until: pictured},
		{name: "entities", path: link.With(link.Entities, "q", "c")},
		{name: "entity", path: link.Entity(bridge), dark: true},
		{name: "rename", path: link.RenameEntity(bridge)},
		{name: "merge", path: link.MergeEntity(bridge)},
		{name: "pair", path: link.With(link.MergeEntity(bridge), "with", string(found[0].ID))},
		{name: "several", path: three, dark: true},
		{name: "split", path: link.SplitEntity(bridge)},
		{name: "properties", path: link.Properties(bridge)},
		{name: "relation", path: link.Relation(bridge, edges[0].ID)},
		{name: "new-entity", path: link.NewEntity},
		{name: "new-relation", path: link.NewRelation},
		{name: "changes", path: link.Changes},
		{name: "review", path: link.Review, until: shownPair + ` !== ""`, dark: true},
		{name: "alike", path: link.Alike("initials")},
		{name: "unlabelled", path: link.Work{List: "unlabelled", Document: document}.URL(), dark: true},
		{name: "orphans", path: link.Work{List: "orphans", Document: document}.URL()},
		{name: "weak", path: link.Work{List: "weak", Document: document}.URL()},
		{name: "contradictions", path: link.Work{List: "contradictions", Document: document}.URL()},
		{name: "once", path: link.Work{List: "once", Document: document}.URL()},
		{name: "schema", path: link.Schema, dark: true},
		{name: "template", path: link.With(link.Schema, "template", "minutes", "tag", "letters")},
		{name: "versions", path: link.With(link.SchemaVersions, "from", "1", "to", "2")},
		{name: "version", path: link.SchemaVersion(1)},
		{name: "yaml", path: link.SchemaYAML},
		{name: "prompts", path: link.Prompts, dark: true},
		{name: "prompt", path: link.Prompt("grade"), dark: true},
		{name: "settings", path: link.Settings},
		{name: "connect", path: link.With(link.Settings, "role", "answer", "server", "vllm"), dark: true},
		{name: "audit", path: link.Audit},
		{name: "health", path: link.Health},
		{name: "bill", path: link.Bill},
		{name: "evaluation", path: link.Evaluation, dark: true},
		{name: "evaluated", path: evaluated, until: `document.querySelector('[data-testid="result"]')?.dataset.status === "done"`, dark: true},
		{name: "questions", path: link.KeptQuestions},
		{name: "keep", path: link.KeepQuestion(asked.Message, asked.Run)},
		{name: "usage", path: link.Usage, dark: true},
		{name: "prices", path: link.Prices},
		{name: "workspaces", path: link.Workspaces, dark: true},
		{name: "account", path: link.Account},
		{name: "accounts", path: link.Accounts},
		{name: "nothing", path: "/nothing"},
	}
}
