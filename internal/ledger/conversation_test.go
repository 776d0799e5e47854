package ledger_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// conversation stores a conversation without messages.
func (b Bench) conversation(t *testing.T, id domain.ConversationID) ledger.Conversation {
	t.Helper()
	c := ledger.Conversation{ID: id, Workspace: ws, Title: "About " + string(id), CreatedAt: b.Clock.Now(), UpdatedAt: b.Clock.Now()}
	_, err := b.Writer.ExecContext(t.Context(), `INSERT INTO conversations (workspace_id, id, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?)`,
		c.Workspace, c.ID, c.Title, sqlio.Millis(c.CreatedAt), sqlio.Millis(c.UpdatedAt))
	must(t, err)
	return c
}

// addMessage stores a message alone.
func (b Bench) addMessage(ctx context.Context, m ledger.Answer) error {
	return b.Ledger.AddAnswerTx(ctx, nil, m, nothing)
}

// addSummary stores a summary alone.
func (b Bench) addSummary(ctx context.Context, s ledger.Summary) error {
	return b.Ledger.AddSummaryTx(ctx, s, nothing)
}

func nothing(*sql.Tx) error { return nil }

func conversations(t *testing.T, b Bench) {
	ctx := t.Context()
	first, second, third := b.conversation(t, "k1"), b.conversation(t, "k2"), b.conversation(t, "k3")
	b.Clock.Advance(time.Minute)
	must(t, b.addMessage(ctx, ledger.Answer{Message: "m1", Workspace: ws, Conversation: "k2", Run: "r1"}))
	second.UpdatedAt = b.Clock.Now()

	all, total, err := b.Ledger.Conversations(ctx, ws, 0, 0)
	must(t, err)
	if diff := cmp.Diff([]ledger.Conversation{second, first, third}, all); diff != "" || total != 3 {
		t.Errorf("total %d; -want +got\n%s", total, diff)
	}
	page, total, err := b.Ledger.Conversations(ctx, ws, 1, 1)
	must(t, err)
	if diff := cmp.Diff([]ledger.Conversation{first}, page); diff != "" || total != 3 {
		t.Errorf("a page: total %d; -want +got\n%s", total, diff)
	}
	one, err := b.Ledger.Conversation(ctx, ws, "k2")
	must(t, err)
	if diff := cmp.Diff(second, one); diff != "" {
		t.Errorf("one: -want +got\n%s", diff)
	}
	_, err = b.Ledger.Conversation(ctx, "another", "k2")
	wantKind(t, err, domain.NotFound)
	wantKind(t, b.Ledger.AddAnswerTx(ctx, &first, ledger.Answer{Message: "m2", Workspace: ws, Conversation: "k1", Run: "r2"}, nothing), domain.Conflict)

	begin := ledger.Conversation{ID: "k4", Workspace: ws}
	must(t, b.Ledger.AddAnswerTx(ctx, &begin, ledger.Answer{Message: "m2", Workspace: ws, Conversation: "k4", Run: "r2"}, nothing))
	if c, err := b.Ledger.Conversation(ctx, ws, "k4"); err != nil || !c.CreatedAt.Equal(b.Clock.Now()) || c.UpdatedAt != c.CreatedAt {
		t.Errorf("got default times %v and %v, error %v", c.CreatedAt, c.UpdatedAt, err)
	}
}

