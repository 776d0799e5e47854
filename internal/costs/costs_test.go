package costs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
)

const calls = 8 // to read the document

// document has as many chunks as calls.
func document() string {
	var b strings.Builder
	for i := range calls {
		fmt.Fprintf(&b, "Anna Quill greeted Maud Ferring on day %d. %s\n\n", i, strings.Repeat("It rained for a long while on copper and tin. ", 4))
	}
	return b.String()
}

// open returns a library read by a scripted model, each of whose calls uses 100
// tokens and costs a dollar.
func open(t *testing.T, s *llmtest.Server, reply llmtest.Reply) *testkit.App {
	t.Helper()
	s.On(llmtest.Any, reply.Using(90, 10))
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: s.URL, Model: "scripted"})
	testkit.Must(t, err)
	a := testkit.Open(t, testkit.Options{Chat: chat})
	setPrice(t, a, "scripted", 10_000)
	return a
}

// setPrice sets what a million tokens of a model cost, in dollars.
func setPrice(t *testing.T, a *testkit.App, model string, dollars int) {
	t.Helper()
	m, err := costs.ParseMoney(fmt.Sprint(dollars))
	testkit.Must(t, err)
	testkit.Must(t, a.Costs.Prices.Set(t.Context(), costs.Price{Models: []string{model}, From: "2020-01-01", Input: &m, Output: &m, Embedding: &m}))
}

func graph() llmtest.Reply {
	return llmtest.Call("knowledge_graph", map[string]any{"nodes": []map[string]any{{"id": "Anna Quill", "label": "Person"}}, "relationships": []map[string]any{}})
}

func setCap(t *testing.T, a *testkit.App, scope costs.Scope, text string) {
	t.Helper()
	limit, err := costs.ParseCap(text)
	testkit.Must(t, err)
	testkit.Must(t, a.Costs.SetCaps(t.Context(), testkit.Workspace, costs.Caps{scope: limit}))
}

// eventually waits for a state.
func eventually(t *testing.T, reached func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !reached(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come about within a minute")
		}
	}
}

// paused waits until a run waits with a problem.
func paused(t *testing.T, a *testkit.App, id domain.RunID, says string) job.Run {
	t.Helper()
	var r job.Run
	eventually(t, func() bool {
		var err error
		r, err = a.Queue.Get(t.Context(), testkit.Workspace, id)
		testkit.Must(t, err)
		if r.Status.Ended() {
			t.Fatalf("the run ended as %s: %s", r.Status, r.Problem)
		}
		return r.Status == job.Capped && strings.Contains(r.Problem, says)
	})
	return r
}

// TestReadingPausesAtACap reads up to a cap of each kind, raises it, and counts the
// calls: none is made twice.
func TestReadingPausesAtACap(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		scope      costs.Scope
		low, high  string
		says, next string
	}{
		"money for a document":   {costs.Document, "3.00", "8.00", "The cap of one document is reached: $", "when the cap is raised"},
		"tokens for a document":  {costs.Document, "300 tokens", "900 tokens", "of 300 tokens", "when the cap is raised"},
		"money for a day":        {costs.Day, "$3", "$9", "The cap of a day is reached: $", "at midnight (UTC)"},
		"money for a month":      {costs.Month, "3", "8.5", "The cap of a month is reached: $", "next month"},
		"money in the workspace": {costs.Workspace, "3", "8.5", "The cap of the workspace is reached: $", "when the cap is raised"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			a := open(t, s, graph())
			setCap(t, a, tt.scope, tt.low)
			doc := a.Add(t, "notes.txt", document()).Document
			r := paused(t, a, doc.Run, tt.says)
			if !strings.Contains(r.Problem, tt.next) || r.Attempt != 0 {
				t.Errorf("attempt %d, %s", r.Attempt, r.Problem)
			}
			made := s.Calls(llmtest.Any)
			if made < 3 || made > 3+3 { // up to three more were under way when the third was counted
				t.Errorf("%d calls at a cap of three", made)
			}
			if d := a.Document(t, doc.ID); d.Status != domain.DocumentWorking || d.ChunksDone != made || d.Chunks != calls {
				t.Errorf("%s, %d of %d chunks after %d calls", d.Status, d.ChunksDone, d.Chunks, made)
			}
			setCap(t, a, tt.scope, tt.high)
			if d := a.Settle(t, a.Document(t, doc.ID)); d.Status != domain.DocumentReady || d.ChunksDone != calls || len(d.Warnings) != 0 {
				t.Errorf("%s, %d chunks, warnings %v", d.Status, d.ChunksDone, d.Warnings)
			}
			if n := s.Calls(llmtest.Any); n != calls {
				t.Errorf("%d calls for %d chunks", n, calls)
			}
		})
	}
}

