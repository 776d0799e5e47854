// Package webhooks notifies other programs of events in a library, by requests that are signed
// according to Standard Webhooks. Deliveries are stored with their event, sent by any working process,
// and retried if they fail.
package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
)

// The events that webhooks can receive, and Test, which is sent on demand.
const (
	DocumentReady  = "document.ready"
	DocumentFailed = "document.failed"
	RunFinished    = "run.finished"
	ReviewWaiting  = "review.waiting"
	CapReached     = "cap.reached"
	Test           = "test"
)

// Events returns the events that webhooks can receive.
func Events() []string {
	return []string{DocumentReady, DocumentFailed, RunFinished, ReviewWaiting, CapReached}
}

// Limits on what is kept and how long things take.
const (
	maxWebhooks    = 20  // in a workspace
	keptDeliveries = 200 // per webhook
	atOnce         = 8   // deliveries that a process sends at the same time
	answerTimeout  = 15 * time.Second
	leaseTime      = 2 * time.Minute // in which only one process sends a delivery
	maxAnswer      = 64 << 10        // bytes read of an answer, to reuse the connection
)

// pauses are how long a delivery waits after each failed attempt; after the last it is given up.
var pauses = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour}

// A Network makes the calls. It refuses inner addresses.
type Network interface {
	Client() *http.Client
	Reach(ctx context.Context, host string) error
}

// Params configure a Service. All fields are required.
type Params struct {
	Ledger  *ledger.Ledger
	Costs   *costs.Service
	Network Network
	Random  io.Reader
	Now     domain.Clock
	Log     *slog.Logger
	Agent   string // how the program identifies itself
}

// A Service keeps webhooks and sends deliveries.
type Service struct{ Params }

// New returns a Service.
func New(p Params) *Service { return &Service{p} }

// message is the body of a delivery. It names things by ids: words of documents would outlive them.
type message struct {
	Type      string         `json:"type"`
	Timestamp time.Time      `json:"timestamp"`
	Data      map[string]any `json:"data"`
}

// tell stores an event, perhaps of a run, for all webhooks of its workspace that want it and whose makers may know of
// it. key identifies the event, which is delivered only once.
func (s *Service) tell(ctx context.Context, all []ledger.Webhook, r job.Run, event, key string, data map[string]any) error {
	var hooks []ledger.Webhook
	document := documentOf(r)
	for _, h := range all {
		if !slices.Contains(h.Events, event) || r.Own && h.Person != r.Person && h.Person != domain.Operator {
			continue
		}
		hides, err := s.hides(ctx, h, document)
		if err != nil {
			return err
		}
		if !hides {
			hooks = append(hooks, h)
		}
	}
	if len(hooks) == 0 {
		return nil
	}
	return s.send(ctx, hooks, event, key, document, data)
}

// documentOf returns the document that a run reads, or "" if it does something else.
func documentOf(r job.Run) domain.DocumentID {
	if r.Kind == documents.Kind {
		return domain.DocumentID(r.Subject)
	}
	return ""
}

// hides reports whether a document is hidden from whoever added a webhook. One that nobody who signed in added, or who is no member any
// more, knows what every member may read.
func (s *Service) hides(ctx context.Context, h ledger.Webhook, document domain.DocumentID) (bool, error) {
	reader := h.Person
	if reader != domain.Operator {
		account, err := s.Ledger.AccountIn(ctx, h.Workspace, reader)
		if err != nil && domain.KindOf(err) != domain.NotFound {
			return false, err
		}
		if err != nil || !account.Role.Includes(domain.Reader) {
			reader = domain.Anyone
		}
	}
	return s.Ledger.Hidden(domain.WithReader(ctx, reader), h.Workspace, document)
}

// send stores an event for webhooks, which names a document if that is not "".
func (s *Service) send(ctx context.Context, hooks []ledger.Webhook, event, key string, document domain.DocumentID, data map[string]any) error {
	now := s.Now()
	data["workspace"] = hooks[0].Workspace
	body, err := json.Marshal(message{event, now.UTC(), data})
	if err != nil {
		return fmt.Errorf("write a delivery: %w", err)
	}
	deliveries := make([]ledger.Delivery, len(hooks))
	for i, h := range hooks {
		sum := sha256.Sum256([]byte(h.ID + "\n" + event + "\n" + key))
		deliveries[i] = ledger.Delivery{ID: "msg_" + hex.EncodeToString(sum[:12]), Workspace: h.Workspace, Webhook: h.ID, Event: event, Document: document, Body: string(body), CreatedAt: now, NextTry: now}
	}
	return s.Ledger.AddDeliveries(ctx, deliveries, keptDeliveries)
}

// After returns a kind of run whose ends are reported to webhooks.
func (s *Service) After(k run.Kind) run.Kind {
	settled := k.Settled
	k.Settled = func(ctx context.Context, r job.Run) error {
		if settled != nil {
			if err := settled(ctx, r); err != nil {
				return err
			}
		}
		return s.ended(ctx, r)
	}
	return k
}

// ended reports the end of a run.
func (s *Service) ended(ctx context.Context, r job.Run) error {
	hooks, err := s.Ledger.Webhooks(ctx, r.Workspace)
	if err != nil || len(hooks) == 0 {
		return err
	}
	data := map[string]any{"run": r.ID, "kind": r.Kind, "status": r.Status}
	if err := s.tell(ctx, hooks, r, RunFinished, string(r.ID), data); err != nil {
		return err
	}
	switch {
	case r.Kind == documents.Kind && r.Status == job.Done:
		return s.tell(ctx, hooks, r, DocumentReady, string(r.ID), map[string]any{"document": r.Subject, "run": r.ID})
	case r.Kind == documents.Kind && r.Status == job.Failed:
		return s.tell(ctx, hooks, r, DocumentFailed, string(r.ID), map[string]any{"document": r.Subject, "run": r.ID})
	case r.Kind == proposals.Kind && r.Status == job.Done:
		return s.review(ctx, hooks, r)
	}
	return nil
}

