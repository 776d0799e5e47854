package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// deletesAfterAHistory deletes documents whose words nothing else holds, after random things were
// done in a library of random size, with a model that repeats words or without one.
func deletesAfterAHistory(t *testing.T, r *rand.Rand) {
	t.Helper()
	sh := newShell(t)
	if r.IntN(2) == 0 {
		more := make(chan struct{})
		close(more)
		sh = connected(t, telling(t, more))
	}
	a := sh.app(t)
	worker := a.worker(a.kinds().Concurrency())
	forever := context.WithoutCancel(t.Context())
	noError(t, worker.Start(forever))
	end := sync.OnceValue(func() error { return worker.Stop(forever) })
	t.Cleanup(func() { noError(t, end()) })

	h := history{app: a, r: r}
	for range 1 + r.IntN(2) {
		h.fill(t, r.IntN(5))
		h.doomed = append(h.doomed, a.takes(t, fmt.Sprintf("papers%d.md", len(h.doomed)), h.papers()).ID)
		h.fill(t, r.IntN(4))
	}
	for range 4 + r.IntN(5) {
		h.step(t)
	}
	if len(left(t, sh.data)) == 0 {
		t.Fatal("nothing holds the words: the test would see nothing")
	}
	h.deletes(t)
	lookFor(t, sh.data, "once it is deleted")
	noError(t, end())
	noError(t, a.Close())
	lookFor(t, sh.data, "once the program has ended")
}

// history does random things.
type history struct {
	*app
	r        *rand.Rand
	n        int // fillers so far
	filler   []domain.DocumentID
	doomed   []domain.DocumentID
	answered []ledger.Answer
}

// papers is a document of the words to be deleted, of a random length.
func (h *history) papers() string {
	var b strings.Builder
	b.WriteString(markerText)
	for range h.r.IntN(60) {
		switch h.r.IntN(3) {
		case 0:
			fmt.Fprintf(&b, "\n\nPaper %d: %s", h.r.IntN(1000), markerSentence)
		case 1:
			fmt.Fprintf(&b, " %s counted %d zwurbelnicks.", markerName, h.r.IntN(1000))
		default:
			fmt.Fprintf(&b, " The pyxwort of Maud Ferring had %d leaves.", h.r.IntN(1000))
		}
	}
	return b.String()
}

// fill adds documents of random length that stay.
func (h *history) fill(t *testing.T, n int) {
	t.Helper()
	names := []string{"Ada Moen", "Bo Lind", "Maud Ferring", "Tobias Quennell", "Carrow Foundry", "Velm Bridge", "Osterby"}
	name := func() string { return names[h.r.IntN(len(names))] }
	for range n {
		h.n++
		var b strings.Builder
		for range 1 + h.r.IntN(50) {
			fmt.Fprintf(&b, "%s paid %d crowns to %s for the weir. ", name(), h.r.IntN(100_000), name())
		}
		h.filler = append(h.filler, h.takes(t, fmt.Sprintf("filler%d.txt", h.n), b.String()).ID)
	}
}

var historyQuestions = []string{
	"What hung above the water?", "Which thing hung there?", "Who met Maud Ferring at the weir?", "What hung there that night?", "Who paid for the weir?",
	"How heavy was it?", "Whom did Maud Ferring meet?",
}

// step does one random thing.
func (h *history) step(t *testing.T) {
	t.Helper()
	ctx, w := t.Context(), domain.DefaultWorkspace
	switch h.r.IntN(10) {
	case 0, 1, 2, 3:
		m := h.asks(t, historyQuestions[h.r.IntN(len(historyQuestions))])
		h.finishes(t, m.Run)
		h.answered = append(h.answered, m)
	case 4, 5:
		if len(h.answered) == 0 {
			return
		}
		m := h.answered[h.r.IntN(len(h.answered))]
		h.finishes(t, h.asksIn(t, m.Conversation, historyQuestions[h.r.IntN(len(historyQuestions))]).Run)
	case 6:
		h.sumsUp(t, h.doomed[0])
	case 7:
		h.fill(t, 1+h.r.IntN(3))
	case 8:
		if len(h.filler) > 0 {
			i := h.r.IntN(len(h.filler))
			noError(t, remove(ctx, h.documents, h.filler[i]))
			h.filler = append(h.filler[:i], h.filler[i+1:]...)
		}
	default:
		again, err := h.documents.ReadAgain(ctx, w, h.doomed[0])
		noError(t, err)
		h.finishes(t, again.Run)
	}
}

// deletes deletes the doomed documents, one by one or at once.
func (h *history) deletes(t *testing.T) {
	t.Helper()
	if h.r.IntN(2) == 0 {
		_, err := h.documents.DeleteNow(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{IDs: h.doomed}, false)
		noError(t, err)
		return
	}
	for _, id := range h.doomed {
		noError(t, remove(t.Context(), h.documents, id))
	}
}
