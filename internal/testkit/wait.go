package testkit

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
)

// waitTimeout limits how long a test waits for an event.
const waitTimeout = 10 * time.Minute

// Add adds a document to the library.
func (a *App) Add(t testing.TB, name, content string) documents.Added {
	t.Helper()
	added, err := a.Documents.Add(t.Context(), Workspace, name, documents.How{}, strings.NewReader(content)).One()
	Must(t, err)
	return added
}

// Read adds a document and waits until it has been read.
func (a *App) Read(t testing.TB, name, content string) domain.Document {
	t.Helper()
	return a.Settle(t, a.Add(t, name, content).Document)
}

// Delete deletes a document for good.
func (a *App) Delete(t testing.TB, id domain.DocumentID) {
	t.Helper()
	n, err := a.Documents.DeleteNow(t.Context(), Workspace, ledger.DocumentQuery{IDs: []domain.DocumentID{id}}, false)
	if Must(t, err); n != 1 {
		t.Errorf("%d documents were deleted, want %s alone", n, id)
	}
}

// Settle waits for the end of the run that reads a document, and returns the
// stored document.
func (a *App) Settle(t testing.TB, d domain.Document) domain.Document {
	t.Helper()
	a.Watch(t, d.Run)
	return a.Document(t, d.ID)
}

// Watch waits for the end of a run.
func (a *App) Watch(t testing.TB, run domain.RunID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitTimeout)
	defer cancel()
	for _, err := range a.Hub.Watch(ctx, Workspace, run, 0) {
		Must(t, err)
	}
	if ctx.Err() != nil {
		t.Fatalf("run %s does not end", run)
	}
}

// WaitForSleep waits until a run that asked for an edit is asleep, shortly
// afterwards.
func (a *App) WaitForSleep(t testing.TB, id domain.RunID) {
	t.Helper()
	for r := (job.Run{}); !r.Status.Asleep(); time.Sleep(time.Millisecond) {
		var err error
		r, err = a.Queue.Get(t.Context(), Workspace, id)
		Must(t, err)
	}
}

// RefuseRuns makes adding and waking runs fail until allow is called.
func (a *App) RefuseRuns(t testing.TB) (allow func()) {
	t.Helper()
	for _, statement := range []string{
		`CREATE TRIGGER refuse_add BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'refused'); END`,
		`CREATE TRIGGER refuse_wake BEFORE UPDATE OF status ON runs WHEN NEW.status = 'waiting' AND OLD.status IN ('held', 'paused', 'asking') BEGIN SELECT RAISE(ABORT, 'refused'); END`,
	} {
		_, err := a.DB.Writer.ExecContext(t.Context(), statement)
		Must(t, err)
	}
	return func() {
		t.Helper()
		_, err := a.DB.Writer.ExecContext(t.Context(), `DROP TRIGGER refuse_add; DROP TRIGGER refuse_wake`)
		Must(t, err)
	}
}

// Document returns the stored document.
func (a *App) Document(t testing.TB, id domain.DocumentID) domain.Document {
	t.Helper()
	d, err := a.Ledger.Document(t.Context(), Workspace, id)
	Must(t, err)
	return d
}

// Answered asks a question and waits for the answer.
func (a *App) Answered(t testing.TB, in domain.ConversationID, question string) ledger.Answer {
	t.Helper()
	m, err := a.Questions.Start(t.Context(), questions.Question{Workspace: Workspace, Conversation: in, Text: question})
	Must(t, err)
	a.Watch(t, m.Run)
	m, err = a.Ledger.Answer(t.Context(), Workspace, m.Run)
	Must(t, err)
	return m
}

// Holding lists the files under dir that contain the words.
func Holding(t testing.TB, dir, words string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(b), words) {
			found = append(found, path)
		}
		return err
	})
	Must(t, err)
	return found
}

// Within waits for ch, and fails the test after d.
func Within(t testing.TB, d time.Duration, what string, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(d):
		t.Fatalf("%s did not happen within %v", what, d)
	}
}