// review reports that pairs wait for a decision, if the comparison r has found some.
func (s *Service) review(ctx context.Context, hooks []ledger.Webhook, r job.Run) error {
	waiting, all, err := s.Ledger.Proposals(ctx, r.Workspace, ledger.ProposalQuery{})
	if err != nil || !slices.ContainsFunc(waiting, func(p ledger.Proposal) bool { return !p.At.Before(r.StartedAt) }) {
		return err
	}
	return s.tell(ctx, hooks, r, ReviewWaiting, string(r.ID), map[string]any{"waiting": all})
}

// TellCaps reports which caps of a workspace are reached, each once in its day or month.
func (s *Service) TellCaps(ctx context.Context, w domain.WorkspaceID) error {
	hooks, err := s.Ledger.Webhooks(ctx, w)
	if err != nil || !slices.ContainsFunc(hooks, func(h ledger.Webhook) bool { return slices.Contains(h.Events, CapReached) }) {
		return err
	}
	standings, err := s.Costs.Standings(ctx, w)
	if err != nil {
		return err
	}
	today := costs.DayOf(s.Now())
	for _, one := range standings {
		if !one.Reached {
			continue
		}
		since := map[costs.Scope]string{costs.Day: today, costs.Month: today[:len("2006-01")]}[one.Scope]
		key := strings.Join([]string{string(one.Scope), since, one.Cap.Text()}, " ")
		if err := s.tell(ctx, hooks, job.Run{}, CapReached, key, map[string]any{"scope": one.Scope, "cap": one.Cap.Text()}); err != nil {
			return err
		}
	}
	return nil
}

// Send sends the deliveries that are due, and returns when each has been tried.
func (s *Service) Send(ctx context.Context) error {
	for ctx.Err() == nil {
		due, err := s.Ledger.ClaimDeliveries(ctx, atOnce, leaseTime)
		if err != nil || len(due) == 0 {
			return err
		}
		var sending sync.WaitGroup
		errs := make([]error, len(due))
		for i, d := range due {
			sending.Go(func() { errs[i] = s.try(ctx, d) })
		}
		sending.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// try sends a delivery once, and notes how that went.
func (s *Service) try(ctx context.Context, d ledger.Delivery) error {
	h, err := s.Ledger.Webhook(ctx, d.Workspace, d.Webhook)
	if err != nil {
		if domain.KindOf(err) == domain.NotFound { // removed, with its deliveries
			return nil
		}
		return err
	}
	hides, err := s.hides(ctx, h, d.Document)
	if err != nil {
		return err
	}
	if hides {
		d.Problem, d.TriedAt, d.NextTry = "It was not sent: whoever added the webhook may no longer read the document.", s.Now(), time.Time{}
		return s.Ledger.SetDelivery(ctx, d)
	}
	d.Status, d.Problem = s.post(ctx, h, d)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the process ends; another one, or the next, tries when the lease has
	}
	d.Attempts, d.TriedAt, d.NextTry = d.Attempts+1, s.Now(), time.Time{}
	if d.Problem != "" && d.Attempts <= len(pauses) {
		d.NextTry = d.TriedAt.Add(pauses[d.Attempts-1])
	}
	if d.Problem != "" {
		s.Log.WarnContext(ctx, "webhook not delivered", "webhook", h.ID, "delivery", d.ID, "attempt", d.Attempts, "status", d.Status, "why", d.Problem)
	}
	return s.Ledger.SetDelivery(ctx, d)
}

// post sends a delivery. It returns the status of the answer, 0 without one, and a sentence about what went wrong.
func (s *Service) post(ctx context.Context, h ledger.Webhook, d ledger.Delivery) (status int, problem string) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, strings.NewReader(d.Body))
	if err != nil {
		return 0, "The address can't be called."
	}
	at := s.Now()
	signature, err := sign(h.Secret, d.ID, at, d.Body)
	if err != nil {
		return 0, "The secret can't be read. Remove the webhook, and add it anew."
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.Agent)
	r.Header.Set("Webhook-Id", d.ID)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	r.Header.Set("Webhook-Signature", signature)
	answer, err := s.Network.Client().Do(r)
	if err != nil {
		return 0, whyNot(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // the status is enough
	if answer.StatusCode/100 != 2 {
		return answer.StatusCode, "The receiver answered " + answer.Status + "."
	}
	return answer.StatusCode, ""
}

// whyNot explains why there was no answer.
func whyNot(err error) string {
	if domain.KindOf(err) != domain.Internal {
		return domain.InWords(err)
	}
	if timeout, ok := err.(interface{ Timeout() bool }); ok && timeout.Timeout() { // a *url.Error from a client
		return "The receiver did not answer in time."
	}
	return "The receiver can't be reached."
}

// secretPrefix begins what deliveries are signed with.
const secretPrefix = "whsec_"

// sign returns the signature of a message as Standard Webhooks describes it.
func sign(secret, id string, at time.Time, body string) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return "", fmt.Errorf("read a secret: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", id, at.Unix(), body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}
