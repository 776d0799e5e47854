package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit"
)

// spend counts calls of today.
func (b *bench) spend(t *testing.T, model, role string, document domain.DocumentID, run domain.RunID, input int) {
	t.Helper()
	testkit.Must(t, b.Ledger.AddUsage(t.Context(), testkit.Workspace, ledger.Usage{
		Day: costs.DayOf(b.Clock.Now()), Role: role, Document: document, Run: run, Person: "ada", Calls: 2,
		Usage: domain.Usage{Model: model, Input: input, Cached: input / 2, Output: 10},
	}))
}

func TestUsage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Clock.Stop()
	if said := b.get(t, "/usage").main(t); !strings.Contains(said, "Nothing was spent this month") {
		t.Errorf("an empty month says %s", said)
	}
	doc := b.Read(t, "bells.txt", foundry)
	b.spend(t, "scripted", "extract", doc.ID, doc.Run, 1_000_000)
	if said := b.get(t, "/usage").main(t); !strings.Contains(said, "No price is known for scripted") || !strings.Contains(said, "unknown") || strings.Contains(said, "$0.00 ") && !strings.Contains(said, "unknown") {
		t.Errorf("without a price: %s", said)
	}
	if r := b.post(t, "/prices", url.Values{"model": {"scripted"}, "input": {"2"}, "output": {"much"}}); r.status != 422 || !strings.Contains(r.main(t), "not an amount of money") || !strings.Contains(r.body, `value="scripted"`) {
		t.Errorf("a wrong price: status %d, %s", r.status, r.main(t))
	}
	if r := b.post(t, "/prices", url.Values{"model": {"scripted"}, "from": {"2020-01-01"}, "input": {"2"}, "cached": {"1"}, "output": {"8"}}); r.status != 303 {
		t.Errorf("a price: status %d, %s", r.status, r.main(t))
	}
	if said := b.get(t, "/prices").main(t); !strings.Contains(said, "your own") || !strings.Contains(said, "$2.00") {
		t.Errorf("prices: %s", said)
	}
	b.spend(t, "scripted", "grade", "", "r9", 500_000)
	said := b.get(t, "/usage").main(t)
	for _, want := range []string{"$2.25", "1,500,000 tokens in, of them 750,000 from the cache", "bells.txt", "$1.50", "questions, summaries and the rest", "Read documents", "50 %", "ada"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
	for path, want := range map[string]string{
		"/usage/usage.csv?by=document": "bells.txt,2,1000000,500000,10,0,1.50008,USD,\r\n",
		"/usage/usage.csv?by=day":      costs.DayOf(b.Clock.Now()) + ",4,",
		"/usage/usage.csv?by=person":   "ada,4,1500000,750000,20,0,2.25016,USD",
	} {
		if r := b.get(t, path); r.status != 200 || !strings.HasPrefix(r.body, "\ufeff") && !strings.Contains(r.body, want) {
			t.Errorf("%s: status %d\n%s", path, r.status, r.body)
		}
	}
	if said := b.get(t, "/usage?month=2020-02").main(t); !strings.Contains(said, "Nothing was spent") || !strings.Contains(said, "February 2020") {
		t.Errorf("another month: %s", said)
	}
	if row := b.get(t, "/documents").main(t); !strings.Contains(row, "$1.50") {
		t.Errorf("the row of the document does not say what it cost: %s", row)
	}
}

func TestCapsOnThePage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	if r := b.post(t, "/usage/caps", url.Values{"day": {"5"}, "month": {"a lot"}}); r.status != 422 || !strings.Contains(r.main(t), "is not a cap") || !strings.Contains(r.body, `value="a lot"`) {
		t.Errorf("a wrong cap: status %d, %s", r.status, r.main(t))
	}
	if r := b.post(t, "/usage/caps", url.Values{"day": {"100 tokens"}, "month": {""}}); r.status != 303 {
		t.Errorf("a cap: status %d", r.status)
	}
	b.spend(t, "scripted", "extract", "", "r1", 200)
	r := b.get(t, "/usage")
	if said := r.main(t); !strings.Contains(said, "Today") || !strings.Contains(said, "One question") || !strings.Contains(said, "answers with what it has") {
		t.Errorf("the caps say %s", said)
	}
	if said := r.main(t); !strings.Contains(said, "The cap of a day is reached.") || !strings.Contains(said, "210 of 100 tokens") || !strings.Contains(r.body, `data-testid="cap-reached"`) {
		t.Errorf("a cap that is reached: %s", said)
	}
	m := b.Answered(t, "", "Who cast the bells?")
	if page := b.get(t, "/ask/"+string(m.Conversation)).main(t); !strings.Contains(page, "The cap of a day is reached: 210 of 100 tokens") {
		t.Errorf("a question at a cap: %s", page)
	}
	b.post(t, "/usage/caps", url.Values{"day": {""}})
	if r := b.get(t, "/usage"); strings.Contains(r.body, `data-testid="cap-reached"`) {
		t.Error("the cap is gone and yet reached")
	}
}

// TestUsageOfManyCalls: a month of 100,000 calls is read at once, by the same few
// statements.
func TestUsageOfManyCalls(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	tx, err := b.DB.Writer.BeginTx(t.Context(), nil)
	testkit.Must(t, err)
	month := b.Clock.Now().UTC().Format("2006-01")
	for i := range 25_000 { // of four calls each
		_, err := tx.ExecContext(t.Context(), `INSERT INTO model_usage VALUES (?, ?, ?, ?, ?, ?, ?, 4, 4000, 400, 800, 0)`,
			testkit.Workspace, fmt.Sprintf("%s-%02d", month, 1+i%28), "gpt-4o-mini", []string{"extract", "grade", "write"}[i%3], fmt.Sprintf("d%d", i%5000), fmt.Sprintf("r%d", i), fmt.Sprintf("p%d", i%7))
		testkit.Must(t, err)
	}
	testkit.Must(t, tx.Commit())
	began := time.Now()
	said := b.get(t, "/usage").main(t)
	t.Logf("a month of 100,000 calls in %v", time.Since(began))
	if !strings.Contains(said, "100,000 calls") {
		t.Errorf("%s", said)
	}
}

// TestRunsAreSummedUp: the page and the operation say the same of runs.
func TestRunsAreSummedUp(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", "Maud Ferring cast the bells of Osterby in 1871.")
	b.Answered(t, "", "Who cast the bells?")
	b.Answered(t, "", "What colour are zebras?")
	for by, want := range map[string][]string{
		"kind":   {"answer", "ingest", "Without a source"},
		"node":   {"generate", "ingest", "Median"},
		"method": {"all", "Reworded"},
		"day":    {b.Clock.Now().UTC().Format("2006-01-02")},
		"model":  {"By model"},
	} {
		said := b.get(t, "/usage?runs="+by).main(t)
		for _, w := range want {
			if !strings.Contains(said, w) {
				t.Errorf("runs by %s lack %q: %s", by, w, said)
			}
		}
	}
	if said := b.get(t, "/usage?month=2020-02&runs=day").main(t); !strings.Contains(said, "No run ended this month.") {
		t.Errorf("a month without runs: %s", said)
	}
}
