package main

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/llm/minilm"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/vectorstore"
)

// connected returns a shell with a scripted model and embedder.
func connected(t *testing.T, model *llmtest.Server, more ...string) shell {
	t.Helper()
	return newShell(t, append(more,
		"LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=tiny", "LLM_API_KEY=key", "EXTRACT_MODE=tool",
		"EMBED_PROVIDER=openai", "EMBED_BASE_URL="+model.URL, "EMBED_MODEL=small", "EMBED_API_KEY=key")...)
}

// obliging is a model that fills every role.
func obliging(t *testing.T) *llmtest.Server {
	t.Helper()
	return obligingWith(t, "Maud Ferring founded it [1].")
}

// obligingWith is one that writes the given answer.
func obligingWith(t *testing.T, answer string) *llmtest.Server {
	t.Helper()
	model := llmtest.New(t)
	model.On(llmtest.Tool("report_city"), llmtest.Call("report_city", map[string]any{"city": "Paris"}))
	model.On(llmtest.Schema("report_city"), llmtest.JSON(map[string]any{"city": "Paris"}))
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", map[string]any{
		"nodes":         []map[string]any{{"id": "Maud Ferring", "label": "Person"}, {"id": "Carrow Foundry", "label": "Organisation"}},
		"relationships": []map[string]any{{"source": "Maud Ferring", "target": "Carrow Foundry", "type": "FOUNDED"}},
	}))
	model.On(llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "Names her."}))
	model.On(llmtest.Tool("report_support"), llmtest.Call("report_support", map[string]any{"supported": []int{1}}))
	model.On(llmtest.Any, llmtest.Say(answer))
	return model
}

// TestAModelPutsPassagesInOrder has what is found put in order by one call, which is
// recorded and counted by itself. The trace shows it beside the ways of searching.
func TestAModelPutsPassagesInOrder(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	model.First(llmtest.Tool("order_passages"), llmtest.Call("order_passages", map[string]any{"order": []int{2}}).Using(700, 9))
	sh := connected(t, model, "RERANK=20")
	foundryFile, otherFile := letters(t)
	sh.must(t, "ingest", foundryFile, otherFile)
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who founded the foundry?"))
	sh.must(t, "ask", "Who founded the foundry?")
	if n := model.Calls(llmtest.Tool("order_passages")); n != 1 {
		t.Errorf("two equal questions took %d calls, want one that is recorded", n)
	}
	var roles []string
	for _, l := range decoded[[]costs.UsedLine](t, sh.must(t, "usage", "--by", "role", "--json")) {
		if l.Key == "rerank" && (l.Calls != 1 || l.Input != 700 || l.Output != 9) {
			t.Errorf("counted as %+v", l)
		}
		roles = append(roles, l.Key)
	}
	if !slices.Contains(roles, "rerank") {
		t.Errorf("the roles that cost something are %v", roles)
	}
	events, err := sh.app(t).ledger.Events(t.Context(), domain.DefaultWorkspace, domain.RunID(got.Run), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(events, func(e ledger.EventRow) bool {
		return strings.Contains(string(e.JSON), `"name":"rerank"`) && strings.Contains(string(e.JSON), "the model moved 2 of 2")
	}) {
		t.Error("the trace does not show the order")
	}
}

// TestAQuestionHasABudgetOfItsOwn, and says whether a model puts what is found in order, and whether anything is written.
func TestAQuestionHasABudgetOfItsOwn(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	model.First(llmtest.Tool("order_passages"), llmtest.Call("order_passages", map[string]any{"order": []int{2}}))
	sh := connected(t, model)
	foundryFile, otherFile := letters(t)
	sh.must(t, "ingest", foundryFile, otherFile)
	if out := sh.must(t, "ask", "--budget", "100", "Who founded the foundry?"); !strings.Contains(out, "Stopped at the cap of 100 tokens") {
		t.Errorf("with a budget of 100 tokens it prints %q", out)
	}
	if n := model.Calls(llmtest.Tool("order_passages")); n != 0 {
		t.Errorf("%d calls put passages in order that no setting wants in order", n)
	}
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "--rerank", "--context-only", "Who founded the foundry?"))
	if n := model.Calls(llmtest.Tool("order_passages")); n != 1 || got.Answered || len(got.Passages) == 0 || got.Passages[0].Grade != domain.Relevant {
		t.Errorf("with --rerank and --context-only there were %d calls for the order, and the reply is %+v", n, got)
	}
	if out := sh.must(t, "ask", "--context-only", "Who founded the foundry?"); !strings.Contains(out, "yes  "+filepath.Base(foundryFile)) {
		t.Errorf("--context-only prints %q", out)
	}
	_, err := newShell(t).run(t, "ask", "--rerank", "Who founded the foundry?")
	if err == nil || !strings.Contains(err.Error(), "No model is connected") {
		t.Errorf("without a model: %v", err)
	}
}

