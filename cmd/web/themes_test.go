package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestThemesOfTheSample asks what the sample library is about, in words and by
// command: the answer comes from communities without a search, and cites passages.
func TestThemesOfTheSample(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	files := []string{"ingest"}
	for _, f := range sample.Files() {
		path := filepath.Join(t.TempDir(), f.Name)
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	sh.must(t, files...)
	list := decoded[[]themes.Listed](t, sh.must(t, "themes", "--json"))
	if len(list) < 2 || len(list[0].Names) == 0 || len(list[0].Says) == 0 || list[0].Documents < list[len(list)-1].Documents-5 {
		t.Fatalf("themes %+v", list)
	}
	if out := sh.must(t, "themes"); !strings.Contains(out, list[0].Names[0]) || !strings.Contains(out, list[0].Says[0].Document) {
		t.Errorf("printed %s", out)
	}
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "What are the main themes of these documents?"))
	if want := []string{"route", "generate", "check_support"}; !slices.Equal(got.Path, want) || len(got.Citations) < 4 {
		t.Fatalf("went %v with %d citations: %s", got.Path, len(got.Citations), got.Answer)
	}
	if !strings.Contains(got.Answer, "The themes, by the names that stand for them: ") {
		t.Errorf("answered %s", got.Answer)
	}
	for _, c := range got.Citations {
		if c.Text == "" || c.End <= c.Start {
			t.Errorf("citation %+v", c)
		}
	}
	two := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--within", "doc:"+got.Citations[0].DocumentID, "What is this about?"))
	if len(two.Citations) == 0 || !strings.Contains(two.Answer, got.Citations[0].Document) {
		t.Errorf("within one document: %+v", two)
	}
	for _, c := range two.Citations {
		if c.DocumentID != got.Citations[0].DocumentID {
			t.Errorf("within one document it cites %s", c.Document)
		}
	}
	if found := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--method", "words", "What are the main themes?")); slices.Contains(found.Path, "route") {
		t.Errorf("a search by words alone went %v", found.Path)
	}
}

// TestThemesAreSummedUpByAModel asks it about each theme once, and again only about the
// one that a new document has changed.
func TestThemesAreSummedUpByAModel(t *testing.T) {
	race.Want(t)
	t.Parallel()
	model := llmtest.New(t)
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		person, thing := "Maud Ferring", "Carrow Foundry"
		if strings.Contains(r.Last(), "Orla Finch") {
			person, thing = "Orla Finch", "Quill Ledger"
		}
		return llmtest.Call("knowledge_graph", map[string]any{
			"nodes":         []map[string]any{{"id": person, "label": "Person"}, {"id": thing, "label": "Thing"}},
			"relationships": []map[string]any{{"source": person, "target": thing, "type": "KEPT"}},
		})
	}))
	model.On(llmtest.Any, llmtest.Say("They belong together [1]. This has no source anywhere.").Using(300, 20))
	sh, dir := connected(t, model, "THEMES_BY_MODEL=true"), t.TempDir()
	sh.must(t, "ingest", file(t, dir, "foundry.txt", "Maud Ferring founded Carrow Foundry. Carrow Foundry cast many bells."), file(t, dir, "ledger.txt", "Orla Finch kept the Quill Ledger. The Quill Ledger lists all ships."))
	summed := func(list []themes.Listed) (names []string) {
		for _, x := range list {
			if x.Summed {
				names = append(names, x.Names[0])
				if said := x.Says[0]; said.Text != "They belong together." || said.End <= said.Start {
					t.Errorf("%s is summed up as %+v", x.Names, x.Says)
				}
			}
		}
		return names
	}
	calls := func() int {
		for _, l := range decoded[[]costs.UsedLine](t, sh.must(t, "usage", "--by", "role", "--json")) {
			if l.Key == "reduce" {
				return l.Calls
			}
		}
		return 0
	}
	before := decoded[[]themes.Listed](t, sh.must(t, "themes", "--json"))
	if len(before) != 2 || len(summed(before)) != 0 || calls() != 0 {
		t.Fatalf("before a model was asked: %+v", before)
	}
	if all := decoded[[]themes.Listed](t, sh.must(t, "themes", "--sum-up", "--json")); len(summed(all)) != 2 || calls() != 2 {
		t.Errorf("%d calls, themes %+v", calls(), all)
	}
	if out := sh.must(t, "themes", "--sum-up"); !strings.Contains(out, "summed up by a model") || calls() != 2 {
		t.Errorf("nothing has changed: %d calls, printed %s", calls(), out)
	}
	sh.must(t, "ingest", file(t, dir, "ships.txt", "Orla Finch sold the Quill Ledger. The Quill Ledger was bound again."))
	if left := summed(decoded[[]themes.Listed](t, sh.must(t, "themes", "--json"))); len(left) != 1 || calls() != 2 {
		t.Errorf("%v are still summed up, with %d calls", left, calls())
	}
	if all := summed(decoded[[]themes.Listed](t, sh.must(t, "themes", "--sum-up", "--json"))); len(all) != 2 || calls() != 3 {
		t.Errorf("%v are summed up, with %d calls", all, calls())
	}
	if _, err := newShell(t).run(t, "themes", "--sum-up"); err == nil || !strings.Contains(err.Error(), "THEMES_BY_MODEL") {
		t.Errorf("without a model: %v", err)
	}
}
