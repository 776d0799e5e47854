//go:build faults

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/long"
)

const diaryDays = 8 // passages of the diary, each read by a call

// diary returns the given version of a text. Two passages differ from one version to the next.
func diary(version int) string {
	var text strings.Builder
	for day := range diaryDays {
		year := 0
		for v := 1; v <= version; v++ {
			if v%diaryDays == day || (v+3)%diaryDays == day {
				year = v
			}
		}
		fmt.Fprintf(&text, "Anna Quill greeted Maud Ferring at the old mill on day %d of the year %d. It rained for a long while on copper and tin.\n\n", day, year)
	}
	return text.String()
}

// A held model answers nothing while its gate is shut.
type held struct {
	*llmtest.Server
	called chan struct{} // receives once a call has come

	mu    sync.Mutex
	gate  chan struct{}
	calls map[string]int // by prompt
}

func newHeld(t *testing.T) *held {
	t.Helper()
	h := &held{Server: llmtest.New(t), called: make(chan struct{}, 1), gate: make(chan struct{}), calls: map[string]int{}}
	close(h.gate)
	h.On(llmtest.Tool("knowledge_graph"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls[r.Last()]++
		select {
		case h.called <- struct{}{}:
		default:
		}
		return llmtest.Call("knowledge_graph", map[string]any{"nodes": []map[string]any{{"id": "Anna Quill", "label": "Person"}}, "relationships": []any{}}).After(h.gate)
	}))
	return h
}

// shut keeps further answers back until open is called.
func (h *held) shut() (open func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	gate := make(chan struct{})
	h.gate = gate
	select {
	case <-h.called: // of an earlier version
	default:
	}
	return func() { close(gate) }
}

// counted returns how many different prompts the model got, and how many repetitions.
func (h *held) counted() (different, repeated int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.calls {
		repeated += n - 1
	}
	return len(h.calls), repeated
}

// TestFaultKilledWhileAVersionIsRead kills the process while it reads the next version of a
// document, while it takes it over, and when it has: each time the document is whole, as the old
// version or as the new one, and reading goes on without asking again what was answered.
func TestFaultKilledWhileAVersionIsRead(t *testing.T) {
	t.Parallel()
	model, dir := newHeld(t), t.TempDir()
	settings := []string{"LLM_PROVIDER=openai", "LLM_BASE_URL=" + model.URL, "LLM_MODEL=tiny", "LLM_API_KEY=key", "EXTRACT_MODE=tool",
		"CHUNK_TOKENS=48", "EXTRACT_WINDOW=0", "LLM_CONCURRENCY=1"}
	sh := newShell(t, settings...)
	path := func() string { return filepath.Join(dir, "diary.txt") }
	sh.must(t, "ingest", file(t, dir, "diary.txt", diary(0)))
	if different, _ := model.counted(); different != diaryDays {
		t.Fatalf("the first version took %d calls, want %d", different, diaryDays)
	}
	version, lost := 0, 0
	for range long.Or(2, 8) {
		for _, moment := range []string{"", "resolve", "project"} { // a call, or the node that ends before it
			version++
			file(t, dir, "diary.txt", diary(version))
			open := func() {}
			if moment == "" {
				open = model.shut()
				lost++
			}
			sh.killedWhen(t, moment, model.called, path())
			open()
			wholeVersion(t, sh.data, version)
			sh.must(t, "ingest", path())
			if got := wholeVersion(t, sh.data, version); got != version {
				t.Errorf("after another start version %d is in force, want %d", got, version)
			}
			different, repeated := model.counted()
			if want := diaryDays + 2*version; different != want || repeated > lost {
				t.Errorf("version %d, killed at %q: %d calls, %d of them repeated; want %d, and repeated what %d kills cut off", version, moment, different, repeated, want, lost)
			}
		}
	}
	if out := sh.must(t, "fsck"); !strings.Contains(out, "is sound: 1 document") {
		t.Errorf("afterwards: %s", out)
	}
	undisturbed := newShell(t, settings...)
	for v := range version + 1 {
		undisturbed.must(t, "ingest", file(t, dir, "diary.txt", diary(v)))
	}
	want, got := contentsOf(t, undisturbed.data), contentsOf(t, sh.data)
	want.Documents, got.Documents = nil, nil // they tell when they were read
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-undisturbed +killed\n%s", diff)
	}
}

// killedWhen adds a file in a process and kills it soon after a node has ended, or once a call has
// come for "".
func (sh shell) killedWhen(t *testing.T, node string, called <-chan struct{}, path string) {
	t.Helper()
	cmd := sh.process(t, "ingest", "--json", path)
	cmd.Env = append(cmd.Env, childTells+"=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	nodes, late := endedNodes(out), time.After(hangs)
	for reached := false; !reached; {
		var waited <-chan struct{}
		if node == "" {
			waited = called
		}
		select {
		case <-waited:
			reached = true
		case ended, more := <-nodes:
			if !more {
				t.Fatalf("the process ended before %q", node)
			}
			reached = ended == node
		case <-late:
			t.Fatalf("%q did not come within %v", node, hangs)
		}
	}
	time.Sleep(time.Duration(rand.Int64N(int64(killSpread)))) // any moment from here
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// wholeVersion checks that the document of a folder holds one version whole, with all that were before,
// and returns its number.
func wholeVersion(t *testing.T, data string, newest int) int {
	t.Helper()
	a, err := openAt(t.Context(), data, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ctx, ws := t.Context(), domain.DefaultWorkspace
	found, _, err := a.ledger.Documents(ctx, ws, ledger.DocumentQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var d domain.Document
	for _, f := range found {
		if f.VersionOf == "" {
			d = f
		}
	}
	text, err := a.ledger.Text(ctx, ws, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	chunks, err := a.ledger.Chunks(ctx, ws, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	mined, err := a.ledger.Contributions(ctx, ws, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := a.ledger.Versions(ctx, ws, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d.Version != newest && d.Version != newest-1 || d.Status != domain.DocumentReady || strings.TrimSpace(text.Content) != strings.TrimSpace(diary(d.Version)) ||
		len(chunks) != diaryDays || len(mined) != diaryDays || len(earlier) != d.Version {
		t.Errorf("version %d of %d is %s, with %d chunks, %d of them mined, and %d earlier versions:\n%s", d.Version, newest, d.Status, len(chunks), len(mined), len(earlier), text.Content)
	}
	return d.Version
}
