package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/views/link"
)

// addSmall adds n small documents.
func addSmall(t *testing.T, a *app, from, n int) {
	t.Helper()
	for i := range n {
		text := fmt.Sprintf("Agnes Lovibond %[1]d taught arithmetic in Velm.\n\nThe school of Velm has room %[1]d, which Maud Ferring built.\n", from+i)
		_, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, fmt.Sprintf("school-%d.txt", from+i), documents.How{}, strings.NewReader(text)).One()
		noError(t, err)
	}
}

// TestADocumentTakesFewRoundTrips counts what a worker asks of Postgres for each small document. What depends on how much
// happens within a moment, and of how many documents are projected together, is bounded by about half as much again as is usual.
func TestADocumentTakesFewRoundTrips(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	const n = 20
	f := newFleet(t, servers.PostgresURL(t))
	a := f.app(t)
	var tap *servers.Tap
	f.database, tap = servers.TapPostgres(t, f.database)
	f.work(t)
	addSmall(t, a, 0, n) // for these each connection prepares its statements
	ready(t, a, n)
	tap.Take()
	addSmall(t, a, n, n)
	ready(t, a, 2*n)
	trips, runs := tap.Take()
	of := func(begin string) (sum int) {
		for s, times := range runs {
			if strings.HasPrefix(s, begin) {
				sum += times
			}
		}
		return sum
	}
	for _, bound := range []struct {
		begin string
		most  float64 // of one document
	}{
		{"begin", 11},
		{"INSERT INTO events", 6},
		{"INSERT INTO checkpoints", 12},
		{"UPDATE documents", 10},
		{"WITH held AS", 0},
		{"SELECT COALESCE(MAX(seq), 0) FROM events", 0},
		{"SELECT id, document_id, ordinal", 3}, // its chunks
	} {
		each := float64(of(bound.begin)) / n
		t.Logf("%q: %.1f", bound.begin, each)
		if each > bound.most {
			t.Errorf("%.1f statements of a document begin with %q, want at most %.0f", each, bound.begin, bound.most)
		}
	}
	t.Logf("%.1f round trips", float64(trips)/n)
	if most := 62; trips > most*n {
		t.Errorf("%.1f round trips for each document, want at most %d", float64(trips)/n, most)
	}
}

// TestAListIsToldOfWhatOthersWrite opens the list of documents in one process, and writes in another.
func TestAListIsToldOfWhatOthersWrite(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	a := f.app(t)
	a.listen()
	addSmall(t, a, 0, 1)
	list, err := a.ledger.UnsettledDocuments(t.Context(), domain.DefaultWorkspace, 1)
	noError(t, err)
	var tap *servers.Tap
	f.database, tap = servers.TapPostgres(t, f.database)
	v := f.serve(t)
	idle := 4 * time.Second
	time.Sleep(idle)
	tap.Take()
	time.Sleep(idle)
	bare, _ := tap.Take()
	shown := v.rows(t)
	shows := func(words string) {
		t.Helper()
		late := time.After(hangs)
		for {
			select {
			case row := <-shown:
				if strings.Contains(row, words) {
					return
				}
			case <-late:
				t.Fatalf("the list does not show %q", words)
			}
		}
	}
	shows("school-0")
	time.Sleep(idle)
	tap.Take()
	time.Sleep(idle)
	watched, runs := tap.Take()
	looks := 0
	for s, n := range runs {
		if strings.Contains(s, "FROM documents") && strings.Contains(s, "status IN") && strings.Contains(s, "version_of") {
			looks += n
		}
	}
	t.Logf("%.1f round trips a second without a list, %.1f with one, of %d looks in %v", float64(bare)/idle.Seconds(), float64(watched)/idle.Seconds(), looks, idle)
	if most := 4; looks > most {
		t.Errorf("%d looks at a list to which nobody writes, want at most %d", looks, most)
	}
	prompt := 0 // in a try; a list that nobody tells shows two in seven within a second, and six only once in a hundred tries
	for try := 0; prompt < 6 && try < 5; try++ {
		prompt = 0
		for n := range 7 {
			name := fmt.Sprintf("told-%d-%d.txt", try, n)
			began := time.Now()
			_, err := a.ledger.UpdateDocument(t.Context(), domain.DefaultWorkspace, list[0].ID, func(d *domain.Document) { d.Name = name })
			noError(t, err)
			shows(name)
			took := time.Since(began)
			t.Logf("shown after %v", took)
			if took < time.Second {
				prompt++
			}
			time.Sleep(400 * time.Millisecond) // a list looks at most so often
		}
	}
	if prompt < 6 {
		t.Error("in no try, six of seven changes were shown within a second")
	}
}

// rows returns the rows that the stream of the list of documents shows.
func (v *served) rows(t *testing.T) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+library(link.DocumentsEvents), nil)
	noError(t, err)
	answer, err := http.DefaultClient.Do(request)
	noError(t, err)
	shown := make(chan string, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if row, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				shown <- row
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = answer.Body.Close()
		<-ended
	})
	return shown
}
