//go:build e2e

package main

import (
	"strconv"
	"testing"

	"github.com/clewhq/clew/views/link"
)

// said returns the text of the bar after a change, once it holds words.
func (b *browser) said(words string) string {
	b.t.Helper()
	b.until(`document.readyState === "complete" && (document.querySelector("#undo")?.textContent ?? "").includes(` + quote(words) + `)`)
	return b.text("#undo")
}

// fill replaces the text of a field.
func (b *browser) fill(selector, text string) {
	b.t.Helper()
	b.until(`document.readyState === "complete" && !!document.querySelector(` + quote(selector) + `)`)
	js[any](b, `(f => { f.value = ""; f.focus() })(document.querySelector(`+quote(selector)+`))`)
	b.write(selector, text)
}

// mark selects words in the text of a document, as the mouse does.
func (b *browser) mark(words string) {
	b.t.Helper()
	b.until(`document.readyState === "complete" && !!document.querySelector("[data-mark-bar]")`)
	js[any](b, `(() => {
		const walker = document.createTreeWalker(document.querySelector('[data-testid="text"]'), NodeFilter.SHOW_TEXT);
		for (let node; (node = walker.nextNode());) {
			const at = node.data.indexOf(`+quote(words)+`);
			if (at < 0) continue;
			const range = document.createRange();
			range.setStart(node, at);
			range.setEnd(node, at + `+strconv.Itoa(len(words))+`);
			const selection = getSelection();
			selection.removeAllRanges();
			selection.addRange(range);
			return;
		}
	})()`)
	b.until(`!document.querySelector("[data-mark-bar]").hidden`)
}

// TestTheGraphIsChangedByHand creates an entity from marked words, relates it,
// edits a property, relabels, merges three, splits, deletes, and undoes it all:
// wide, and in part on a phone.
func TestTheGraphIsChangedByHand(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		wide := strconv.Itoa(width)
		b := newBrowser(t, base, width)
		checked := func(name string) {
			b.settle()
			b.fits(width)
			b.shoot("hand-" + name + "-" + wide)
		}
		b.open("/documents?q=bridge")
		b.click(`#rows a[href^="/w/library/documents/d"]`)
		b.until(`document.readyState === "complete" && !!document.querySelector('[data-testid="text"] p')`)
		words := js[string](b, `document.querySelector('[data-testid="text"] p[data-at]').firstChild.data.trim().split(/\s+/).slice(0, 2).join(" ")`)
		b.mark(words)
		checked("marked")
		b.click(sel("mark-entity"))
		b.until(`document.querySelector('[data-testid="name"]')?.value === ` + quote(words))
		checked("new-entity")
		b.fill(sel("label"), "Topic")
		b.click(sel("save"))
		b.said("Added “" + words + "” as Topic, from a document")
		if width == 390 {
			b.click(sel("undo"))
			b.said("Took back: added")
			b.quiet()
			continue
		}

		b.mark(words)
		b.click(sel("mark-relation"))
		b.fill(sel("source"), words)
		b.fill(sel("type"), "concerns")
		other := js[string](b, `[...document.querySelectorAll("#near option")].map((o) => o.value).find((name) => name !== `+quote(words)+`) ?? "Copper Bridge"`)
		b.fill(sel("target"), other)
		checked("new-relation")
		b.click(sel("save"))
		b.said("Added that “" + words + "” concerns “" + other + "”")

		b.open(link.With(link.Entities, "q", words))
		b.click(`[data-testid="entities"] a`)
		b.click(sel("properties"))
		b.fill(`[data-testid="new-property"] [name="key"]`, "first seen")
		b.fill(`[data-testid="new-property"] [name="value"]`, "1874")
		b.click(sel("add-property"))
		b.said("Set first seen of")
		checked("properties")
		b.click(".crumb a:last-child")
		b.click(sel("rename"))
		b.fill(sel("label"), "Theme")
		b.click(sel("save"))
		b.said("Labelled “" + words + "” as Theme")
		checked("entity")

		b.open(link.Entities)
		for i := range 3 {
			js[any](b, `document.querySelectorAll('[data-testid="entities"] [name="id"]')[`+strconv.Itoa(i)+`].click()`)
		}
		checked("list")
		b.click(sel("merge-marked"))
		b.until(`document.querySelectorAll('[data-testid="several"] [name="entity"]').length === 3`)
		checked("several")
		b.click(sel("do-merge"))
		b.said("Merged “") // on the list, where the form was opened
		b.click(`[data-testid="entities"] a[href^="/w/library/entities/"]`)
		b.click(sel("split"))
		b.until(`!!document.querySelector('[data-testid="do-split"]')`)
		checked("split")
		b.click(`[name="form"]`)
		b.click(sel("do-split"))
		b.said("Took “")
		split := js[string](b, `location.pathname`)
		b.click(sel("delete"))
		b.said("Deleted “")
		if at := js[string](b, `location.pathname`); at != library(link.Graph) {
			t.Errorf("deleting %s leads to %s", split, at)
		}

		b.open("/review/changes")
		checked("changes")
		made := js[[]string](b, `[...document.querySelectorAll(".change-line")].map((line) => line.id)`)
		if len(made) < 7 {
			t.Errorf("the list has %d changes", len(made))
		}
		for _, id := range made {
			if js[bool](b, `!!document.querySelector("#`+id+` form")`) {
				js[any](b, `document.querySelector("#`+id+` button").click()`)
				b.until(`document.readyState === "complete" && !!document.querySelector("#` + id + ` .undone")`)
			}
		}
		b.quiet()
	}
}
