package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/race"
)

// ask asks a question in the page and returns the id of its turn.
func (v *served) ask(t *testing.T, question string) domain.MessageID {
	t.Helper()
	status, place := v.post(t, "/ask", url.Values{"question": {question}})
	_, id, ok := strings.Cut(place, "#turn-")
	if !ok {
		t.Fatalf("asking %q: status %d, to %s", question, status, place)
	}
	return domain.MessageID(id)
}

// TestARunKeepsTheModelItBeganWith connects another model, and changes a setting, while a question waits for the first
// model: that question is answered by the first one to its end, and what is asked meanwhile by the other.
func TestARunKeepsTheModelItBeganWith(t *testing.T) {
	race.Want(t)
	t.Parallel()
	first, second := obliging(t), obligingWith(t, "Ferring and Quennell did [1].")
	asked, goes := make(chan struct{}, 100), make(chan struct{})
	first.First(llmtest.Tool("grade_passage"), llmtest.Compute(func(llmtest.Request) llmtest.Reply {
		asked <- struct{}{}
		<-goes
		return llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "Names her."})
	}))
	sh := read(t)
	v := sh.serve(t)
	a := sh.app(t)
	connects(t, v, first, "tiny", "")
	began := v.ask(t, "Who founded the Carrow Foundry?")
	<-asked
	connects(t, v, second, "other", "")
	if status, _ := v.post(t, "/settings/set", url.Values{"PASSAGES": {"3"}}); status != http.StatusSeeOther {
		t.Errorf("setting PASSAGES: status %d", status)
	}
	next := settled(t, a, v.ask(t, "Who built the Velm Bridge?"))
	if !strings.Contains(next.Text, "Ferring and Quennell") {
		t.Errorf("the other model is not used for %q", next.Text)
	}
	calls := second.Calls(llmtest.Any)
	close(goes)
	if m := settled(t, a, began); !strings.Contains(m.Text, "Maud Ferring founded it") {
		t.Errorf("what began with the first model says %q", m.Text)
	}
	if n := second.Calls(llmtest.Any); n != calls {
		t.Errorf("what began with the first model made %d calls to the other", n-calls)
	}
}

// TestAWorkerFollowsWhatIsSet: a process without pages uses what another one sets and connects.
func TestAWorkerFollowsWhatIsSet(t *testing.T) {
	race.Want(t)
	t.Parallel()
	model := obliging(t)
	sh := read(t)
	v := sh.pages(t)
	sh.works(t)
	a := sh.app(t)
	connects(t, v, model, "tiny", "small")
	sh.must(t, "settings", "set", "MAX_LOOPS", "0")
	for deadline := time.Now().Add(hangs); ; { // a worker looks every three seconds
		m := settled(t, a, v.ask(t, "Who founded the Carrow Foundry?"))
		if strings.Contains(m.Text, "Maud Ferring founded it") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the worker still answers %q", m.Text)
		}
	}
	a.untilEmbedded(t) // what was read without vectors gets them
}

// works runs clew work in this process until the test ends.
func (sh shell) works(t *testing.T) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := sh.runWith(t.Context(), "work")
		ended <- err
	}()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Errorf("work: %v", err)
		}
	})
}