func messages(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "Ada met Babbage.")
	chunk := split(d.ID, []string{"Ada met Babbage."})[0]
	b.conversation(t, "k1")
	first := ledger.Answer{
		Message: "m2", Workspace: ws, Conversation: "k1", Question: "Who?", Method: domain.MethodWords, Follows: "r0", Run: "r1", Status: ledger.MessageWaiting, CreatedAt: b.Clock.Now(),
	}
	must(t, b.addMessage(ctx, first))
	wantKind(t, b.addMessage(ctx, first), domain.Conflict)
	lost := first
	lost.Message, lost.Conversation, lost.Run = "m3", "gone", "r3"
	wantKind(t, b.addMessage(ctx, lost), domain.NotFound)
	b.Clock.Advance(time.Second)
	must(t, b.addMessage(ctx, ledger.Answer{Message: "m1", Workspace: ws, Conversation: "k1", Run: "r2"}))

	quote := domain.Citation{
		N: 1, Document: d.Name, DocumentID: d.ID, Chunk: chunk.ID, Page: 3, Place: "Sheet A, row 3", Span: domain.Span{Start: 0, End: 3}, Text: "Ada",
	}
	unknown := quote
	unknown.N, unknown.DocumentID = 2, "deleted before"
	quoted, lostQuote := quote, unknown // by an answer that no model wrote
	quoted.Marks, quoted.Close, quoted.Tie = []domain.Span{{Start: 1, End: 2}}, true, "Ada"
	lostQuote.Marks, lostQuote.Close, lostQuote.Tie = quoted.Marks, true, "Ada"
	answered := func(m *ledger.Answer) {
		m.Question, m.Text, m.Status, m.Problem, m.Run = "other", "Ada did [1].", ledger.MessageDone, "p", "other"
		m.Sentences = []domain.Sentence{{Text: "Ada did.", Citations: []int{1}, Supported: true, Paragraph: 2}}
		m.Citations = []domain.Citation{lostQuote, quoted}
		m.Figures = []domain.Figure{
			{ID: "a", Task: "ages", Status: domain.FigurePending},
			{ID: "b", Task: "years", Paragraph: 1, Status: domain.FigureDone, Chart: &domain.Chart{
				Type: domain.ChartPie, Title: "Years", Categories: []string{"x"}, Series: []domain.Series{{Points: []domain.Point{
					{Value: 3, Citation: 1}, {Value: 4, Count: &domain.Count{Of: domain.CountMentions, Key: "one", Document: d.ID}},
				}}}, Citations: []domain.Citation{quote, unknown},
			}},
		}
		m.Message, m.Conversation, m.Workspace, m.CreatedAt = "other", "other", "other", time.Time{}
	}
	want := first
	answered(&want)
	want.Message, want.Conversation, want.Workspace, want.CreatedAt, want.Question, want.Run = first.Message, first.Conversation, first.Workspace, first.CreatedAt, first.Question, first.Run
	unknown.Place, unknown.Text, lostQuote.Place, lostQuote.Text, lostQuote.Tie = "", "", "", "", "" // a quotation without its source is dropped
	want.Citations = []domain.Citation{quoted, lostQuote}
	want.Figures[1].Chart.Citations = []domain.Citation{quote, unknown}
	for range 2 { // the second time replaces
		got, err := b.updateMessage(ctx, "m2", answered)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("updated: -want +got\n%s", diff)
		}
	}
	got, err := b.Ledger.Message(ctx, ws, "m2")
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back: -want +got\n%s", diff)
	}
	citing, err := b.Ledger.Citing(ctx, ws, d.ID, 1)
	must(t, err)
	if diff := cmp.Diff([]ledger.Citing{{Conversation: "k1", Message: "m2", Question: want.Question, N: 1, Page: 3, Place: quote.Place, CreatedAt: want.CreatedAt}}, citing); diff != "" {
		t.Errorf("citing: -want +got\n%s", diff)
	}
	if none, err := b.Ledger.Citing(ctx, "another", d.ID, 0); err != nil || len(none) > 0 {
		t.Errorf("citing in another workspace: %+v, error %v", none, err)
	}
	all, err := b.Ledger.Messages(ctx, ws, "k1")
	must(t, err)
	later := ledger.Answer{Message: "m1", Workspace: ws, Conversation: "k1", Run: "r2", CreatedAt: b.Clock.Now()}
	if diff := cmp.Diff([]ledger.Answer{want, later}, all); diff != "" {
		t.Errorf("all: -want +got\n%s", diff)
	}
	_, err = b.Ledger.Message(ctx, "another", "m2")
	wantKind(t, err, domain.NotFound)
	_, err = b.Ledger.UpdateAnswer(ctx, ws, "gone", func(*ledger.Answer) { t.Error("the update was called for a missing answer") })
	wantKind(t, err, domain.NotFound)
}