// TestTheBuiltInEmbedderNeedsItsFiles: where it is asked for, the program says at once how to get them. Where nothing is
// set, everything works by words alone, and one line says so.
func TestTheBuiltInEmbedderNeedsItsFiles(t *testing.T) {
	t.Parallel()
	_, err := newShell(t, "EMBED_PROVIDER=builtin").run(t, "doctor")
	if err == nil || !strings.Contains(err.Error(), "Run clew model fetch") || !strings.Contains(err.Error(), "minilm/model.onnx") {
		t.Errorf("without files: %v", err)
	}
	sh := newShell(t)
	if out := sh.must(t, "doctor"); strings.Count(out, "Search: by words alone. The file") != 1 {
		t.Errorf("clew doctor says %q", out)
	}
	s, _, stderr := sh.env()
	cfg, err := s.load("")
	noError(t, err)
	v := launched(t, cfg, s)
	if said := strings.Count(stderr.String(), "Run clew model fetch"); said != 1 {
		t.Errorf("the log says %d times how to get the files:\n%s", said, stderr)
	}
	if _, page := v.get(t, "/settings"); !strings.Contains(page, "Run clew model fetch") {
		t.Error("the settings do not say how to get the files")
	}
	none := newShell(t, "EMBED_PROVIDER=none")
	if out := none.must(t, "doctor"); strings.Contains(out, "clew model fetch") {
		t.Errorf("where none is wanted, clew doctor says %q", out)
	}
}

// TestTheBuiltInEmbedderIsTheDefault: where its files are, it makes vectors without a setting, and is connected by a command
// that fetches what is missing. EMBED_PROVIDER=none turns it off.
func TestTheBuiltInEmbedderIsTheDefault(t *testing.T) {
	t.Parallel()
	files := realModel(t)
	sh := newShell(t, "MINILM_DIR="+files)
	first, _ := letters(t)
	sh.must(t, "ingest", first)
	embedded := func(sh shell) int {
		n, _, err := sh.app(t).vectors.Embedded(t.Context(), domain.DefaultWorkspace, vectorstore.Chunks)
		noError(t, err)
		return n
	}
	if n := embedded(sh); n != 1 {
		t.Errorf("%d chunks have vectors, want 1", n)
	}
	if out := sh.must(t, "model", "list"); !strings.Contains(out, "default") || !strings.Contains(out, "the small English model") {
		t.Errorf("clew model list says %q", out)
	}
	if out := sh.must(t, "doctor"); strings.Contains(out, "words alone") || !strings.Contains(out, "384") {
		t.Errorf("clew doctor says %q", out)
	}
	off := newShell(t, "MINILM_DIR="+files, "EMBED_PROVIDER=none")
	off.must(t, "ingest", first)
	if n := embedded(off); n != 0 {
		t.Errorf("%d chunks have vectors with EMBED_PROVIDER=none", n)
	}
	if out := sh.must(t, "model", "connect", "builtin"); !strings.Contains(out, "Connected.") {
		t.Errorf("clew model connect builtin says %q", out)
	}
	if out := sh.must(t, "model", "fetch"); out != "" {
		t.Errorf("clew model fetch says %q of what is there", out)
	}
}

// realModel returns the folder with the built-in embedding model's files, and skips the test without them.
func realModel(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../data/minilm")
	noError(t, err)
	if !minilm.Fetched(dir) {
		t.Skip("left out: the built-in embedding model; make model fetches it")
	}
	return dir
}

