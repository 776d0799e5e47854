package documents

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/link"
)

// Kind names the runs that read documents. Their subject is the document.
const Kind = "ingest"

// Kind describes the runs that read documents, atOnce of them at a time.
func (s *Service) Kind(atOnce int) run.Kind {
	return run.Kind{
		Name: Kind, Title: "Document read", Plural: "Documents", Opens: "Open the document", About: "document", Gone: "a document that was deleted", Whole: true, Needs: operation.WriteDocuments,
		Topology: s.Graph.Topology(), State: s.Graph.EncodedAt, Concurrency: atOnce, WaitsForServers: true, PausesAtCap: true,
		Subjects: s.subjects, Work: s.read, Settled: s.settled,
	}
}

func (s *Service) subjects(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]run.Subject, error) {
	docs, err := s.Ledger.DocumentsByID(ctx, w, run.IDs[domain.DocumentID](ids))
	subjects := make(map[string]run.Subject, len(docs))
	for _, d := range docs {
		subjects[string(d.ID)] = run.Subject{Title: d.Name, Path: link.Document(d.ID)}
	}
	return subjects, err
}

// gather is the moment in which what the nodes did is gathered. They may do it again: the ledger has what they did.
const gather = 100 * time.Millisecond

// read reads the document of one run, and adds the time it took to the document's.
func (s *Service) read(ctx context.Context, a *run.Attempt) error {
	if s.Reading != nil {
		defer s.Reading()()
	}
	id, began := domain.DocumentID(a.Subject), s.Now()
	state, err := run.Graph(ctx, a, s.Graph, ingest.Begin(a.Workspace, id), stategraph.MaxConcurrency(s.AtOnce), stategraph.Gathered(gather))
	if noted := s.Ledger.AddTook(context.WithoutCancel(ctx), a.Workspace, id, state.Into, s.Now().Sub(began)); noted != nil {
		s.Log.WarnContext(ctx, "note the time of an ingest", "run", a.ID, "document", id, "workspace", a.Workspace, "err", noted)
	}
	if state.Into != "" { // the version it replaced can be deleted
		if err := s.CarryOut(ctx, a.Workspace); err != nil {
			s.Log.WarnContext(ctx, "delete overtaken versions", "document", state.Into, "err", err)
		}
	}
	return err
}

// settled records on the document that its run failed or was stopped. The graph itself records success.
func (s *Service) settled(ctx context.Context, r job.Run) error {
	d := domain.Document{Workspace: r.Workspace, ID: domain.DocumentID(r.Subject), Run: r.ID}
	switch r.Status {
	case job.Failed:
		return s.mark(ctx, d, domain.DocumentFailed, r.Problem)
	case job.Stopped:
		return s.mark(ctx, d, domain.DocumentStopped, "")
	}
	return nil
}
