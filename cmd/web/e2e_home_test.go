//go:build e2e

package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestHomeWithALibrary asks from the first page a question that is found and one that nothing comes near, and finds both
// there with how they were answered, among questions that were not asked yet.
func TestHomeWithALibrary(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			base, _ := startWithSample(t)
			b := newBrowser(t, base, width)
			b.open("/")
			if head := b.text("h1"); head != "Ask your documents" || b.count(".hero, .facts-3") != 0 {
				t.Errorf("the page begins with %q, want the question", head)
			}
			if said := squeeze(b.text(sel("recent"))); !strings.Contains(said, "No questions have been asked yet.") {
				t.Errorf("before a question: %s", said)
			}
			if width == 1440 && js[string](b, `document.activeElement.name ?? ""`) != "question" {
				t.Error("the question has not the focus")
			}
			b.ask("How much did it cost to repaint Copper Bridge?")
			b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"]')`)
			b.open("/ask")
			b.ask("Which Zyxelbrane did the Viaduckt quorl?")
			b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"]')`)

			b.open("/")
			const rows = `[...document.querySelectorAll('[data-testid="recent"] li')].map((li) => [li.querySelector(".vmark").className, li.innerText].join("\n"))`
			recent := js[[]string](b, rows)
			wants := [][]string{
				{"vmark refused", "Which Zyxelbrane did the Viaduckt quorl?", "nothing close"},
				{"vmark right", "How much did it cost to repaint Copper Bridge?", "118 crowns", "found, "},
			}
			if len(recent) != len(wants) {
				t.Fatalf("recent conversations: %q", recent)
			}
			for i, row := range recent {
				for _, want := range wants[i] {
					if !strings.Contains(squeeze(row), want) {
						t.Errorf("conversation %d shows %q, want %q", i, row, want)
					}
				}
			}
			const tries = `[...document.querySelectorAll('[data-testid="try-question"] b')].map((e) => e.textContent)`
			first := js[[]string](b, tries)
			if len(first) != 4 {
				t.Errorf("questions to try: %q", first)
			}
			b.fits(width)
			b.shoot("home-used-" + strconv.Itoa(width))
			js[any](b, `document.documentElement.dataset.theme = "dark"`)
			b.shoot("home-used-dark-" + strconv.Itoa(width))
			b.click(sel("others"))
			b.until(`document.querySelector('[data-testid="try-question"] b')?.textContent !== ` + quote(first[0]))
			if width == 390 {
				if small := js[string](b, `[...document.querySelectorAll(".desk :is(a, button, summary)")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.textContent).join("; ")`); small != "" {
					t.Errorf("lower than 24 pixels: %s", small)
				}
			}
			chosen := js[string](b, `document.querySelector('[data-testid="try-question"] b').textContent`)
			b.click(sel("try-question"))
			b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"]')`)
			if b.count(".turn .cite") == 0 {
				t.Errorf("%q has no answer", chosen)
			}
			b.open("/")
			if again := js[[]string](b, tries); strings.Contains(strings.Join(again, "\n"), chosen) {
				t.Errorf("%q was asked, and is suggested again", chosen)
			}
			b.quiet()
		})
	}
}

// TestHomeFollowsTheReading adds a file on the first page of a library, and sees it being read there, without a reload,
// until its questions can be asked; a file that can't be read needs a look.
func TestHomeFollowsTheReading(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/")
	b.drop("broken.pdf", "%PDF-1.7\nThis is no file of pages.\n")
	b.until(`location.pathname === "/w/library/documents"`)
	b.until(`document.querySelector('[data-name="broken.pdf"][data-status="failed"]')`)
	b.open("/")
	if said := squeeze(b.text(sel("needs-look"))); !strings.Contains(said, "broken.pdf: ") || !strings.Contains(said, "Open") {
		t.Errorf("what needs a look: %s", said)
	}
	if said := squeeze(b.text(sel("being-read"))); !strings.Contains(said, "Nothing. All 13 documents are read.") {
		t.Errorf("what is being read: %s", said)
	}
	b.shoot("home-look")
	b.quiet()
}

// minutes is a text that answers a question.
const minutes = "The mill at Harrowgate was built by Edith Farrow in 1871. Edith Farrow paid 300 crowns for the wheel. The wheel broke in 1880.\n"