func TestAModelBySettingsAlone(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, _ := letters(t)
	read := decoded[[]ingested](t, sh.must(t, "ingest", "--json", foundryFile))[0]
	if read.Status != "ready" || read.Entities != 2 || read.Relations != 1 { // by the model: what rules name beside it is not listed
		t.Errorf("read as %+v", read)
	}
	if model.Calls(llmtest.Tool("knowledge_graph")) != 1 || model.Calls(llmtest.Embedding) != 3 { // the passages; the names, which are compared; the sentences
		t.Errorf("%d calls to extract, %d to embed, want 1 and 3", model.Calls(llmtest.Tool("knowledge_graph")), model.Calls(llmtest.Embedding))
	}
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who founded the foundry?"))
	if !strings.Contains(got.Answer, "Maud Ferring founded it") || len(got.Citations) != 1 || got.Citations[0].Document != "foundry.txt" {
		t.Errorf("answered %+v", got)
	}
	if got.Documents[0].Grade != "yes" || got.Documents[0].Reason != "Names her." {
		t.Errorf("graded %+v", got.Documents)
	}
	graded := model.Calls(llmtest.Tool("grade_passage"))
	sh.must(t, "ask", "Who founded the foundry?")
	if again := model.Calls(llmtest.Tool("grade_passage")) - graded; again != 0 {
		t.Errorf("another process asked for %d grades that are recorded: the marks of its prompts differ", again)
	}
}

func TestTheTestOfTheConnectionSaysWhatWorks(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	v := connected(t, model).serve(t)
	checks := func() string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.url+library("/settings/test"), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("HX-Request", "true") // the lines alone
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		page, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(page)
	}
	if page := checks(); !strings.Contains(page, "tiny") || !strings.Contains(page, "works") || strings.Contains(page, "fails") {
		t.Errorf("a model that works: %s", page)
	}
	model.First(func(llmtest.Request) bool { return true }, llmtest.Unauthorized())
	if page := checks(); !strings.Contains(page, "fails") || !strings.Contains(page, "LLM_API_KEY") {
		t.Errorf("a model that refuses the key: %s", page)
	}
}

func TestAModelThatRefusesTheKeyIsToldAtOnce(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile)
	model.First(func(llmtest.Request) bool { return true }, llmtest.Unauthorized())
	before := model.Calls(llmtest.Any)
	out, err := sh.run(t, "ingest", "--json", bridgeFile)
	if n := model.Calls(llmtest.Any) - before; err == nil || n > 2 {
		t.Errorf("after %d calls: error %v", n, err)
	}
	if line := decoded[[]ingested](t, out)[0]; line.Status != "failed" || !strings.Contains(line.Problem, "_API_KEY") {
		t.Errorf("printed %+v", line)
	}
	if _, err := sh.run(t, "ask", "--json", "Who founded the foundry?"); err == nil || !strings.Contains(strings.Join(sentences(err), " "), "_API_KEY") {
		t.Errorf("ask says %v", err)
	}
}

func TestAModelThatAnswersNonsense(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	model.First(llmtest.Tool("knowledge_graph"), llmtest.Call("knowledge_graph", "{broken"))
	foundryFile, _ := letters(t)
	line := decoded[[]ingested](t, sh.must(t, "ingest", "--json", foundryFile))[0]
	if line.Status != "empty" || len(line.Warnings) != 1 || !strings.HasPrefix(line.Warnings[0], "Chunk 1 of 1") {
		t.Errorf("read as %+v", line)
	}
}

// TestEachRoleHasItsServer: a role with an address of its own sends its headers,
// parameters and key there, and no other role's.
func TestEachRoleHasItsServer(t *testing.T) {
	t.Parallel()
	servers := map[string]*llmtest.Server{}
	environ := []string{"LLM_PROVIDER=openai", "LLM_MODEL=tiny", "EMBED_PROVIDER=openai", "EMBED_MODEL=small", "EXTRACT_MODE=tool"}
	for _, role := range []string{"LLM", "EXTRACT", "GRADE", "REWRITE", "SUMMARY", "EMBED"} {
		s := obliging(t)
		servers[role] = s
		base := strings.TrimSuffix(s.URL, "/v1")
		environ = append(environ, role+"_BASE_URL="+base+"/deployments/of-"+role, role+"_HEADERS=api-key: secret-of-"+role+"; X-Role: "+role, role+"_QUERY=api-version="+role)
	}
	servers["REWRITE"].First(llmtest.Any, llmtest.JSON(map[string]any{"query": "Who began the foundry?"}))
	servers["GRADE"].First(llmtest.LastMessage("grain"), llmtest.Call("grade_passage", map[string]any{"binary_score": "no", "reason": "No."}))
	sh := newShell(t, environ...)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	sh.must(t, "ask", "Who founded the foundry?")
	sh.must(t, "ask", "Who paid for the grain?")
	sh.must(t, "summarize", filepath.Base(foundryFile))
	for role, s := range servers {
		all := s.Requests(func(llmtest.Request) bool { return true })
		if len(all) == 0 {
			t.Errorf("%s was not asked", role)
		}
		for _, r := range all {
			got := []string{r.Path[:len("/deployments/of-"+role)], r.Header.Get("Api-Key"), r.Header.Get("X-Role"), r.Query.Encode(), r.Header.Get("Authorization")}
			if want := []string{"/deployments/of-" + role, "secret-of-" + role, role, "api-version=" + role, ""}; !slices.Equal(got, want) {
				t.Errorf("%s got %q, want %q", role, got, want)
			}
		}
	}
	if said, _ := sh.run(t, "doctor"); strings.Contains(said, "secret-of") { // one of them calls no tools, which is wrong
		t.Errorf("doctor says %s", said)
	}
}

