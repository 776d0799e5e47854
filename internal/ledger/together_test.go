package ledger_test

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// together stores rows in a transaction with another write, which fails the
// first time: then neither is stored.
func together(t *testing.T, b Bench) {
	ctx := t.Context()
	document := b.add(t, ws, "one", "Ada met Babbage.")
	b.conversation(t, "before")
	b.run(t, "r1", "k", "m0")
	note := func(tx *sql.Tx) error {
		_, err := b.Ledger.AddEventsTx(ctx, tx, ws, "r1", []ledger.EventRow{{At: b.Clock.Now(), JSON: []byte(`{"n":1}`)}}, ledger.Calls{})
		return err
	}
	failed := errors.New("the other change failed")
	s := ledger.Summary{
		ID: "s1", Workspace: ws, Run: "r1", Documents: []ledger.SummaryDocument{{ID: document.ID, Name: document.Name}},
		CreatedAt: b.Clock.Now(), UpdatedAt: b.Clock.Now(),
	}
	begin := ledger.Conversation{ID: "k1", Workspace: ws, CreatedAt: b.Clock.Now(), UpdatedAt: b.Clock.Now()}
	for n, add := range []func(more func(*sql.Tx) error) error{
		func(more func(*sql.Tx) error) error {
			return b.Ledger.AddAnswerTx(ctx, &begin, ledger.Answer{Message: "m1", Workspace: ws, Conversation: "k1", Run: "r1"}, more)
		},
		func(more func(*sql.Tx) error) error {
			return b.Ledger.AddAnswerTx(ctx, nil, ledger.Answer{Message: "m2", Workspace: ws, Conversation: "before", Run: "r2"}, more)
		},
		func(more func(*sql.Tx) error) error { return b.Ledger.AddSummaryTx(ctx, s, more) },
	} {
		before := b.started(t)
		if err := add(func(tx *sql.Tx) error { return errors.Join(note(tx), failed) }); !errors.Is(err, failed) {
			t.Errorf("%d: got error %v", n, err)
		}
		if diff := cmp.Diff(before, b.started(t)); diff != "" {
			t.Errorf("%d: (-before +after the failure)\n%s", n, diff)
		}
		must(t, add(note))
		events, err := b.Ledger.Events(ctx, ws, "r1", 0)
		must(t, err)
		if len(events) != n+1 || cmp.Equal(before, b.started(t)) {
			t.Errorf("%d: got %d events and %+v", n, len(events), b.started(t))
		}
	}
	edit := func(s *ledger.Summary) { s.Edits = []string{"as edited"} }
	if _, err := b.Ledger.UpdateSummary(ctx, ws, "s1", edit, func(*sql.Tx) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("edit: got error %v", err)
	}
	if got, err := b.Ledger.Summary(ctx, ws, "s1"); err != nil || got.Edits != nil {
		t.Errorf("failed edit: got %+v, error %v", got, err)
	}
}

// started returns everything that users have started.
func (b Bench) started(t *testing.T) (all struct {
	Conversations []ledger.Conversation
	Messages      []ledger.Answer
	Summaries     []ledger.Summary
}) {
	t.Helper()
	var err error
	all.Conversations, _, err = b.Ledger.Conversations(t.Context(), ws, 0, 0)
	must(t, err)
	for _, id := range []domain.ConversationID{"before", "k1"} {
		messages, err := b.Ledger.Messages(t.Context(), ws, id)
		must(t, err)
		all.Messages = append(all.Messages, messages...)
	}
	all.Summaries, _, err = b.Ledger.Summaries(t.Context(), ws, 0, 0)
	must(t, err)
	return all
}
