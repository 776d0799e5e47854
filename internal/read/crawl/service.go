package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Kind names the runs that fetch from the web. Their subject is the workspace.
const Kind = "crawl"

// Params configures a Service. All fields are required but Wait, Threads and Codec.
type Params struct {
	Fetch   *Fetcher
	Links   Reader
	Library Library
	Queue   *job.Queue
	Wait    func(ctx context.Context, d time.Duration) error // between two requests to a host; nil means by the clock
	Threads stategraph.Checkpointer
	Codec   state.Codec
	IDs     domain.IDs
	Now     domain.Clock

	MaxWaiting int // runs of one person in the queue; 0 means no limit
}

// A Service fetches documents from the web.
type Service struct {
	Params
	manners *manners
	graph   stategraph.Runnable[State]
}

// New returns a Service.
func New(p Params) (*Service, error) {
	if p.Wait == nil {
		p.Wait = domain.Sleep
	}
	s := &Service{Params: p}
	s.manners = &manners{now: p.Now, wait: func(ctx context.Context, d time.Duration) error { return s.Wait(ctx, d) }, hosts: map[string]*host{}, get: func(ctx context.Context, u *url.URL) ([]byte, error) {
		f, err := s.Fetch.beginning(ctx, u, maxRobots)
		return f.Data, err
	}}
	var err error
	s.graph, err = graph(s)
	return s, err
}

// Start checks an order and queues the run that carries it out. Of a storage it reads
// what S3_BUCKETS names: the keys are those of the whole installation.
func (s *Service) Start(ctx context.Context, w domain.WorkspaceID, o Order) (domain.RunID, error) {
	o, start, err := o.checked()
	if err != nil {
		return "", err
	}
	if isStored(o.Address) && !s.Fetch.Storage.allows(start) {
		return "", domain.Errorf(domain.Forbidden, "%s may not be read from the page. Add it to S3_BUCKETS, or use clew ingest.", o.Address)
	}
	if err := s.Queue.Admit(ctx, job.Limit{Workspace: w, Kind: Kind, Each: s.MaxWaiting, Waiting: "addresses wait to be fetched", Setting: "MAX_WAITING_DOCUMENTS"}); err != nil {
		return "", err
	}
	id, err := s.IDs.Run()
	if err != nil {
		return "", err
	}
	input, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("encode an order: %w", err)
	}
	_, err = s.Queue.Add(ctx, job.Run{
		Workspace: w, ID: id, Kind: Kind, Subject: string(w), Title: start.Host, MaxAttempts: 3, Input: input, CreatedAt: s.Now(), Own: o.Limited,
	})
	return id, err
}

// Kind describes the runs that fetch from the web.
func (s *Service) Kind() run.Kind {
	return run.Kind{
		Name: Kind, Title: "Fetched from the web", Plural: "From the web", Apart: true, About: "workspace", Gone: "a library that was deleted", Needs: operation.WriteDocuments,
		Topology: s.graph.Topology(), State: s.graph.EncodedAt, Concurrency: 2, Subjects: run.OfWorkspace,
		Work: func(ctx context.Context, a *run.Attempt) error {
			var o Order
			if err := json.Unmarshal(a.Input, &o); err != nil {
				return fmt.Errorf("read the order of run %s: %w", a.ID, err)
			}
			_, err := run.Graph(ctx, a, s.graph, begin(a.Workspace, o), stategraph.RecursionLimit(2*maxFound))
			return err
		},
	}
}

// Walk carries out an order here and now, and calls each for the outcome of every address.
func (s *Service) Walk(ctx context.Context, w domain.WorkspaceID, o Order, each func(Result) error) error {
	o, _, err := o.checked()
	if err != nil {
		return err
	}
	for st := begin(w, o); st.more(); {
		r, err := s.visit(ctx, st)
		if domain.KindOf(err) == domain.TooMany { // until the queue has room
			if err = s.Wait(ctx, time.Second); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		if err := each(r); err != nil {
			return err
		}
		if st, err = schema.Apply(st, r.apply(st)); err != nil {
			return err
		}
	}
	return nil
}