// TestTheSettingsOfAnswersReachTheModel takes a question apart, grades in one call,
// writes the answer again, and shows each in the trace and on the page.
func TestTheSettingsOfAnswersReachTheModel(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	model.First(llmtest.Tool("plan_searches"), llmtest.Call("plan_searches", map[string]any{"questions": []string{"Who founded the Carrow Foundry?", "What did #1 write?"}}))
	model.First(llmtest.Tool("report_finding"), llmtest.Call("report_finding", map[string]any{"finding": "Maud Ferring"}))
	model.First(llmtest.Tool("grade_passages"), llmtest.Call("grade_passages", map[string]any{"grades": []map[string]any{{"passage": 1, "binary_score": "yes", "reason": "Names her."}, {"passage": 2, "binary_score": "yes", "reason": "As well."}}}))
	model.First(llmtest.Tool("report_support"),
		llmtest.Call("report_support", map[string]any{"supported": []int{}, "problems": []map[string]any{{"sentence": 1, "problem": "nothing is painted"}}}),
		llmtest.Call("report_support", map[string]any{"supported": []int{1}}))
	model.First(llmtest.Tool("chart"), llmtest.Say("Maud Ferring painted it [1]."))
	sh := connected(t, model)
	sh.environ = append(sh.environ, "DECOMPOSE=true", "GRADE_MANY=4", "REGENERATE=true")
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "What did the person write who founded the Carrow Foundry?"))
	want := []string{"decompose", "retrieve", "grade_documents", "answer_step", "retrieve", "grade_documents", "answer_step", "generate", "check_support", "regenerate", "check_support"}
	if !slices.Equal(got.Path, want) {
		t.Errorf("went %v", got.Path)
	}
	if got.Answer != "Maud Ferring founded it [1]." {
		t.Errorf("answered %q", got.Answer)
	}
	if !slices.ContainsFunc(model.Requests(llmtest.Any), func(r llmtest.Request) bool { return strings.Contains(r.Text(), "What did Maud Ferring write?") }) {
		t.Error("the second step does not search with what the first one found")
	}
	_, page := sh.serve(t).get(t, "/runs/"+got.Run)
	for _, part := range []string{"step 1: Maud Ferring", "1 sentence without support", "answer_step", "regenerate", "next step"} {
		if !strings.Contains(page, part) {
			t.Errorf("the run's page does not show %q", part)
		}
	}
}

// TestTheCapOfOneQuestion: an answer quotes what was found when its cap was reached.
func TestTheCapOfOneQuestion(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	model.First(llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "Names her."}).Using(4000, 1000))
	sh := connected(t, model)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	sh.must(t, "usage", "caps", "question", "3000 tokens")
	out := sh.must(t, "ask", "Who founded the Carrow Foundry?")
	for _, want := range []string{"[1]", "Stopped at the cap of 3,000 tokens for one question: this is what was found so far.", "[1] foundry.txt"} {
		if !strings.Contains(out, want) {
			t.Errorf("does not print %q:\n%s", want, out)
		}
	}
	if n := model.Calls(llmtest.Tool("chart")) + model.Calls(llmtest.Tool("report_support")); n != 0 {
		t.Errorf("%d calls after the cap", n)
	}
	sh.must(t, "usage", "caps", "question", "none")
	if out := sh.must(t, "ask", "Who founded the Carrow Foundry?"); !strings.Contains(out, "Maud Ferring founded it") {
		t.Errorf("without a cap:\n%s", out)
	}
}
