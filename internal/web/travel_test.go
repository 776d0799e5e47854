package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestAnEndedRunIsShownAtEachOfItsMoments asks what the document does not say,
// so that the question is reworded three times.
func TestAnEndedRunIsShownAtEachOfItsMoments(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "Which zebra galloped?")
	last := b.get(t, link.Run(m.Run))
	if n := strings.Count(last.body, "data-stop="); n < 10 {
		t.Fatalf("the rail has %d moments", n)
	}
	var loops, gone []string
	reworded := 0 // in its field, and nowhere else
	for n := range strings.Count(last.body, "data-stop=") {
		p := b.get(t, link.RunAt(m.Run, n))
		if p.status != 200 || !strings.Contains(p.body, fmt.Sprintf(`data-step="%d"`, n)) {
			t.Fatalf("step %d: %d", n, p.status)
		}
		if strings.Contains(p.body, `class="new" data-field="loop_count"`) {
			loops = append(loops, between(p.body, `data-field="loop_count"`, "</div>"))
		}
		if field := between(p.body, `class="new" data-field="query_rewrites"`, `class="steps"`); strings.Count(field, `data-testid="rewrite"`) == 1 {
			reworded++
		}
		if strings.Contains(p.body, "There is no state to show") {
			gone = append(gone, fmt.Sprint(n))
		}
	}
	if len(loops) != 3 || !strings.Contains(loops[2], "<del>2</del> 3") || len(gone) > 0 || reworded != 3 {
		t.Errorf("loop_count changes in %d steps, lastly %q, query_rewrites in %d; steps %v have no state", len(loops), loops[max(0, len(loops)-1):], reworded, gone)
	}
	if p := b.get(t, link.RunAt(m.Run, 999)); p.status != 404 {
		t.Errorf("a step too far: %d", p.status)
	}
	if p := b.get(t, link.RunRow(m.Run, 2)); !strings.Contains(p.body, `data-step="2"`) {
		t.Error("the second row does not lead to the second step")
	}
	if _, err := b.Threads.Sweep(t.Context(), b.Clock.Now().AddDate(1, 0, 0), 0); err != nil {
		t.Fatal(err)
	}
	if p := b.get(t, link.RunAt(m.Run, 3)); p.status != 200 || !strings.Contains(p.body, "no longer kept") {
		t.Errorf("a run whose states are swept: %d", p.status)
	}
}

// TestAStepTellsWhatItChanged asks what the document does not say, so that the question is reworded.
func TestAStepTellsWhatItChanged(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "Which zebra galloped?")
	steps := b.get(t, link.Turn(m.Conversation, m.Message))
	reworded := ""
	for n := 1; ; n++ {
		row := between(steps.body, fmt.Sprintf(`id="step-%s-%d"`, m.Run, n), "</summary>")
		if row == "" {
			t.Fatal("no step rewords the question")
		}
		if strings.Contains(row, `data-node="transform_query"`) {
			reworded = link.RunChanges(m.Run, n)
			break
		}
	}
	if !strings.Contains(steps.body, `hx-get="`+strings.ReplaceAll(reworded, "&", "&amp;")) {
		t.Errorf("no step unfolds to %s", reworded)
	}
	p := b.get(t, reworded)
	for _, want := range []string{`<span class="r">− loop_count`, `<span class="a">+ loop_count`, `<span class="a">+ query_rewrites`} {
		if p.status != 200 || !strings.Contains(p.body, want) {
			t.Errorf("%s: %d, no %s in %s", reworded, p.status, want, p.body)
		}
	}
	if p := b.get(t, link.RunChanges(m.Run, 0)); p.status != 404 {
		t.Errorf("a step that there is not: %d", p.status)
	}
	if _, err := b.Threads.Sweep(t.Context(), b.Clock.Now().AddDate(1, 0, 0), 0); err != nil {
		t.Fatal(err)
	}
	if p := b.get(t, reworded); p.status != 200 || !strings.Contains(p.body, "no longer kept") {
		t.Errorf("a run whose states are swept: %d", p.status)
	}
}

func TestAChunkLeadsToItsPassage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	d := b.Read(t, "foundry.txt", foundry)
	chunks, err := b.Ledger.Chunks(t.Context(), testkit.Workspace, d.ID)
	testkit.Must(t, err)
	p := b.get(t, link.Chunk(chunks[0].ID))
	if want := link.Passage(d.ID, chunks[0].Span); p.status != 303 && !strings.Contains(p.body, "foundry.txt") {
		t.Errorf("%d, want a way to %s", p.status, want)
	}
	if p := b.get(t, link.Chunk(domain.NewChunkID(d.ID, "none", 0))); p.status != 404 {
		t.Errorf("a chunk that is gone: %d", p.status)
	}
}

// between returns the text between two marks.
func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	found, _, _ := strings.Cut(rest, to)
	return found
}
