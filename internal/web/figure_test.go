package web

import (
	"encoding/csv"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/views/link"
)

const rolls = "In 1871 the foundry cast 12 bells. In 1872 it cast 19 bells.\n"

// answerWithChart adds an answer with a chart of two cited numbers and a count.
func answerWithChart(t *testing.T, b *bench) (ledger.Answer, domain.Figure) {
	t.Helper()
	doc := b.Read(t, "rolls.txt", rolls)
	m := b.Answered(t, "", "How many bells did the foundry cast?")
	cite := func(n int, words string) domain.Citation {
		start := strings.Index(rolls, words)
		return domain.Citation{N: n, Document: doc.Name, DocumentID: doc.ID, Text: words, Span: domain.Span{Start: start, End: start + len(words)}}
	}
	f := domain.Figure{ID: "call /1%41", Task: "bells by year", Paragraph: 1, Status: domain.FigureDone, Chart: &domain.Chart{
		Type: domain.ChartBar, Title: "Bells / year", Unit: "bells", X: "Year", Categories: []string{"1871", "1872", "=cmd()"},
		Series:    []domain.Series{{Name: "Bells", Points: []domain.Point{{Category: 0, Value: 12, Citation: 1}, {Category: 1, Value: 19, Citation: 2}, {Category: 2, Value: 3, Count: &domain.Count{Of: domain.CountEntities, Key: "Person"}}}}},
		Citations: []domain.Citation{cite(1, "cast 12 bells"), cite(2, "cast 19 bells")},
	}}
	addChart(t, b, m, f)
	return m, f
}

// addChart stores a chart with its answer and adds its event to the run's log.
func addChart(t *testing.T, b *bench, m ledger.Answer, f domain.Figure) {
	t.Helper()
	_, err := b.Ledger.UpdateAnswer(t.Context(), testkit.Workspace, m.Run, func(m *ledger.Answer) { m.Figures = []domain.Figure{f} })
	testkit.Must(t, err)
	events, err := b.Hub.Events(t.Context(), testkit.Workspace, m.Run, 0)
	testkit.Must(t, err)
	payload, err := json.Marshal(f)
	testkit.Must(t, err)
	text, err := json.Marshal(trace.Event{Kind: string(stategraph.Custom), Node: "generate", Custom: domain.EventFigure, Payload: payload})
	testkit.Must(t, err)
	testkit.Must(t, b.Ledger.AppendEvents(t.Context(), testkit.Workspace, m.Run, []ledger.EventRow{{Seq: events[len(events)-1].Seq + 1, At: time.Now(), JSON: text}}))
}

func TestAChartIsATableWithASourceForEachNumber(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	m, f := answerWithChart(t, b)
	page := b.get(t, link.Conversation(m.Conversation))
	values := nodes(t, page.body, func(n *html.Node) bool { return n.Data == "td" && attr(n, "data-value") != "" })
	if len(values) != 3 {
		t.Fatalf("%d numbers are in the table: %s", len(values), page.main(t))
	}
	cites := nodes(t, page.body, func(n *html.Node) bool { return attr(n, "data-testid") == "figure-cite" })
	for i, want := range []string{"cast 12 bells", "cast 19 bells"} {
		source := b.get(t, attr(cites[i], "href"))
		if got := marked(t, source.body); source.status != 200 || got != want {
			t.Errorf("the source of number %d (status %d) marks %q, want %q", i+1, source.status, got, want)
		}
	}
	counts := nodes(t, page.body, func(n *html.Node) bool { return attr(n, "data-testid") == "figure-count" })
	if len(counts) != 1 || attr(counts[0], "href") != "/graph?view=table&label=Person" {
		t.Errorf("the count leads nowhere")
	}
	for _, path := range []string{
		link.FigureSource(m.Conversation, m.Message, f.ID, 3), link.FigureSource(m.Conversation, m.Message, "other", 1), link.FigureSource("k0", m.Message, f.ID, 1),
		link.FigureCSV(m.Conversation, "m0", f.ID), link.FigureCSV(m.Conversation, m.Message, ""),
	} {
		if got := b.get(t, path); got.status != 404 {
			t.Errorf("%s: status %d, want 404", path, got.status)
		}
	}
}

