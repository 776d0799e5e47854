//go:build e2e

package main

import (
	"os"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chosen is the name of what Enter takes.
const chosen = `(document.querySelector('#finds [aria-selected="true"] > span')?.textContent ?? "")`

// keysAtOnce closes the palette by taking its first find, and asks for the keys before the page is drawn again. It tells
// whether they are shown, and closes them.
const keysAtOnce = `(() => {
	const palette = document.getElementById("palette"), keys = document.getElementById("all-keys");
	const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	palette.showModal();
	document.getElementById("finds").innerHTML = '<div role="option" aria-selected="true" id="find-now" data-act="theme"></div>';
	palette.querySelector("[data-find]").focus();
	press("Enter");
	press("?");
	const shown = keys.open;
	keys.close();
	return shown;
})()`

// TestThePaletteLeadsAnywhere goes by keyboard to a document, an entity and a page, changes the colours, and reads the
// keys; on a wide screen and on a phone.
func TestThePaletteLeadsAnywhere(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	base, _ := startWithSample(t)
	for _, width := range []int{1440, 390} {
		b := newBrowser(t, base, width)
		b.open("/ask")
		b.settle()
		b.until(`document.activeElement?.tagName === "TEXTAREA" || ` + strconv.FormatBool(width < 900))
		if width == 390 {
			b.click("[data-palette]")
		} else {
			b.ctrlK()
		}
		b.until(`document.getElementById("palette").open && document.activeElement.matches("[data-find]") && ` + chosen + ` !== ""`)
		b.shoot("palette-" + strconv.Itoa(width))
		js[any](b, string(axe)+"; true")
		b.read(audited{name: "palette", path: "/find"}, strconv.Itoa(width), everyRule, map[string]bool{})
		b.fits(width)
		b.press("\t")
		b.press("\t")
		b.press("\t")
		if !js[bool](b, `document.activeElement === document.body || document.getElementById("palette").contains(document.activeElement)`) {
			t.Error("Tab leaves the palette for the page below it")
		}
		b.press(kb.Escape)
		b.until(`!document.getElementById("palette").open`)

		b.goTo("copper bri", "Copper Bridge")
		b.until(`location.pathname.startsWith("/w/library/entities/") && document.querySelector("h1").textContent.includes("Copper Bridge")`)
		b.goTo("heal", "Health")
		b.until(`location.pathname === "/w/library/health"`)
		b.settle()
		b.goTo("light dark", "Switch between light and dark")
		b.until(`document.documentElement.dataset.theme === "dark" && !document.getElementById("palette").open`)
		b.shoot("palette-health-" + strconv.Itoa(width))
		if !js[bool](b, keysAtOnce) {
			t.Error("a key pressed right after the palette is not heard")
		}
		b.until(`!document.getElementById("all-keys").open`)
		b.press("?")
		b.until(`document.getElementById("all-keys").open`)
		b.shoot("keys-" + strconv.Itoa(width))
		js[any](b, string(axe)+"; true")
		b.read(audited{name: "keys", path: "/runs"}, strconv.Itoa(width), everyRule, map[string]bool{})
		b.press(kb.Escape)
		b.until(`!document.getElementById("all-keys").open`)
		b.quiet()
	}
}

// goTo finds what is typed, sees that a name comes, and takes it.
func (b *browser) goTo(typed, name string) {
	b.t.Helper()
	b.settle()
	b.ctrlK()
	b.until(`document.getElementById("palette").open && document.activeElement.matches("[data-find]")`)
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(typed)))
	b.until(`[...document.querySelectorAll("#finds [role=option] > span:first-child")].some((e) => e.textContent === ` + quote(name) + `)`)
	for range 20 {
		if js[string](b, chosen) == name {
			break
		}
		b.press(kb.ArrowDown)
	}
	b.press("\r")
}

func (b *browser) ctrlK() {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent("k", chromedp.KeyModifiers(kb.ModifierCtrl))))
}