// TestAnUploadIsSummedUp sends files of three kinds, one of them known already and one that can't be read: the panel counts
// each once, says how far they are read, and ends with a question that they answer.
func TestAnUploadIsSummedUp(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			base, _ := startWithSample(t)
			b := newBrowser(t, base, width)
			b.open("/documents")
			b.dropsAll(map[string]string{
				"harrowgate.txt": minutes, "harrowgate-2.md": "# The ferry\n\nJosiah Pell ran the ferry at Low Brayton until 1902.\n", "copy.txt": minutes, "plan.dwg": "AC1015",
			})
			b.until(`document.querySelector('[data-testid="added"]')?.dataset.read === "true"`)
			tally := squeeze(js[string](b, `document.getElementById("uploads-sum").innerText`))
			for _, want := range []string{"4 files", "4 sent of 4", "2 new", "1 TXT", "1 MD", "1 known already, left out", "1 refused", "2 added, 1 known already, 1 left out, of 4 files."} {
				if !strings.Contains(tally, want) {
					t.Errorf("the panel does not say %q: %s", want, tally)
				}
			}
			read := squeeze(js[string](b, `document.querySelector('[data-testid="added"]').innerText`))
			for _, want := range []string{"Read: 2 documents", "1 Markdown", "1 Text", "Together", "2 of 2", "Ask about what was just read"} {
				if !strings.Contains(read, want) {
					t.Errorf("the sum does not say %q: %s", want, read)
				}
			}
			if n := b.count(sel("ask-added") + " " + sel("try-question")); n == 0 || n > 4 {
				t.Errorf("%d questions are suggested, want one to four", n)
			}
			b.fits(width)
			b.shoot("uploaded-" + strconv.Itoa(width))
			js[any](b, `document.documentElement.dataset.theme = "dark"`)
			b.shoot("uploaded-dark-" + strconv.Itoa(width))
			b.click(sel("ask-added") + " " + sel("try-question"))
			b.until(`document.querySelector('.turn:last-child [data-testid="answer"][data-status="done"]')`)
			if said := b.text(sel("answer")); !strings.Contains(said, "Farrow") && !strings.Contains(said, "Pell") && !strings.Contains(said, "wheel") {
				t.Errorf("the question is answered by other files: %s", said)
			}
			b.open("/documents")
			b.dropsAll(map[string]string{"more.txt": "Anna Quill taught at the school of Low Brayton for 30 years.\n"})
			b.until(`document.querySelector('[data-testid="added"]')?.dataset.read === "true"`)
			b.click("[data-clear-uploads]")
			b.until(`!document.querySelector("#uploads > *, #uploads-sum > *, #uploads-added > *")`)
			b.quiet()
		})
	}
}

// dropsAll chooses several files in the form that uploads files.
func (b *browser) dropsAll(files map[string]string) {
	b.t.Helper()
	b.settle()
	all, err := json.Marshal(files)
	b.must(err)
	js[any](b, `(() => {
		const files = new DataTransfer(), field = document.querySelector('[data-testid="files"]');
		for (const [name, text] of Object.entries(`+string(all)+`)) files.items.add(new File([text], name, { type: "text/plain" }));
		field.files = files.files;
		field.dispatchEvent(new Event("change", { bubbles: true }));
	})()`)
}

// TestARowRenamesTagsAndDownloads does so from the menu of a row, by keys alone, and the list shows it at once.
func TestARowRenamesTagsAndDownloads(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 390} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			base, _ := startWithSample(t)
			b := newBrowser(t, base, width)
			b.open("/documents")
			b.until(`document.readyState === "complete" && !!document.querySelector('[data-testid="document"]')`)
			id := js[string](b, `document.querySelector('[data-testid="document"]').id`)
			row := "#" + id + " "
			opens := func(item string) {
				t.Helper()
				js[any](b, `document.querySelector(`+quote(row+`[data-act="more"]`)+`).focus()`)
				b.press(kb.Enter)
				b.reach(row + sel(item))
				b.press(kb.Enter)
			}
			opens("rename")
			b.reach(row + `[name="name"]`)
			js[any](b, `document.activeElement.value = ""`)
			b.fits(width)
			b.shoot("row-menu-" + strconv.Itoa(width))
			b.write(row+`[name="name"]`, "Renamed here.md\r")
			b.until(`document.querySelector(` + quote(row+"h3") + `).textContent === "Renamed here.md" && document.activeElement.matches('[data-act="more"]')`)
			opens("tag")
			b.reach(row + `[name="tags"]`)
			b.write(row+`[name="tags"]`, "letters, 1904\r")
			b.until(`[...document.querySelectorAll(` + quote(row+".tag") + `)].map((e) => e.textContent).join() === "1904,letters"`)
			js[any](b, `fetch(document.querySelector(`+quote(row+sel("download"))+`).href).then((r) => { window.sent = r.status + " " + r.headers.get("Content-Disposition") })`)
			b.until(`window.sent === '200 attachment; filename="Renamed here.md"'`)
			b.open("/documents")
			if got := b.text(row + "h3"); got != "Renamed here.md" {
				t.Errorf("after a reload it is called %q", got)
			}
			b.fits(width)
			b.shoot("row-" + strconv.Itoa(width))
			b.quiet()
		})
	}
}

// TestTheGraphHasFewControls counts what can be pressed or filled in on the overview; what is rarely used is folded, and
// still at hand.
func TestTheGraphHasFewControls(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/graph")
	b.until(pictured)
	if in := js[[]string](b, controls); len(in) > 43 {
		t.Errorf("%d controls, want at most 43: %q", len(in), in)
	} else {
		t.Logf("%d controls: %q", len(in), in)
	}
	b.shoot("graph-controls")
	b.click(sel("types") + " > summary")
	b.until(`document.querySelector('[data-testid="types"] [name="type"]').checkVisibility()`)
	js[any](b, `document.querySelector('[data-testid="types"] [name="type"]').click()`)
	b.until(pictured + ` && location.search.includes("type=") && document.querySelector('[data-testid="types"]').open`)
	b.quiet()
}
