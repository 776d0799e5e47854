package ledger_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// read stores a message that a run has answered after reading documents.
func (b Bench) read(t *testing.T, m ledger.Answer, documents ...domain.Document) {
	t.Helper()
	m.Workspace, m.Status = ws, ledger.MessageDone
	b.run(t, m.Run, "answer", string(m.Message))
	for i, d := range documents {
		b.event(t, m.Run, i+1, fmt.Sprintf(`{"documents":[{"document_id":%q}]}`, d.ID))
	}
	must(t, b.addMessage(t.Context(), m))
}

// stubsWhereItWasRead deletes a document that answers do not cite: they lose its sentences if their
// run, or that of an answer before, has read it, but not what they quote from another document.
func stubsWhereItWasRead(t *testing.T, b Bench) {
	ctx := t.Context()
	const said, shared = "The great bell of Osterby cracked.", "It was cast anew in Velm."
	d, other := b.add(t, ws, "bell", said+" "+shared), b.add(t, ws, "other", shared+" Nobody knew.")
	for _, d := range []domain.Document{d, other} {
		_, err := b.Ledger.Publish(ctx, ws, d.ID)
		must(t, err)
	}
	k := b.conversation(t, "k1")
	cited := []domain.Citation{{N: 1, DocumentID: other.ID, Document: other.Name, Text: shared}}
	message := func(id string, run domain.RunID, answer string) ledger.Answer {
		return ledger.Answer{Message: domain.MessageID(id), Conversation: k.ID, Question: "What cracked?", Text: answer, Run: run, Citations: cited, Figures: []domain.Figure{
			{ID: "f", Task: "THE GREAT bell of Osterby cracked", Status: domain.FigureDone, Chart: &domain.Chart{Type: domain.ChartBar, Title: said, Series: []domain.Series{{}}}},
		}}
	}
	b.read(t, message("m1", "reader", said+" [1] "+shared+" [1]"), d, other)
	b.read(t, message("m2", "follower", "As I said: "+said), other)
	b.read(t, message("m3", "stranger", said), other)
	must(t, b.Ledger.NoteHistory(ctx, ws, "follower", []domain.RunID{"reader"}))
	must(t, b.Ledger.SaveModelCall(ctx, "of the follower", domain.CallOwner{Workspace: ws, Run: "follower"}, answer(said)))

	_, err := b.Ledger.DeleteDocument(ctx, ws, d.ID)
	must(t, err)
	for id, want := range map[domain.MessageID]string{
		"m1": ledger.Stub + " [1] " + shared + " [1]", // the other document says that too
		"m2": "As I said: " + said,                    // a sentence in its own words
		"m3": said,                                    // which is somebody else's
	} {
		m, err := b.Ledger.Message(ctx, ws, id)
		must(t, err)
		task, title := ledger.Stub, ledger.Stub
		if id == "m3" {
			task, title = "THE GREAT bell of Osterby cracked", said
		}
		got := []string{m.Text, m.Figures[0].Task, m.Figures[0].Chart.Title, m.Citations[0].Text}
		if diff := cmp.Diff([]string{want, task, title, shared}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	if got, err := b.Ledger.ModelCall(ctx, "of the follower"); got != nil || err != nil {
		t.Errorf("a call that was shown the answer is still recorded: %s, %v", got, err)
	}
	must(t, b.Ledger.NoteHistory(ctx, ws, "stranger", []domain.RunID{"reader"}))
	b.event(t, "stranger", 2, `{"later":1}`)
	if events, err := b.Ledger.Events(ctx, ws, "stranger", 0); len(events) != 2 || err != nil {
		t.Errorf("a run that follows after the deletion has %d events, %v: what is gone is not read any more", len(events), err)
	}
}

// takesBackWhatIsBeingWritten deletes a document while a run that has read it writes an answer.
func takesBackWhatIsBeingWritten(t *testing.T, b Bench) {
	ctx := t.Context()
	const said = "The great bell of Osterby cracked."
	k := b.conversation(t, "k1")
	for i, working := range []bool{true, false} {
		d := b.add(t, ws, fmt.Sprint("bell", i), said)
		_, err := b.Ledger.Publish(ctx, ws, d.ID)
		must(t, err)
		run, id := domain.RunID(fmt.Sprint("r", i)), domain.MessageID(fmt.Sprint("m", i))
		b.run(t, run, "answer", string(id))
		if working {
			must(t, b.Queue.Claim(ctx, "answer"))
		}
		b.event(t, run, 1, fmt.Sprintf(`{"documents":[{"document_id":%q}]}`, d.ID))
		must(t, b.addMessage(ctx, ledger.Answer{Message: id, Workspace: ws, Conversation: k.ID, Question: "What cracked?", Run: run, Status: ledger.MessageAnswering}))
		_, err = b.Ledger.DeleteDocument(ctx, ws, d.ID)
		must(t, err)
		m, err := b.updateMessage(ctx, id, func(m *ledger.Answer) {
			m.Text, m.Sentences, m.Status = said, []domain.Sentence{{Text: said}}, ledger.MessageDone
		})
		must(t, err)
		want := said // a run that waited begins again without the document
		if working {
			want = ledger.Stub
		}
		if m.Text != want || m.Status != ledger.MessageDone || working && len(m.Sentences) > 0 {
			t.Errorf("working %t: the answer is %q with %+v, %s; want %q", working, m.Text, m.Sentences, m.Status, want)
		}
	}
}
