package place

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
)

// TestALookReadsOnlyWhatHasChanged looks twice at a site of 500 pages, of which 20 have changed in between: the second look
// downloads and reads these, and no others.
func TestALookReadsOnlyWhatHasChanged(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	w := newWeb(t)
	for n := 1; n < 500; n++ {
		w.put(fmt.Sprintf("%03d.html", n), fmt.Sprintf("Maud Ferring cast bell %d.", n))
	}
	s, err := source.New(source.Params{
		Ledger: a.Ledger, Documents: a.Documents, Schemas: a.Schemas, Queue: a.Queue, Kinds: map[string]source.Kind{source.OfSite: Site{w.service(t)}}, Vault: vault.Vault{},
		Threads: a.Threads, IDs: domain.IDs{Random: rand.Reader}, Now: a.Clock.Now, Log: a.Log, MaxBytes: 1 << 20,
	})
	noError(t, err)
	for i := range a.Kinds { // documents wait: how many are to be read is counted
		if a.Kinds[i].Name == documents.Kind {
			a.Kinds[i].Concurrency = 0
		}
	}
	a.Kinds = append(a.Kinds, s.Kind())
	a.Start(t)
	ctx := domain.WithWorkspace(t.Context(), testkit.Workspace)
	added, err := source.Add.Do(s, ctx, source.Wanted{Kind: source.OfSite, Address: w.URL + "/docs/", Every: "1h", Rate: mostRate})
	noError(t, err)
	readings, bodies := 0, 0
	look := func(want ledger.Look, sent int) {
		t.Helper()
		run, err := s.Look(ctx, testkit.Workspace, added.ID)
		noError(t, err)
		ended, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		for _, err := range a.Hub.Watch(ended, testkit.Workspace, run, 0) {
			noError(t, err)
		}
		looks, err := a.Ledger.Looks(ctx, testkit.Workspace, added.ID, time.Time{}, 1)
		noError(t, err)
		got := looks[0]
		if got.Seen != want.Seen || got.Fresh != want.Fresh || got.Changed != want.Changed || got.Gone != want.Gone || got.Failed != 0 || got.Problem != "" {
			t.Errorf("the look found %+v, want %+v", got, want)
		}
		n, err := a.Queue.Count(ctx, testkit.Workspace, job.Query{Kind: documents.Kind})
		noError(t, err)
		w.mu.Lock()
		defer w.mu.Unlock()
		if n-readings != sent || w.bodies-bodies != sent {
			t.Errorf("it downloads %d pages and has %d read, want %d", w.bodies-bodies, n-readings, sent)
		}
		readings, bodies = n, w.bodies
	}
	look(ledger.Look{Seen: 500, Fresh: 500}, 500)
	for n := 1; n <= 20; n++ {
		w.put(fmt.Sprintf("%03d.html", 20*n), fmt.Sprintf("Bell %d was cast again.", 20*n))
	}
	look(ledger.Look{Seen: 500, Changed: 20}, 20)
	w.drop("001.html") // the first page leads there no more, which changes it
	look(ledger.Look{Seen: 499, Changed: 1, Gone: 1}, 1)
}
