package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit/race"
)

// hostile stands before a child's parser and does what some bytes of a file say,
// as a parser with a defect might.
type hostile struct {
	r    io.Reader
	held [][]byte
}

// What a file tells a hostile parser to do.
const (
	spins = "!spin without end!"
	grows = "!grow without bound!"
	fills = "!hold 80 MB and spin!"
)

func (h *hostile) Read(b []byte) (int, error) {
	n, err := h.r.Read(b)
	switch {
	case bytes.Contains(b[:n], []byte(spins)):
		h.hold(0)
	case bytes.Contains(b[:n], []byte(grows)):
		h.hold(1 << 20)
	case bytes.Contains(b[:n], []byte(fills)):
		h.hold(80)
	}
	return n, err
}

// hold holds so many megabytes and never returns.
func (h *hostile) hold(megabytes int) {
	for range megabytes {
		h.held = append(h.held, bytes.Repeat([]byte{1}, 1<<20))
	}
	for { //nolint:revive,staticcheck // spins
	}
}

// TestStoppingADocumentEndsItsParser stops a document over which the parser
// spins.
func TestStoppingADocumentEndsItsParser(t *testing.T) {
	race.Want(t)
	t.Parallel()
	a, err := openAt(t.Context(), t.TempDir(), t.Output())
	noError(t, err)
	defer a.Close()
	worker := a.worker(a.kinds().Concurrency(documents.Kind))
	noError(t, worker.Start(t.Context()))
	defer worker.Stop(t.Context())
	added, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, "spins.txt", documents.How{}, strings.NewReader(spins)).One()
	noError(t, err)
	a.reaches(t, added.Document.ID, func(d domain.Document) bool { return d.Stage == "parse" })
	noError(t, a.documents.Stop(t.Context(), domain.DefaultWorkspace, added.Document.ID))
	began := time.Now()
	a.finishes(t, added.Document.Run)
	t.Logf("it took %v", time.Since(began))
	d, err := a.ledger.Document(t.Context(), domain.DefaultWorkspace, added.Document.ID)
	if err != nil || d.Status != domain.DocumentStopped || d.Deaths != 0 {
		t.Errorf("the document is %s with %d deaths: %s, error %v", d.Status, d.Deaths, d.Problem, err)
	}
	a.takes(t, "bridge.md", bridge)
}

// reaches waits until a document has come to where done is true.
func (a *app) reaches(t *testing.T, id domain.DocumentID, done func(domain.Document) bool) {
	t.Helper()
	for deadline := time.Now().Add(hangs); ; time.Sleep(2 * time.Millisecond) {
		d, err := a.ledger.Document(t.Context(), domain.DefaultWorkspace, id)
		noError(t, err)
		if done(d) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the document is %s at %q with %d deaths: %s", d.Status, d.Stage, d.Deaths, d.Problem)
		}
	}
}

// TestTheParserIsHidden checks that help does not list commands that are not
// for people.
func TestTheParserIsHidden(t *testing.T) {
	t.Parallel()
	if out := newShell(t).must(t, "--help"); strings.Contains(out, parserName+" ") || strings.Contains(out, confineName+" ") {
		t.Errorf("help lists it:\n%s", out)
	}
}
