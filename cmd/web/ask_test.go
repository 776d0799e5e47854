package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/sample"
)

// read returns a shell over a library of two documents.
func read(t *testing.T) shell {
	t.Helper()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	return sh
}

func TestAskPrintsOneObject(t *testing.T) {
	t.Parallel()
	sh := read(t)
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who", "founded the Carrow Foundry?"))
	if !strings.Contains(got.Answer, "Maud Ferring founded the Carrow Foundry.") || len(got.Citations) == 0 || got.LoopCount != 0 {
		t.Fatalf("answered %+v", got)
	}
	a := sh.app(t)
	for i, c := range got.Citations {
		stored, err := a.ledger.Text(t.Context(), domain.DefaultWorkspace, domain.DocumentID(c.DocumentID))
		if err != nil {
			t.Fatal(err)
		}
		if exact := string([]rune(stored.Content)[c.Start:c.End]); c.Text != exact || c.Text == "" || c.N != i+1 {
			t.Errorf("citation %d says %q, the stored characters %d to %d are %q", c.N, c.Text, c.Start, c.End, exact)
		}
		if !c.Quote || c.Close != (i > 0) || len(c.Marks) == 0 || c.Marks[0].Start < c.Start || c.Marks[0].End > c.End {
			t.Errorf("citation %d is %+v, want a quotation with its decisive words", c.N, c)
		}
		if c.Document != "foundry.txt" && c.Document != "bridge.md" {
			t.Errorf("citation %d is of %q, want a file's name", c.N, c.Document)
		}
	}
	if diff := cmp.Diff([]string{"retrieve", "grade_documents", "generate", "check_support"}, got.Path); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
	if len(got.Documents) == 0 || got.Documents[0].Grade == "" || got.Documents[0].Reason == "" {
		t.Errorf("documents %+v", got.Documents)
	}
	if _, err := a.queue.Get(t.Context(), domain.DefaultWorkspace, domain.RunID(got.Run)); err != nil {
		t.Errorf("the run can't be looked at: %v", err)
	}
}

func TestAskAndSearchByOneMethod(t *testing.T) {
	t.Parallel()
	sh := read(t)
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--method", "words", "Who founded the Carrow Foundry?"))
	if !strings.Contains(got.Answer, "Maud Ferring founded the Carrow Foundry.") {
		t.Errorf("answered %+v", got)
	}
	found := decoded[[]questions.Found](t, sh.must(t, "search", "--json", "--method", "words", "Who founded the Carrow Foundry?"))
	if len(found) == 0 || found[0].Rank != 1 || found[0].Document != "foundry.txt" || found[0].Text == "" {
		t.Fatalf("found %+v", found)
	}
	for _, p := range found {
		if diff := cmp.Diff([]domain.MethodName{domain.MethodWords}, p.Methods); diff != "" || p.Path != nil {
			t.Errorf("%s: path %v, methods (-want +got)\n%s", p.Chunk, p.Path, diff)
		}
	}
	if out := sh.must(t, "search", "Who founded the Carrow Foundry?"); !strings.Contains(out, " 1  foundry.txt  by words, walk, over Carrow Foundry\n") {
		t.Errorf("printed %q", out)
	}
	for _, command := range []string{"ask", "search"} {
		if _, err := sh.run(t, command, "--method", "magic", "Who?"); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s by magic: %v", command, err)
		}
		if _, err := sh.run(t, command, "--method", "vectors", "Who?"); err == nil || !strings.Contains(domain.InWords(err), "EMBED_MODEL") {
			t.Errorf("%s by vectors without an embedding model: %v", command, err)
		}
	}
}

func TestAskForPeople(t *testing.T) {
	t.Parallel()
	sh := read(t)
	out := sh.must(t, "ask", "Who founded the Carrow Foundry?")
	text, sources, ok := strings.Cut(out, "\n  [1] ")
	if !ok || strings.Count(text, "Maud Ferring founded the Carrow Foundry.") != 1 {
		t.Errorf("printed %q, want the answer once and its sources", out)
	}
	if !strings.HasPrefix(sources, "foundry.txt: “") {
		t.Errorf("sources %q", sources)
	}
}

