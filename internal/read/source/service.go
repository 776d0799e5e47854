package source

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/views/link"
)

// RunKind names the runs that look at sources. Their subject is the source.
const RunKind = "look"

// Limits on sources and their stored looks, and the delays between retries of failed looks.
const (
	mostSources = 100  // in a workspace
	keptLooks   = 1000 // per source
	dueAtOnce   = 50
	firstRetry  = 15 * time.Minute // after the first failure; doubles with each further one, up to the rhythm
)

// Params configure a Service. All fields are required but Threads and Codec.
type Params struct {
	Ledger    *ledger.Ledger
	Documents *documents.Service
	Schemas   *schemas.Service
	Queue     *job.Queue
	Kinds     map[string]Kind
	Vault     vault.Vault
	Threads   stategraph.Checkpointer
	Codec     state.Codec
	IDs       domain.IDs
	Now       domain.Clock
	Log       *slog.Logger
	MaxBytes  int64 // of an item
}

// A Library takes in what items hold.
type Library interface {
	// Enter adds content as documents, replacing the item's earlier ones, and returns them.
	Enter(ctx context.Context, src ledger.Source, c Content, before []domain.DocumentID) ([]domain.DocumentID, error)
}

// A Service follows sources.
type Service struct {
	Params
	Library Library
	graph   stategraph.Runnable[State]
}

// New returns a Service.
func New(p Params) (*Service, error) {
	s := &Service{Params: p, Library: library{p.Ledger, p.Documents}}
	var err error
	s.graph, err = graph(s)
	return s, err
}

// opened returns a source with its kind and its place, whose secret is decrypted.
func (s *Service) opened(ctx context.Context, w domain.WorkspaceID, id string) (src ledger.Source, kind Kind, p Place, err error) {
	if src, err = s.Ledger.Source(ctx, w, id); err != nil {
		return src, nil, p, err
	}
	kind, ok := s.Kinds[src.Kind]
	if !ok {
		return src, nil, p, domain.Errorf(domain.Invalid, "This version of Clew follows no source of the kind %q.", src.Kind)
	}
	p = Place{Address: src.Address, Rules: src.Rules}
	p.Secret, err = s.Vault.Open(vault.Sources, src.Sealed, bound(src)...)
	if errors.Is(err, vault.ErrSealed) {
		err = domain.Errorf(domain.Forbidden, "Its password can't be decrypted: the key file or SECRET_KEY is not the one it was encrypted with. Give the password again.")
	}
	if err == nil && locks(kind, p.Rules) && p.Secret == "" {
		err = domain.Errorf(domain.Forbidden, "It has no password yet. Give it one.")
	}
	return src, kind, p, err
}

// locks reports whether a place of a kind needs a password.
func locks(kind Kind, rules ledger.SourceRules) bool { return kind.Traits().Locks && rules.User != "" }

// bound names what the secret of a source belongs to: it is sent nowhere else.
func bound(s ledger.Source) []string {
	return []string{string(s.Workspace), s.ID, s.Kind, s.Address, s.Rules.User}
}

// Kind describes the runs that look at sources.
func (s *Service) Kind() run.Kind {
	return run.Kind{
		Name: RunKind, Title: "Look at a source", Plural: "Looks at sources", Apart: true, Opens: "Open the source", About: "source", Gone: "a source that was removed",
		Needs: operation.WriteDocuments, Topology: s.graph.Topology(), State: s.graph.EncodedAt, Concurrency: 2,
		Subjects: func(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]run.Subject, error) {
			all, err := s.Ledger.Sources(ctx, w)
			subjects := map[string]run.Subject{}
			for _, src := range all {
				if slices.Contains(ids, src.ID) {
					subjects[src.ID] = run.Subject{Title: src.Name, Path: link.Followed(src.ID)}
				}
			}
			return subjects, err
		},
		Work: func(ctx context.Context, a *run.Attempt) error {
			_, err := run.Graph(ctx, a, s.graph, State{Workspace: a.Workspace, Source: a.Subject, Look: a.ID}, stategraph.RecursionLimit(2*mostItems))
			return err
		},
		Settled: s.settled,
	}
}

// settled notes how a look ended, and when the next one is due.
func (s *Service) settled(ctx context.Context, r job.Run) error {
	ctx, now := domain.WithReader(ctx, ""), s.Now()
	if err := s.Ledger.SetLook(ctx, r.Workspace, r.Subject, r.ID, func(k *ledger.Look) {
		if k.EndedAt.IsZero() {
			k.EndedAt, k.Problem = now, r.Problem
		}
		if r.Status == job.Done {
			k.Problem = ""
		}
	}); err != nil {
		return err
	}
	_, err := s.Ledger.ChangeSource(ctx, r.Workspace, r.Subject, func(_ *sql.Tx, src *ledger.Source) error {
		if src.Looking != r.ID {
			return nil
		}
		src.Looking, src.NextAt = "", next(src.Rhythm, now)
		switch r.Status {
		case job.Failed:
			if src.Failures++; src.Failures == 1 {
				src.FailingAt = now
			}
			src.Problem, src.Because = r.Problem, r.ProblemKind.String()
			retry := now.Add(firstRetry << min(src.Failures-1, 8))
			if (r.ProblemKind == domain.Unavailable || r.ProblemKind == domain.Internal) && retry.Before(src.NextAt) {
				src.NextAt = retry
			}
		case job.Done:
			src.Failures, src.Problem, src.Because, src.FailingAt = 0, "", "", time.Time{}
		}
		if !src.PausedAt.IsZero() {
			src.NextAt = time.Time{}
		}
		return nil
	})
	return err
}

