//go:build e2e

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
)

// shownPair is the pair on the bench, once everything sent is answered.
const shownPair = `(document.querySelector("[data-review]")?.dataset.waiting ?? "0") === "0" && document.querySelector("#bench")?.dataset.pair`

// propose stores pairs of the most mentioned entities of the sample library.
func propose(t *testing.T, data string, n int) []ledger.Proposal {
	t.Helper()
	a := stored(t, data)
	compared(t, a)
	found, _, err := a.graph.Entities(t.Context(), domain.DefaultWorkspace, graphstore.EntityQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var list []ledger.Proposal
	for i := range n {
		list = append(list, ledger.Proposal{
			A: found[2*i].ID, B: found[2*i+1].ID, Score: 0.9 - float64(i)/100, Pattern: "initials",
			Evidence: []ledger.ProposalEvidence{{Kind: "name", Words: "The family name is equal, and initials fit.", Weight: 3}, {Kind: "gender", Words: "One is addressed as a man, the other as a woman.", Against: true, Weight: 2}},
		})
	}
	if err := a.ledger.Propose(t.Context(), domain.DefaultWorkspace, list); err != nil {
		t.Fatal(err)
	}
	list, _, err = a.ledger.Proposals(t.Context(), domain.DefaultWorkspace, ledger.ProposalQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// compared waits until the server has compared the entities, which replaces the
// pairs that wait.
func compared(t *testing.T, a *app) {
	t.Helper()
	r, err := a.proposals.Start(t.Context(), domain.DefaultWorkspace)
	if err != nil {
		t.Fatal(err)
	}
	for r.Status != job.Done {
		wait(t.Context(), 25*time.Millisecond)
		if r, err = a.queue.Get(t.Context(), domain.DefaultWorkspace, r.ID); err != nil || r.Status == job.Failed {
			t.Fatalf("the comparison has status %s: %v", r.Status, err)
		}
	}
}

// TestPairsAreDecidedByKeyboard walks through the queue: merge, keep apart,
// later, undo, and all pairs of a pattern in one go.
func TestPairsAreDecidedByKeyboard(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 390} {
		base, data := startWithSample(t)
		pairs := propose(t, data, 6)
		b := newBrowser(t, base, width)
		at := func(i int) { t.Helper(); b.until(shownPair + ` === ` + quote(string(pairs[i].ID))) }
		b.open("/review")
		at(0)
		b.fits(width)
		b.shoot(map[int]string{1440: "review", 390: "review-phone"}[width])
		if n := b.text(`.nav-review`); n != "6" {
			t.Errorf("the bar counts %q pairs, want 6", n)
		}
		b.press("j")
		at(1)
		b.press("J")
		at(0)
		b.press("2")
		b.press("m")
		at(1)
		if said := b.text("#undo"); !strings.Contains(said, "Merged “") {
			t.Errorf("after the merge the bar says %q", said)
		}
		b.press("u")
		at(0) // the pair is back
		b.until(`document.querySelector('[data-testid="queue"]').textContent.includes("6 left")`)
		b.press("k")
		at(1)
		b.until(`document.querySelector('[data-testid="queue"]').textContent.includes("5 left, 1 decided today")`)
		b.press("l")
		at(2)
		if last := js[string](b, `[...document.querySelectorAll("#queue [data-pair]")].at(-1).dataset.pair`); last != string(pairs[1].ID) {
			t.Errorf("the pair put off is not the last")
		}
		b.press("?")
		b.until(`document.querySelector("#keys").open`)
		b.press("\r")
		b.until(`!document.querySelector("#keys").open`)
		b.press("a")
		b.until(`document.querySelectorAll('[data-testid="alike-form"] input[name="pair"]:checked').length === 5`)
		b.fits(width)
		js[any](b, `document.querySelector('[data-testid="alike-form"] input[name="pair"]').click()`)
		b.click(sel("merge-all"))
		b.until(`!!document.querySelector('[data-testid="undo"]') && (document.querySelector('[data-testid="queue"]')?.textContent ?? "").includes("1 left, 5 decided today")`)
		if said := b.text("#undo"); !strings.Contains(said, "4 pairs") {
			t.Errorf("after all of a pattern the bar says %q", said)
		}
		b.press("u")
		b.until(`(document.querySelector('[data-testid="queue"]')?.textContent ?? "").includes("5 left, 1 decided today")`)
		b.fits(width)
		b.quiet()
	}
}

// TestPairsAreDecidedWithOneKeyEach decides fifteen pairs, each as soon as it is shown:
// nobody waits for the server.
func TestPairsAreDecidedWithOneKeyEach(t *testing.T) {
	t.Parallel()
	base, data := startWithSample(t)
	pairs := propose(t, data, 16)
	b := newBrowser(t, base, 1440)
	b.open("/review")
	b.until(shownPair + ` === ` + quote(string(pairs[0].ID)))
	for i := range 15 {
		b.press([]string{"m", "k"}[i%2])
		b.until(`document.querySelector("#bench")?.dataset.pair === ` + quote(string(pairs[i+1].ID)))
	}
	b.until(shownPair + ` !== ""`)
	if n := pairsLeft(t, data); n != 1 {
		t.Errorf("%d pairs are left, want 1", n)
	}
	b.quiet()
}

// pairsLeft counts the pairs that wait.
func pairsLeft(t *testing.T, data string) int {
	t.Helper()
	_, n, err := stored(t, data).ledger.Proposals(t.Context(), domain.DefaultWorkspace, ledger.ProposalQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAWorkListIsWorkedThrough labels three entities of a work list by keys.
func TestAWorkListIsWorkedThrough(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 390} {
		base, _ := startWithSample(t)
		b := newBrowser(t, base, width)
		b.open("/review?list=unlabelled")
		b.until(`!!document.querySelector('[data-testid="work"]')`)
		b.fits(width)
		b.shoot(fmt.Sprintf("review-work-%d", width))
		names := js[[]string](b, `[...document.querySelectorAll('[data-testid="work-row"]')].slice(0, 4).map(r => r.dataset.entity)`)
		if len(names) < 4 {
			t.Fatalf("the list has %d entries", len(names))
		}
		label := js[string](b, `document.querySelector('[data-row-key="1"]').value`)
		b.press("j")
		for i := range 3 {
			b.until(`document.querySelector("[data-row][data-current]")?.dataset.entity === ` + quote(names[i]))
			b.press("1")
		}
		b.until(`document.querySelector("[data-review]").dataset.waiting === "0"`)
		if said := b.text("#undo"); !strings.Contains(said, "as "+label) {
			t.Errorf("after three labels the bar says %q", said)
		}
		b.press("u")
		b.until(`location.search.includes("change=") && document.querySelector('[data-testid="work-row"]')?.dataset.entity !== ` + quote(names[0]))
		b.until(`document.querySelectorAll('[data-entity=` + quote(names[2]) + `]').length === 1`)
		if b.count(`[data-entity=`+quote(names[1])+`]`) != 0 {
			t.Error("more than the last label was taken back")
		}
		b.quiet()
	}
}