func TestAskWhatTheLibraryDoesNotHold(t *testing.T) {
	t.Parallel()
	sh := read(t)
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Which submarine did Captain Nemo command?"))
	if out := sh.must(t, "ask", "Which purple submarine did Captain Nemo command near Osterby?"); !strings.Contains(out, "In no document: “purple”") || !strings.Contains(out, "Closest:\n  foundry.txt: ") {
		t.Errorf("printed %q, want the words that no document has, and what comes nearest", out)
	}
	if got.Answer != "Nothing close was found. In no document: “submarine”, “Captain”, “Nemo”, “command”." || got.LoopCount != 3 || got.Citations == nil || len(got.Citations) != 0 {
		t.Errorf("answered %+v", got)
	}
	searches := 0
	for _, node := range got.Path {
		if node == "retrieve" {
			searches++
		}
	}
	if searches != 4 {
		t.Errorf("%d searches, want 4", searches)
	}
	sh.environ = []string{"MAX_LOOPS=0"}
	if got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Which submarine did Captain Nemo command?")); got.LoopCount != 0 {
		t.Errorf("%d loops although MAX_LOOPS is 0", got.LoopCount)
	}
}

func TestAskInAnEmptyLibrary(t *testing.T) {
	t.Parallel()
	if out := newShell(t).must(t, "ask", "Who?"); out != answer.SaysEmpty+"\n" {
		t.Errorf("printed %q", out)
	}
}

func TestQuestionsThatCantBeAsked(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	for question, says := range map[string]string{" ": "The question is empty", strings.Repeat("why ", 25_000): "the limit is 4000"} {
		out, err := sh.run(t, "ask", "--json", question)
		if err == nil || !strings.Contains(err.Error(), says) || out != "" {
			t.Errorf("%.10q: error %v, printed %q", question, err, out)
		}
	}
	if _, err := sh.run(t, "ask"); err == nil {
		t.Error("no question at all is taken")
	}
}

func TestAskWithinADocument(t *testing.T) {
	t.Parallel()
	sh := read(t)
	const question = "Who founded the Carrow Foundry?"
	elsewhere := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--within", "doc:bridge.md", "--within", "from:2000-01-01", question))
	if len(elsewhere.Citations) != 0 || !strings.HasPrefix(elsewhere.Answer, answer.SaysNothingClose) || len(elsewhere.Within) != 2 {
		t.Errorf("within a document that does not say it: %+v", elsewhere)
	}
	if got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--within", "doc:foundry", question)); len(got.Citations) == 0 || got.Citations[0].Document != "foundry.txt" {
		t.Errorf("within the document that says it: %+v", got)
	}
	for _, p := range decoded[[]questions.Found](t, sh.must(t, "search", "--json", "--within", "doc:bridge.md", question)) {
		if p.Document != "bridge.md" {
			t.Errorf("a search within bridge.md found %s", p.Document)
		}
	}
	for within, says := range map[string]string{"tag:nothing": "No document matches #nothing", "doc:nothing": "There is no document called", "nothing": "does not select documents"} {
		for _, command := range []string{"ask", "search"} {
			if _, err := sh.run(t, command, "--within", within, "Who?"); err == nil || !strings.Contains(domain.InWords(err), says) {
				t.Errorf("%s --within %s says %v", command, within, err)
			}
		}
	}
}

// TestTheFirstQuestionOfTheSampleNeedsTheGraph asks it by each method: words miss the
// passage with the answer, and the walk finds it.
func TestTheFirstQuestionOfTheSampleNeedsTheGraph(t *testing.T) {
	t.Parallel()
	sh, dir := newShell(t), t.TempDir()
	args := []string{"ingest"}
	for _, f := range sample.Files() {
		args = append(args, file(t, dir, f.Name, string(f.Data)))
	}
	sh.must(t, args...)
	q := sample.Try()[0]
	out := sh.must(t, "ask", "--compare-methods", q.Question)
	if !strings.Contains(out, "Did the graph help? Yes. Of the 2 passages that the answers rest on, one was in reach of every method. One was found by the graph alone") {
		t.Errorf("the graph helps so: %s", out)
	}
	if first, _, _ := strings.Cut(out, "Also close"); !strings.Contains(first, q.Answer) {
		t.Errorf("the answer begins without %s: %s", q.Answer, out)
	}
	if bridge := sh.must(t, "entities", "show", "Copper Bridge"); !strings.Contains(bridge, "PAID_FOR_REPAIR_OF Copper Bridge") {
		t.Errorf("who paid for the repair is not in the graph: %s", bridge)
	}
}
