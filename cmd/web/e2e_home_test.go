//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"
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
			if said := squeeze(b.text(sel("recent"))); !strings.Contains(said, "Nothing was asked yet.") {
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
// until its questions can be asked; a file of which nothing is in the graph needs a look.
func TestHomeFollowsTheReading(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	b.open("/")
	b.drop("numbers.txt", "and 12 and 13 or 14, then less of it than more.\n")
	b.until(`location.pathname === "/documents"`)
	b.until(`document.querySelector('[data-name="numbers.txt"][data-status="empty"]')`)
	b.open("/")
	if said := squeeze(b.text(sel("needs-look"))); !strings.Contains(said, "numbers.txt: nothing extracted") || !strings.Contains(said, "Open") {
		t.Errorf("what needs a look: %s", said)
	}
	if said := squeeze(b.text(sel("being-read"))); !strings.Contains(said, "Nothing. All 13 documents are read.") {
		t.Errorf("what is being read: %s", said)
	}
	b.shoot("home-look")
	b.quiet()
}