// Look queues a look at a source. The error is Conflict if it is paused, or looked at already.
func (s *Service) Look(ctx context.Context, w domain.WorkspaceID, id string) (domain.RunID, error) {
	src, err := s.Ledger.Source(ctx, w, id)
	if err != nil {
		return "", err
	}
	return s.look(domain.WithPerson(ctx, src.Person), w, id, func(src ledger.Source) error {
		switch {
		case src.Looking != "":
			return domain.Errorf(domain.Conflict, "%s is being looked at.", src.Name)
		case !src.PausedAt.IsZero():
			return domain.Errorf(domain.Conflict, "%s is paused. Let it go on first.", src.Name)
		}
		return nil
	})
}

// look queues a look at a source, unless check refuses that.
func (s *Service) look(ctx context.Context, w domain.WorkspaceID, id string, check func(ledger.Source) error) (domain.RunID, error) {
	run, err := s.IDs.Run()
	if err != nil {
		return "", err
	}
	_, err = s.Ledger.ChangeSource(ctx, w, id, func(tx *sql.Tx, src *ledger.Source) error {
		if err := check(*src); err != nil {
			return err
		}
		src.Looking = run
		if _, err := s.Queue.AddTx(ctx, tx, job.Run{Workspace: w, ID: run, Kind: RunKind, Subject: id, Title: src.Name, MaxAttempts: 3, CreatedAt: s.Now(), Own: src.Limited}); err != nil {
			return err
		}
		return s.Ledger.AddLook(ctx, tx, ledger.Look{Workspace: w, Source: id, Run: run, BeganAt: s.Now()}, keptLooks)
	})
	if err == nil {
		s.Queue.Announce()
	}
	return run, err
}

// errTaken means that another process has ordered a look that is due.
var errTaken = errors.New("another process was first")

// Due queues the looks that are due in all workspaces. Of several processes that call it at once, one queues each.
func (s *Service) Due(ctx context.Context) error {
	due, err := s.Ledger.DueSources(ctx, dueAtOnce)
	if err != nil {
		return err
	}
	for _, src := range due {
		ctx := domain.WithReader(domain.WithPerson(domain.WithWorkspace(ctx, src.Workspace), src.Person), "")
		member, err := s.member(ctx, src)
		if err == nil && !member {
			_, err = s.Ledger.ChangeSource(ctx, src.Workspace, src.ID, func(_ *sql.Tx, src *ledger.Source) error {
				src.PausedAt, src.NextAt = s.Now(), time.Time{}
				src.Problem = cmp.Or(ledger.NameOf(src.Person), "Somebody") + ", who added it, may no longer do so. Remove it, and add it anew."
				src.Because = domain.Invalid.String()
				return nil
			})
		} else if err == nil {
			_, err = s.look(ctx, src.Workspace, src.ID, func(now ledger.Source) error {
				if now.Looking != "" || !now.NextAt.Equal(src.NextAt) {
					return errTaken
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errTaken) && domain.KindOf(err) != domain.NotFound {
			return err
		}
	}
	return nil
}

// member reports whether whoever added a source may still do so.
func (s *Service) member(ctx context.Context, src ledger.Source) (bool, error) {
	if src.Person == "" || src.Person == domain.Operator {
		return true, nil
	}
	account, err := s.Ledger.AccountIn(ctx, src.Workspace, src.Person)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	return operation.Admin.Check(account.Role) == nil, err
}

// KindNames returns the kinds that can be followed, in the order in which people are offered them.
func (s *Service) KindNames() []string {
	return slices.DeleteFunc([]string{OfFolder, OfSite, OfFeed, OfMail, OfBucket, OfGit}, func(name string) bool { return s.Kinds[name] == nil })
}

// Seal encrypts the password of a place that is yet to be followed, so that a form can hold it, and Unseal decrypts it for the
// same place.
func (s *Service) Seal(ctx context.Context, in Wanted, secret string) (string, error) {
	return s.Vault.Seal(vault.Sources, secret, placed(ctx, in)...)
}

// Unseal decrypts what Seal encrypted.
func (s *Service) Unseal(ctx context.Context, in Wanted, sealed string) (string, error) {
	return s.Vault.Open(vault.Sources, sealed, placed(ctx, in)...)
}

func placed(ctx context.Context, in Wanted) []string {
	return []string{string(domain.WorkspaceOf(ctx)), "new", in.Kind, in.Address, in.User, domain.PersonOf(ctx)}
}

// library takes items in as documents.
type library struct {
	ledger    *ledger.Ledger
	documents *documents.Service
}

// Enter implements Library. If an item gave one document, its content becomes the next version of that, as it does for
// a document fetched from the same address in any other way.
func (l library) Enter(ctx context.Context, src ledger.Source, c Content, before []domain.DocumentID) (ids []domain.DocumentID, err error) {
	how := documents.How{
		Schema: src.Rules.Schema, Chunking: src.Rules.Chunking, Hold: src.Rules.Hold, Limited: src.Limited, Readers: src.Rules.Readers, Source: c.Source, Link: c.Link,
	}
	if c.Link != "" {
		how.LinkTag = c.Stamp
	}
	q := ledger.DocumentQuery{IDs: before, Limit: 2}
	if len(before) == 0 {
		q.Link, q.FactFilter = c.Link, domain.FactFilter{Sources: []domain.Source{c.Source}}
	}
	if len(before) == 1 || len(before) == 0 && c.Link != "" {
		found, _, err := l.ledger.Documents(ctx, src.Workspace, q)
		if err != nil {
			return nil, err
		}
		if len(found) == 1 {
			how.Of = found[0].ID
		}
	}
	for _, r := range l.documents.Add(ctx, src.Workspace, c.Name, how, c.Body) {
		if r.Err != nil {
			err = r.Err
			continue
		}
		ids = append(ids, r.Document.Becomes())
	}
	if len(ids) > 0 {
		err = nil
	}
	return ids, err
}