func TestChartCSV(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	m, f := answerWithChart(t, b)
	got := b.get(t, link.FigureCSV(m.Conversation, m.Message, f.ID))
	if got.status != 200 || got.header.Get("Content-Type") != "text/csv; charset=utf-8" || got.header.Get("Content-Disposition") != `attachment; filename=bells-year.csv` {
		t.Fatalf("status %d, %v", got.status, got.header)
	}
	body, marked := strings.CutPrefix(got.body, "\ufeff")
	records, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	testkit.Must(t, err)
	if !marked || len(records) != 4 || records[1][1] != "12" || records[1][2] != "rolls.txt" || records[3][0] != "'=cmd()" {
		t.Errorf("the file holds %q", got.body)
	}
}

func TestAChartNamesItsDeletedSource(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	m, f := answerWithChart(t, b)
	b.Delete(t, f.Chart.Citations[0].DocumentID)
	page := b.get(t, link.Conversation(m.Conversation))
	if strings.Contains(page.body, "<q>cast 12 bells") || !strings.Contains(page.main(t), "source deleted") {
		t.Errorf("the page still quotes the source, or does not say that it is deleted: %s", page.main(t))
	}
	if source := b.get(t, link.FigureSource(m.Conversation, m.Message, f.ID, 1)); source.status != 200 || !strings.Contains(source.main(t), "The source was deleted") {
		t.Errorf("the source's own page: status %d, %s", source.status, source.main(t))
	}
	if csv := b.get(t, link.FigureCSV(m.Conversation, m.Message, f.ID)); csv.status != 200 || !strings.Contains(csv.body, "source deleted") {
		t.Errorf("the file: status %d, %q", csv.status, csv.body)
	}
}

func TestAStoppedAnswerShowsNoPendingChart(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	m, f := answerWithChart(t, b)
	f.Status, f.Chart, f.ID = domain.FigurePending, nil, "call_2"
	addChart(t, b, m, f)
	_, err := b.Ledger.UpdateAnswer(t.Context(), testkit.Workspace, m.Run, func(m *ledger.Answer) {
		m.Status, m.Figures, m.Sentences = ledger.MessageStopped, nil, nil
	})
	testkit.Must(t, err)
	page := b.get(t, link.Conversation(m.Conversation))
	if strings.Contains(page.main(t), "A chart is being made") || !strings.Contains(page.body, `id="figure-`) {
		t.Errorf("the page says %s", page.main(t))
	}
}

func TestAFailedChartIsOneLine(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	m, f := answerWithChart(t, b)
	f.Status, f.Chart, f.Problem, f.Sentences = domain.FigureFailed, nil, "the passages hold no numbers on <this>.", 1
	addChart(t, b, m, f)
	page := b.get(t, link.Conversation(m.Conversation))
	if !strings.Contains(page.main(t), "The chart could not be created: the passages hold no numbers on <this>.") || strings.Contains(page.body, "figure-table") {
		t.Errorf("the page says %q", page.main(t))
	}
	if !strings.Contains(page.main(t), "(Written before the chart failed.)") {
		t.Errorf("what was written before is not marked: %q", page.main(t))
	}
}

func TestTheStreamSendsCurrentCharts(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	m, f := answerWithChart(t, b)
	s := b.stream(t, "/runs/"+url.PathEscape(string(m.Run))+"/events")
	seen := s.until(t, "the end", func(e event) bool { return e.name == "end" })
	figures := 0
	for _, e := range seen {
		if e.name == "figure" {
			figures++
			if !strings.Contains(e.data, "Bells / year") || !strings.Contains(e.data, link.FigureCSV(m.Conversation, m.Message, f.ID)) {
				t.Errorf("the stream brings %s", e.data)
			}
		}
	}
	if figures != 1 {
		t.Errorf("%d charts came, want one", figures)
	}
}
