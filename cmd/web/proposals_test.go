package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestProposalsFromTheCommandLine compares entities, which was done after reading too, and decides about what is
// proposed.
func TestProposalsFromTheCommandLine(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "Agnes Lovibond founded the Carrow Foundry. Agnes Lovibond met Otto Marl.",
		"b.txt": "Captain Agnes Lovibond met Otto Marl. Captain Agnes Lovibond lived in Velm.",
		"c.txt": "A. Lovibond taught in Osterby. A. Lovibond knew nobody.",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sh.must(t, "ingest", dir)
	if out := sh.must(t, "entities", "resolve", "--dry"); !strings.Contains(out, "1 merged by rule") || !strings.Contains(sh.must(t, "entities", "proposals"), "Lovibond") {
		t.Errorf("dry: %s", out)
	}
	done := decoded[proposals.Resolved](t, sh.must(t, "entities", "resolve", "--json"))
	if len(done.Merged) != 1 || done.Proposed == 0 {
		t.Fatalf("got %+v, want one merge and some proposals", done)
	}
	first := func(flags ...string) curate.Proposed {
		t.Helper()
		return decoded[[]curate.Proposed](t, sh.must(t, append([]string{"entities", "proposals", "--json"}, flags...)...))[0]
	}
	p := first()
	if p.NameA == "" || p.NameB == "" || len(p.Evidence) == 0 {
		t.Errorf("the first proposal is %+v", p)
	}
	sh.must(t, "entities", "later", string(p.ID))
	if out := sh.must(t, "entities", "accept", string(p.ID)); !strings.Contains(out, "Merged") {
		t.Errorf("accepted: %s", out)
	}
	if got := first("--decided"); got.ID != p.ID || got.Status != "merged" {
		t.Errorf("the last decision is %+v", got)
	}
	for _, args := range [][]string{{"entities", "reject"}, {"entities", "never", "p1"}} {
		if out, err := sh.run(t, args...); err == nil {
			t.Errorf("clew %s succeeds: %s", strings.Join(args, " "), out)
		}
	}
}

// TestAModelAndEmbeddingsCompareNames compares with models behind a real server: names
// that it embeds alike are curate.Proposed, it breaks ties, and what it said stands in the
// queue, on the page as in the command.
func TestAModelAndEmbeddingsCompareNames(t *testing.T) {
	t.Parallel()
	model, names := llmtest.New(t), []string{"Edda Lanternfield", "Edda Lanternfeild", "Lantern Bridge", "Pont Lanterne"}
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		nodes := []map[string]any{}
		for i, name := range names {
			if strings.Contains(r.Last(), name) {
				nodes = append(nodes, map[string]any{"id": name, "label": []string{"Person", "Place"}[i/2]})
			}
		}
		return llmtest.Call("knowledge_graph", map[string]any{"nodes": nodes, "relationships": []any{}})
	}))
	model.On(llmtest.Tool("decide"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		verdict := "same"
		if strings.Contains(r.Last(), "Pont Lanterne") {
			verdict = "unsure"
		}
		return llmtest.Call("decide", map[string]any{"verdict": verdict})
	}))
	model.On(llmtest.Embedding, llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		vectors := make([][]float32, len(r.Inputs))
		for i, text := range r.Inputs {
			vectors[i] = make([]float32, 256)
			at := slices.Index(names, text) / 2 // two spellings alike, and the bridge and the pont
			if !slices.Contains(names, text) {
				at = 2 + int(text[0])%250
			}
			vectors[i][at] = 1
		}
		return llmtest.Vectors(vectors...)
	}))
	sh, dir := connected(t, model), t.TempDir()
	sh.environ = append(sh.environ, "RESOLVE_ASK=5")
	sh.must(t, "ingest", file(t, dir, "a.txt", "Edda Lanternfield met Otto Marl. Edda Lanternfield left."), file(t, dir, "b.txt", "Nadia Corvel wrote to Edda Lanternfeild."),
		file(t, dir, "c.txt", "Otto Marl crossed the Lantern Bridge."), file(t, dir, "d.txt", "It was the old Pont Lanterne that fell."))
	done := decoded[proposals.Resolved](t, sh.must(t, "entities", "resolve", "--json"))
	asked := model.Calls(llmtest.Tool("decide"))
	if len(done.Merged) != 1 || done.Proposed != 1 || asked != 2 {
		t.Fatalf("got %+v after %d questions, want one merge, one proposal and two questions", done, asked)
	}
	pair := decoded[[]curate.Proposed](t, sh.must(t, "entities", "proposals", "--json"))[0]
	if said := fmt.Sprint(pair.Evidence); pair.Pattern != "same meaning" || !strings.Contains(said, "embeddings") || !strings.Contains(said, "The model tiny was asked and is not sure.") {
		t.Errorf("the proposal is %+v", pair)
	}
	merged := decoded[[]curate.Proposed](t, sh.must(t, "entities", "proposals", "--decided", "--json"))[0]
	embedded := model.Calls(llmtest.Embedding)
	sh.must(t, "entities", "resolve")
	if again, vectors := model.Calls(llmtest.Tool("decide")), model.Calls(llmtest.Embedding); again != asked || vectors != embedded {
		t.Errorf("the second time %d questions and %d calls to embed were paid for", again-asked, vectors-embedded)
	}
	v := sh.serve(t)
	if _, page := v.get(t, "/review"); !strings.Contains(page, "The model tiny was asked and is not sure.") || !strings.Contains(page, "Pont Lanterne") {
		t.Errorf("the queue does not say what the model said: %s", page)
	}
	if _, page := v.get(t, "/review?pair="+string(merged.ID)); !strings.Contains(page, "The model tiny takes the two for one.") {
		t.Errorf("the pair that was merged does not say what the model said: %s", page)
	}
}
