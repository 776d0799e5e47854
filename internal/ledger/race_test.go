package ledger_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// atOnce calls f from n goroutines that start together.
func atOnce(n int, f func(i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			f(i)
		})
	}
	close(begin)
	all.Wait()
}

// sameAtOnce adds the same document and mines the same chunk from several
// goroutines: the result is one document with the contribution of one of them.
func sameAtOnce(t *testing.T, b Bench) {
	hash := domain.Hash([]byte("same"))
	d := domain.Document{Workspace: ws, ID: domain.NewDocumentID(ws, hash), Name: "same.txt", Hash: hash, Status: domain.DocumentWaiting}
	var fresh sync.Map
	atOnce(8, func(i int) {
		_, existed, err := b.Ledger.AddDocument(t.Context(), d)
		if err != nil {
			t.Error(err)
		}
		if !existed {
			fresh.Store(i, true)
		}
	})
	first := 0
	fresh.Range(func(any, any) bool { first++; return true })
	if first != 1 {
		t.Errorf("got %d calls that created the document, want 1", first)
	}
	chunks := split(d.ID, []string{"Ada met Babbage.", "They built an engine."})
	atOnce(8, func(i int) {
		err := b.Ledger.SaveChunks(t.Context(), ws, d.ID, chunks[:1+i%2])
		if err != nil {
			t.Error(err)
		}
	})
	must(t, b.Ledger.SaveChunks(t.Context(), ws, d.ID, chunks))
	atOnce(8, func(i int) {
		c := ledgerContribution(chunks[0], fmt.Sprint("Ada ", i), "Babbage")
		if err := b.Ledger.RecordContribution(t.Context(), ws, c); err != nil {
			t.Error(err)
		}
	})
	_, err := b.Ledger.Publish(t.Context(), ws, d.ID)
	must(t, err)
	all, err := b.Ledger.Contributions(t.Context(), ws, d.ID)
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("got %d contributions of one chunk, want 1", len(all))
	}
	var keys []string
	for i := range 8 {
		keys = append(keys, fmt.Sprint("ada ", i))
	}
	rows, err := b.Ledger.Mentions(t.Context(), ws, keys)
	must(t, err)
	if len(rows) != 1 || rows[0].Name != all[0].Graph.Nodes[0].Name {
		t.Errorf("got mentions %+v, want those of the contribution, %s", rows, all[0].Graph.Nodes[0].Name)
	}
}

// changesInOrder reads the outbox while many goroutines write to it: a change
// must not appear after one with a higher number.
func changesInOrder(t *testing.T, b Bench) {
	const writers, each = 4, 15
	var docs [writers]domain.Document
	for i := range docs {
		docs[i] = b.add(t, ws, fmt.Sprint("d", i), "Text.")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		atOnce(writers, func(i int) {
			for range each {
				if _, err := b.Ledger.Publish(t.Context(), ws, docs[i].ID); err != nil {
					t.Error(err)
				}
			}
		})
	}()
	var seen int64
	for seen < writers*each {
		over := false
		select {
		case <-done:
			over = true
		default:
		}
		changes, err := b.Ledger.Changes(t.Context(), ws, seen, 0)
		must(t, err)
		for _, c := range changes {
			if c.Seq != seen+1 {
				t.Fatalf("change %d appeared after %d", c.Seq, seen)
			}
			seen = c.Seq
		}
		if over && len(changes) == 0 {
			break
		}
	}
	<-done // a change may be seen before its writer is told
	if head, err := b.Ledger.Head(t.Context(), ws); err != nil || head != writers*each || seen != head {
		t.Errorf("got changes up to %d of %d, error %v", seen, head, err)
	}
}

// deletedMeanwhile deletes a document while other goroutines write its words:
// whatever the order, none is left.
func deletedMeanwhile(t *testing.T, b Bench) {
	d := Doom(t, b)
	chunks, err := b.Ledger.Chunks(t.Context(), ws, d.Document.ID)
	must(t, err)
	const each = 12
	owner := domain.CallOwner{Workspace: ws, Document: d.Document.ID}
	reader := domain.CallOwner{Workspace: ws, Run: d.Reader}
	key := func(kind string, i int) string { return fmt.Sprint("raced ", kind, i) }
	gone := func(err error) { // a missing document is no failure
		if err != nil && domain.KindOf(err) != domain.NotFound {
			t.Error(err)
		}
	}
	tasks := []func(i int){
		func(i int) {
			gone(b.Ledger.SaveModelCall(t.Context(), key("document", i), owner, answer(Marker)))
		},
		func(i int) {
			gone(b.Ledger.SaveModelCall(t.Context(), key("reader", i), reader, answer(Marker)))
		},
		func(i int) {
			event := ledger.EventRow{Seq: 100 + i, At: b.Clock.Now(), JSON: []byte(fmt.Sprintf(`{"said":%q}`, Marker))}
			gone(b.Ledger.AppendEvents(t.Context(), ws, d.Reader, []ledger.EventRow{event}))
		},
		func(int) {
			gone(b.Ledger.RecordContribution(t.Context(), ws, ledgerContribution(chunks[0], Marker, "Ada")))
		},
		func(int) {
			_, err := b.updateMessage(t.Context(), d.Message, func(m *ledger.Answer) {
				m.Citations = []domain.Citation{{N: 1, DocumentID: d.Document.ID, Chunk: chunks[0].ID, Text: Marker}}
			})
			gone(err)
		},
		func(i int) {
			if i != each/3 {
				return
			}
			if _, err := b.Ledger.DeleteDocument(t.Context(), ws, d.Document.ID); err != nil {
				t.Error(err)
			}
		},
	}
	atOnce(len(tasks), func(n int) {
		for i := range each {
			tasks[n](i)
		}
	})
	for i := range each {
		for _, kind := range []string{"document", "reader"} {
			if got, err := b.Ledger.ModelCall(t.Context(), key(kind, i)); got != nil || err != nil {
				t.Errorf("%s: got recorded call %s, error %v", key(kind, i), got, err)
			}
		}
	}
	if left, err := b.Ledger.Events(t.Context(), ws, d.Reader, 0); err != nil || len(left) > 1 {
		t.Errorf("got %d events, error %v; want at most the last", len(left), err)
	}
	m, err := b.Ledger.Message(t.Context(), ws, d.Message)
	must(t, err)
	for _, c := range m.Citations {
		if c.Text != "" {
			t.Errorf("got a citation with text %q", c.Text)
		}
	}
	if rows, err := b.Ledger.Mentions(t.Context(), ws, []string{"zyzzogeton"}); err != nil || len(rows) > 0 {
		t.Errorf("got %d mentions, error %v; want none", len(rows), err)
	}
}
