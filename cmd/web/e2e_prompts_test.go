//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"
)

// TestAPromptIsEditedInTheBrowser meets an unknown variable, mends it, saves by
// the keyboard, looks at what changed, tries out and resets, on a wide screen and
// on a phone.
func TestAPromptIsEditedInTheBrowser(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	for i, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		role := []string{"grade", "rewrite"}[i]
		b.open("/settings/prompts")
		b.fits(width)
		b.shoot("prompts-" + strconv.Itoa(width))
		b.click(`a[href="/w/library/settings/prompts/` + role + `"]`)
		b.until(`!!document.querySelector("#prompt-text")`)
		put := func(text string) {
			js[bool](b, `(() => { const t = document.querySelector("#prompt-text"); const at = t.value.indexOf("Question:"); t.setSelectionRange(at, at); t.setRangeText(`+strconv.Quote(text)+`, at, at, "end"); return true })()`)
		}
		put("{{.Passge}} ")
		b.click(sel("save"))
		b.until(`!!document.querySelector("#prompt-problem")`)
		if said := b.text(sel("problem")); !strings.Contains(said, "{{.Passge}}") || !strings.Contains(said, ".Question") {
			t.Errorf("the page says %q", said)
		}
		b.until(`document.activeElement.id === "prompt-text" && document.activeElement.getAttribute("aria-invalid") === "true"`)
		b.fits(width)
		b.shoot("prompt-problem-" + strconv.Itoa(width))
		js[bool](b, `(() => { const t = document.querySelector("#prompt-text"); t.value = t.value.replace("{{.Passge}} ", "Mind the dates. "); const at = t.value.indexOf("Question:"); t.setSelectionRange(at, at); return true })()`)
		b.click(`[data-insert="{{.Question}}"]`)
		js[bool](b, `(() => { document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "s", ctrlKey: true, bubbles: true})); return true })()`)
		b.until(`location.search === "?done=prompt"`)
		b.click(sel("versions") + ` a`)
		b.until(`!!document.querySelector('[data-testid="diff"]')`)
		if said := b.text(sel("diff")); !strings.Contains(said, "Mind the dates.") {
			t.Errorf("the difference says %q", said)
		}
		b.fits(width)
		b.shoot("prompt-diff-" + strconv.Itoa(width))
		b.write(sel("words"), "bridge")
		b.click(sel("try"))
		b.until(`!!document.querySelector('[data-testid="trial"]')`)
		if said := b.text(sel("trial")); !strings.Contains(said, "a model has to be connected") || !strings.Contains(said, "comes from outside") {
			t.Errorf("the try-out shows %.300q", said)
		}
		b.fits(width)
		b.shoot("prompt-trial-" + strconv.Itoa(width))
		b.click(sel("reset"))
		b.until(`location.search === "?done=prompt" && !document.querySelector('[data-testid="reset"]')`)
		b.quiet("422")
	}
}
