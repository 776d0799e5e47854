//go:build e2e

package main

import (
	"strconv"
	"strings"
	"testing"
)

// TestTheSettingsFitOnAScreen looks at the page: three parts of rows, each with a value and a button, and the list of all
// settings begun on the same screen; on a wide screen and on a phone, in both colours.
func TestTheSettingsFitOnAScreen(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t, "PASSAGES=9")
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open("/settings")
		b.settle()
		b.fits(width)
		if parts := js[string](b, `[...document.querySelectorAll(".part h2")].map((h) => h.textContent).join("|")`); parts != "Model|Reading|People and access" {
			t.Errorf("the parts are %s", parts)
		}
		bare := js[string](b, `[...document.querySelectorAll(".part li")].filter((r) => !r.querySelector(".is")?.textContent.trim() || r.querySelectorAll(".acts > a").length !== 1).map((r) => r.id).join()`)
		if n := b.count(".part li"); n < 9 || n > 11 || bare != "" {
			t.Errorf("%d rows, without a value or a button: %s", n, bare)
		}
		height, words := js[int](b, `document.documentElement.scrollHeight`), js[int](b, `document.querySelector("main").innerText.split(/\s+/).length`)
		t.Logf("%d pixels wide: %d high, %d words", width, height, words)
		if top := js[int](b, `Math.round(document.getElementById("advanced-title").getBoundingClientRect().top)`); width == 1440 && (top > 900 || height > 2400 || words > 900) || height > 2600 {
			t.Errorf("the list begins at %d, the page is %d high and has %d words", top, height, words)
		}
		b.shoot("settings-" + strconv.Itoa(width))
		js[any](b, `document.documentElement.dataset.theme = "dark"; document.getAnimations().forEach((a) => a.finish())`)
		b.shoot("settings-dark-" + strconv.Itoa(width))
		b.quiet()
	}
}

// TestASettingIsChangedInPlace finds a setting by typing, opens its form by the keyboard, is refused, saves, and takes it
// back; then changes the languages of scans, and looks at what the environment has fixed.
func TestASettingIsChangedInPlace(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t, "PASSAGES=9")
	b := newBrowser(t, base, 1440)
	b.open("/settings")
	js[any](b, `window.before = true`)
	b.write(`.adv [name="q"]`, "max loops")
	b.until(`document.querySelectorAll(".vars > li").length === 1 && location.search === "?q=max%20loops" && !document.querySelector(".htmx-request, .htmx-settling")`)
	js[any](b, `document.querySelector('[data-testid="open-row-MAX_LOOPS"]').focus()`)
	b.press("\r")
	b.until(`document.activeElement.name === "MAX_LOOPS"`)
	if !js[bool](b, `window.before === true`) {
		t.Error("the form was opened on another page")
	}
	b.fill(`[name="MAX_LOOPS"]`, "many")
	b.shoot("settings-form")
	b.click(sel("save-settings"))
	b.until(`document.activeElement.getAttribute("aria-invalid") === "true"`)
	if said := squeeze(b.text(sel("problem"))); !strings.Contains(said, `MAX_LOOPS is "many", but should be a whole number`) {
		t.Errorf("at the field stands %q", said)
	}
	b.shoot("settings-problem")
	b.fill(`[name="MAX_LOOPS"]`, "2")
	b.click(sel("save-settings"))
	b.until(`document.readyState === "complete" && location.search.includes("changed=MAX_LOOPS")`)
	if said := squeeze(b.text("#undo")); !strings.Contains(said, "MAX_LOOPS is now 2; it was 3.") {
		t.Errorf("after saving, it says %q", said)
	}
	if row := squeeze(b.text("#row-MAX_LOOPS")); !strings.Contains(row, "is 2 set in page default 3") {
		t.Errorf("the row says %q", row)
	}
	if said := (shell{data: data}).must(t, "settings", "--changed"); !strings.Contains(said, "MAX_LOOPS") {
		t.Errorf("clew settings --changed says %s", said)
	}
	b.shoot("settings-saved")
	b.click(sel("undo"))
	b.until(`document.readyState === "complete" && document.querySelector("#undo")?.textContent.includes("MAX_LOOPS is now 3; it was 2.")`)

	b.click(sel("open-row-scans"))
	b.until(`document.activeElement.name === "OCR"`)
	b.fill(`[name="OCR_LANGUAGES"]`, "eng+deu")
	b.click(sel("save-settings"))
	b.until(`document.readyState === "complete" && document.activeElement.dataset.testid === "open-row-scans"`)
	if said := squeeze(b.text("#undo")); !strings.Contains(said, "OCR_LANGUAGES is now eng+deu; it was eng.") {
		t.Errorf("after saving, it says %q", said)
	}
	js[any](b, `document.querySelector("#settings-only a:last-child").click()`)
	b.until(`document.readyState === "complete" && location.search.includes("only=environment") && document.querySelector("#row-PASSAGES")`)
	if row := squeeze(b.text("#row-PASSAGES")); !strings.HasSuffix(row, "is 9 set in environment default 8 fixed") {
		t.Errorf("what the environment sets says %q", row)
	}
	b.quiet("422")
}

// TestFormerAddressesLeadOn opens the pages that moved by their former addresses, and those that there is no need for.
func TestFormerAddressesLeadOn(t *testing.T) {
	t.Parallel()
	base, _ := startWithSample(t)
	b := newBrowser(t, base, 1440)
	for former, now := range map[string]string{"/prompts": "/settings/prompts", "/prompts/grade": "/settings/prompts/grade", "/changes?kind=merge": "/review/changes?kind=merge"} {
		b.open(former)
		if at := js[string](b, `location.pathname + location.search`); at != library(now) {
			t.Errorf("%s leads to %s, want %s", former, at, now)
		}
	}
	b.open("/review")
	b.click(`.review-tabs a[href="/w/library/review/changes"]`)
	b.until(`document.querySelector("h1")?.textContent === "Changes" && !!document.querySelector('.review-tabs [aria-current="page"]')`)
	b.shoot("changes-in-review")
	b.open("/settings")
	if said := b.text(".tabs"); strings.Contains(said, "Usage") || strings.Contains(said, "Prompts") {
		t.Errorf("without a model, the tabs are %s", squeeze(said))
	}
	b.open("/graph")
	if js[bool](b, `document.body.textContent.includes("Cypher")`) {
		t.Error("without Neo4j, the graph offers Cypher")
	}
	b.quiet()
}