// TestCallsUnderWayAtACapAreKept holds three calls back until the fourth task has
// met the cap: they end as if there were none, and are not made again.
func TestCallsUnderWayAtACapAreKept(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	gate := make(chan struct{})
	a := open(t, s, graph().After(gate))
	setCap(t, a, costs.Day, "1")
	doc := a.Add(t, "notes.txt", document()).Document
	eventually(t, func() bool { return s.Calls(llmtest.Any) == 4 })
	gate <- struct{}{} // one ends, is counted, and the fifth meets the cap
	eventually(t, func() bool {
		spent, err := a.Costs.Standings(t.Context(), testkit.Workspace)
		testkit.Must(t, err)
		return spent[2].Spent.Calls == 1 && a.Document(t, doc.ID).ChunksDone == 1
	})
	close(gate)
	// The fifth may have met the cap before the others were counted.
	paused(t, a, doc.Run, "The cap of a day is reached: $")
	if d := a.Document(t, doc.ID); d.ChunksDone != 4 || s.Calls(llmtest.Any) != 4 {
		t.Errorf("%d chunks done by %d calls, want 4", d.ChunksDone, s.Calls(llmtest.Any))
	}
	setCap(t, a, costs.Day, "")
	if d := a.Settle(t, a.Document(t, doc.ID)); d.Status != domain.DocumentReady || s.Calls(llmtest.Any) != calls {
		t.Errorf("%s after %d calls", d.Status, s.Calls(llmtest.Any))
	}
}

func TestTheCapOfADayLiftsAtMidnight(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	a := open(t, s, graph())
	setCap(t, a, costs.Day, "4")
	doc := a.Add(t, "notes.txt", document()).Document
	r := paused(t, a, doc.Run, "The cap of a day")
	if now := a.Clock.Now(); r.NextTry.UTC().Format("15:04") != "00:00" || r.NextTry.Before(now) || r.NextTry.Sub(now) > 24*time.Hour {
		t.Errorf("paused until %s", r.NextTry)
	}
	for s.Calls(llmtest.Any) < calls {
		a.Clock.Advance(24 * time.Hour)
		before := s.Calls(llmtest.Any)
		eventually(t, func() bool { return s.Calls(llmtest.Any) > before })
		eventually(t, func() bool {
			r, err := a.Queue.Get(t.Context(), testkit.Workspace, doc.Run)
			testkit.Must(t, err)
			return r.Status == job.Done || r.Status.Pending() && r.NextTry.After(a.Clock.Now())
		})
	}
	if d := a.Settle(t, a.Document(t, doc.ID)); d.Status != domain.DocumentReady || s.Calls(llmtest.Any) != calls {
		t.Errorf("%s after %d calls", d.Status, s.Calls(llmtest.Any))
	}
}

// TestACapOfMoneyNeedsAPrice: what a model without a price spends is unknown, not
// nothing.
func TestACapOfMoneyNeedsAPrice(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	a := open(t, s, graph())
	testkit.Must(t, a.Costs.Prices.Set(t.Context(), costs.Price{Models: []string{"other"}, From: "2020-01-01", Input: new(costs.Money), Output: new(costs.Money)}))
	unpriced := func(model string) error {
		return a.Costs.Allow(t.Context(), llm.Call{Owner: domain.CallOwner{Workspace: testkit.Workspace}, Usage: domain.Usage{Model: model, Input: 1, Output: 1}})
	}
	setCap(t, a, costs.Day, "500 tokens")
	if err := unpriced("house"); err != nil {
		t.Errorf("a cap in tokens needs no price: %v", err)
	}
	setCap(t, a, costs.Day, "5")
	if err := unpriced("house"); domain.KindOf(err) != domain.Capped || !strings.Contains(err.Error(), "the model house has none") {
		t.Errorf("error %v", err)
	}
	setPrice(t, a, "house", 0)
	if err := unpriced("house"); err != nil {
		t.Errorf("a free model: %v", err)
	}
	testkit.Must(t, a.Costs.Spent(t.Context(), llm.Call{Owner: domain.CallOwner{Workspace: testkit.Workspace}, Usage: domain.Usage{Model: "gone", Input: 1}}))
	if err := unpriced("house"); domain.KindOf(err) != domain.Capped || !strings.Contains(err.Error(), "the model gone has none") {
		t.Errorf("what was spent today is unknown, and yet: %v", err)
	}
}

func TestAQuestionAtACapIsRefusedInWords(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	a := open(t, s, graph())
	a.Settle(t, a.Add(t, "notes.txt", document()).Document)
	setCap(t, a, costs.Month, "2")
	m := a.Answered(t, "", "Who greeted Maud?")
	if m.Status != ledger.MessageFailed || !strings.Contains(m.Problem, "The cap of a month is reached: $8.00 of $2.00") {
		t.Errorf("%s: %s", m.Status, m.Problem)
	}
	setCap(t, a, costs.Month, "")
	ctx, err := a.Costs.Admit(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	setCap(t, a, costs.Month, "2")
	if err := a.Costs.Allow(ctx, llm.Call{Owner: domain.CallOwner{Workspace: testkit.Workspace}}); err != nil {
		t.Errorf("an answer that has begun is broken off: %v", err)
	}
}

// TestASummaryPausesAtACap meets a cap while parts are summarised and goes on when it
// is raised: no part is paid for twice.
func TestASummaryPausesAtACap(t *testing.T) {
	t.Parallel()
	var a *testkit.App
	by := &testkit.Summaries{Before: func(ctx context.Context, _ int) error {
		call := llm.Call{Owner: domain.CallOwner{Workspace: testkit.Workspace}, Role: "map", Usage: domain.Usage{Model: "scripted", Input: 100}}
		if err := a.Costs.Allow(ctx, call); err != nil {
			return err
		}
		return a.Costs.Spent(ctx, call)
	}}
	a = testkit.Open(t, testkit.Options{Summariser: by})
	setPrice(t, a, "scripted", 10_000)
	d := a.Read(t, "long.txt", testkit.Sections(8))
	setCap(t, a, costs.Day, "3")
	sum, err := a.Summaries.Start(t.Context(), summaries.Order{Workspace: testkit.Workspace, Documents: []domain.DocumentID{d.ID}})
	testkit.Must(t, err)
	paused(t, a, sum.Run, "The cap of a day is reached: $")
	if got := a.Summary(t, sum.ID); got.Status != ledger.SummaryWorking {
		t.Errorf("at the cap the summary is %s", got.Status)
	}
	setCap(t, a, costs.Day, "")
	a.Watch(t, sum.Run)
	spent, err := a.Costs.OfRuns(t.Context(), testkit.Workspace, sum.Run)
	testkit.Must(t, err)
	standings, err := a.Costs.Standings(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	done := a.Summary(t, sum.ID)
	if parts := len(done.Sentences); done.Status != ledger.SummaryDone || parts < 8 || standings[2].Spent.Calls != parts+1 {
		t.Errorf("%s, %s: %d sentences for %d calls (%v)", done.Status, done.Problem, parts, standings[2].Spent.Calls, spent)
	}
}

func TestCapsOfTheSettings(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	a.Costs.Defaults = costs.Caps{costs.Day: {Set: true, Money: 5_000_000}, costs.Month: {Set: true, Tokens: 7}}
	setCap(t, a, costs.Day, "")
	got, err := a.Costs.Caps(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	want := costs.Caps{costs.Document: {}, costs.Question: {}, costs.Day: {}, costs.Month: {Set: true, Tokens: 7}, costs.Workspace: {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if other, err := a.Costs.Caps(t.Context(), "other"); err != nil || other[costs.Day].Money != 5_000_000 {
		t.Errorf("in another workspace %+v, error %v", other, err)
	}
	for text, want := range map[string]string{"": "", "5": "5.00", "$0": "0.00", "1,000 tokens": "1000 tokens", "7tokens": "7 tokens"} {
		if c, err := costs.ParseCap(text); err != nil || c.Text() != want {
			t.Errorf("%q is %q, error %v", text, c.Text(), err)
		}
	}
	for _, text := range []string{"much", "-1", "0 tokens", "tokens", "1.5 tokens"} {
		if c, err := costs.ParseCap(text); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%q is %+v, error %v", text, c, err)
		}
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	a := open(t, s, graph())
	add := func(day, model, role, document, person string, input int) {
		t.Helper()
		testkit.Must(t, a.Ledger.AddUsage(context.Background(), testkit.Workspace, ledger.Usage{
			Day: day, Role: role, Document: domain.DocumentID(document), Person: person, Calls: 1, Usage: domain.Usage{Model: model, Input: input},
		}))
	}
	add("2026-11-01", "scripted", "extract", "d1", "ada", 100)
	add("2026-11-01", "scripted", "grade", "", "ada", 300)
	add("2026-11-03", "scripted", "extract", "d2", "bea", 200)
	add("2026-11-03", "strange", "extract", "d2", "bea", 50)
	add("2026-12-01", "scripted", "extract", "d1", "ada", 999)
	r, err := a.Costs.Report(t.Context(), testkit.Workspace, "2026-11-01", "2026-11-30")
	testkit.Must(t, err)
	said := func(lines []costs.Line) (all string) {
		for _, l := range lines {
			all += fmt.Sprintf("%s %s %d; ", l.Key, l.Spent.Short(), l.Spent.Calls)
		}
		return all
	}
	for by, want := range map[costs.Grouping]string{
		costs.ByDay:      "2026-11-01 $4.00 2; 2026-11-03 > $2.00 2; ",
		costs.ByModel:    "scripted $6.00 3; strange unknown 1; ",
		costs.ByRole:     "extract > $3.00 3; grade $3.00 1; ",
		costs.ByDocument: " $3.00 1; d2 > $2.00 2; d1 $1.00 1; ",
		costs.ByPerson:   "ada $4.00 2; bea > $2.00 2; ",
	} {
		if got := said(r.Lines[by]); got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
	}
	if got := said(r.Lines[costs.ByDay][0].Parts); got != "extract $1.00 1; grade $3.00 1; " {
		t.Errorf("parts of the first day: %s", got)
	}
	if got := r.Total.Spent.String(); got != "more than $6.00: no price for strange" {
		t.Errorf("in all %s", got)
	}
}

// TestUsageNamesNoHiddenDocument sums up what an admin may not read in one line, which is part of the sum of all.
func TestUsageNamesNoHiddenDocument(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	a := open(t, s, graph())
	for id, input := range map[domain.DocumentID]int{"d1": 100, "d2": 200, "d3": 300} {
		_, _, err := a.Ledger.AddDocument(t.Context(), domain.Document{Workspace: testkit.Workspace, ID: id, Hash: string(id), Name: string(id), Format: domain.FormatText, Status: domain.DocumentReady})
		testkit.Must(t, err)
		testkit.Must(t, a.Ledger.AddUsage(t.Context(), testkit.Workspace, ledger.Usage{
			Day: "2026-11-01", Role: "extract", Document: id, Person: "ada", Calls: 1, Usage: domain.Usage{Model: "scripted", Input: input},
		}))
	}
	testkit.Must(t, a.Ledger.Limit(t.Context(), testkit.Workspace, []domain.DocumentID{"d1", "d3"}, true, []ledger.Reader{{Kind: ledger.ReaderAccount, Name: "ada"}}))
	for person, want := range map[string]string{"ada": "d3 d2 d1", "owen": costs.Limited + " d2"} {
		r, err := a.Costs.Report(domain.WithPerson(t.Context(), person), testkit.Workspace, "2026-11-01", "2026-11-30")
		testkit.Must(t, err)
		var keys []string
		for _, l := range r.Lines[costs.ByDocument] {
			keys = append(keys, l.Key)
		}
		if got := strings.Join(keys, " "); got != want || r.Total.Spent.Calls != 3 {
			t.Errorf("%s is shown %s, want %s; %d calls in all", person, got, want, r.Total.Spent.Calls)
		}
	}
}

// TestAPriceWakesAllWorkspaces: a price holds for everybody, so what waits for it in
// any workspace tries again.
func TestAPriceWakesAllWorkspaces(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	for _, w := range []domain.WorkspaceID{testkit.Workspace, "another"} {
		added, err := a.Queue.Add(t.Context(), job.Run{Workspace: w, ID: domain.RunID(w), Kind: "k"})
		testkit.Must(t, err)
		_, ok, err := a.Queue.ClaimOne(t.Context(), added.ID, "o", time.Minute)
		testkit.Must(t, err)
		if !ok {
			t.Fatalf("the run of %s can't be claimed", w)
		}
		_, err = a.Queue.Postpone(t.Context(), added.ID, "o", domain.Errorf(domain.Capped, "the model house has none"), a.Clock.Now().Add(time.Hour))
		testkit.Must(t, err)
	}
	testkit.Must(t, a.Costs.SetPrice(t.Context(), costs.Price{Models: []string{"house"}, From: "2020-01-01", Input: new(costs.Money), Output: new(costs.Money)}))
	for _, w := range []domain.WorkspaceID{testkit.Workspace, "another"} {
		r, err := a.Queue.Get(t.Context(), w, domain.RunID(w))
		testkit.Must(t, err)
		if r.Status != job.Waiting || r.NextTry.After(a.Clock.Now()) {
			t.Errorf("the run of %s is %s, and waits until %s", w, r.Status, r.NextTry)
		}
	}
}

// TestPricesHearTheContext: a request that was given up does not wait for the database.
func TestPricesHearTheContext(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.Clock.Advance(time.Minute) // what is kept is looked at again
	if _, err := a.Costs.Prices.Table(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
