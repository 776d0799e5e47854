package questions

import (
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run/job"
)

type waited struct {
	Wait int `json:"wait" default:"60" doc:"how many seconds to wait for the answer, at most 300; 0 returns at once"`
}

// duration returns the time to wait. It fails with kind Invalid for one that is too long.
func (w waited) duration() (time.Duration, error) {
	if w.Wait < 0 || w.Wait > MaxWait {
		return 0, domain.Errorf(domain.Invalid, "An answer can be waited for 0 to %d seconds.", MaxWait)
	}
	return time.Duration(w.Wait) * time.Second, nil
}

// Forking says how to run on from a step of an answer.
type Forking struct {
	oneRun
	Step *int     `json:"step" doc:"number of the step, from 0"`
	Set  []string `json:"set" whole:"" doc:"change a field: {FIELD=VALUE}; can be given several times"`
	waited
}

// Variation returns the branch to start. It fails with kind Invalid where the step or a value is missing, or can't be.
func (in Forking) Variation(w domain.WorkspaceID) (Variation, error) {
	values := map[string]string{}
	for _, one := range in.Set {
		field, value, ok := strings.Cut(one, "=")
		if !ok {
			return Variation{}, domain.Errorf(domain.Invalid, "--set %s has no value: write --set FIELD=VALUE.", one)
		}
		values[field] = value
	}
	changes, err := ParseChanges(values)
	if err != nil {
		return Variation{}, err
	}
	if in.Step == nil {
		return Variation{}, domain.Errorf(domain.Invalid, "Say with --step at which step to fork. clew run show %s lists them.", in.ID)
	}
	return Variation{Workspace: w, Parent: in.ID, Step: *in.Step, Purpose: Fork, Changes: changes}, nil
}

func (a Asker) fork(ctx context.Context, in Forking) (Reply, error) {
	wait, err := in.duration()
	if err != nil {
		return Reply{}, err
	}
	v, err := in.Variation(domain.WorkspaceOf(ctx))
	if err != nil {
		return Reply{}, err
	}
	b, err := a.Vary(ctx, v)
	if err != nil {
		return Reply{}, err
	}
	return a.Await(ctx, b.Run, wait)
}

// Continuing is what a person replies to a run that waits for them.
type Continuing struct {
	oneRun
	Drop []domain.ChunkID `json:"drop" doc:"ids of passages not to write from"`
	Add  []domain.ChunkID `json:"add" doc:"ids of passages to write from as well"`
	Hint string           `json:"hint" doc:"other words, or names, to search for once more"`

	Texts []string `json:"text" whole:"" doc:"of a summary, text to go on with, in place of the one at its place in the draft; an empty one leaves a text out"`
	waited
}

// Reply returns the reply as the run takes it.
func (in Continuing) Reply() answer.Reply {
	return answer.Reply{Drop: in.Drop, Add: in.Add, Hint: in.Hint, Texts: in.Texts}
}

func (a Asker) goOn(ctx context.Context, in Continuing) (Reply, error) {
	wait, err := in.duration()
	if err != nil {
		return Reply{}, err
	}
	before, err := a.Hub.Events(ctx, domain.WorkspaceOf(ctx), in.ID, 0)
	if err != nil {
		return Reply{}, err
	}
	last := 0 // its question, which is answered now
	for _, e := range before {
		last = e.Seq
	}
	if err := a.Continue(ctx, domain.WorkspaceOf(ctx), in.ID, in.Reply()); err != nil {
		return Reply{}, err
	}
	return a.await(ctx, in.ID, last, wait)
}

type replaying struct {
	oneRun
	waited
}

// ReplayedRun is a replay, compared with the run that it repeats once it has ended.
type ReplayedRun struct {
	Run    domain.RunID   `json:"run"`
	Replay domain.RunID   `json:"replay"` // its own run
	Same   bool           `json:"same"`
	Nodes  []compare.Node `json:"nodes"`
	Status job.Status     `json:"status"` // of the replay
}

// At implements operation.Begun.
func (r ReplayedRun) At() string {
	if r.Status.Ended() {
		return ""
	}
	return "/runs/" + string(r.Run) + "/replay"
}

func (a Asker) replay(ctx context.Context, in replaying) (ReplayedRun, error) {
	wait, err := in.duration()
	if err != nil {
		return ReplayedRun{}, err
	}
	b, err := a.StartReplay(ctx, domain.WorkspaceOf(ctx), in.ID, nil)
	if err != nil {
		return ReplayedRun{}, err
	}
	if _, err := a.Await(ctx, b.Run, wait); err != nil {
		return ReplayedRun{}, err
	}
	return a.lastReplay(ctx, in.oneRun)
}

// lastReplay returns the replay of a run, compared with it.
func (a Asker) lastReplay(ctx context.Context, in oneRun) (ReplayedRun, error) {
	w := domain.WorkspaceOf(ctx)
	original, err := a.Queue.Get(ctx, w, in.ID)
	if err != nil {
		return ReplayedRun{}, err
	}
	compared, err := a.Replayed(ctx, original)
	switch {
	case err != nil:
		return ReplayedRun{}, err
	case compared == nil:
		return ReplayedRun{}, domain.Errorf(domain.NotFound, "Run %s has not been replayed.", in.ID)
	}
	r, err := a.Queue.Get(ctx, w, compared.Run)
	if err != nil {
		return ReplayedRun{}, err
	}
	return ReplayedRun{in.ID, compared.Run, r.Status.Ended() && compared.Same(), compared.Nodes, r.Status}, nil
}

// RunOperations are what can be done with runs that answer, besides stopping them.
func RunOperations() []operation.Operation[Asker] {
	return []operation.Operation[Asker]{
		operation.Op[Asker, Forking, Reply]{
			Name: "run fork", Short: "Run on from a step of an answer, with something changed", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/fork"}, Own: true,
			Do: Asker.fork,
		},
		operation.Op[Asker, Continuing, Reply]{
			Name: "run continue", Short: "Let a run that waits for you go on", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/continue"}, Own: true,
			Do: Asker.goOn,
		},
		operation.Op[Asker, replaying, ReplayedRun]{
			Name: "run replay", Short: "Run an answer again with the recorded calls of models, and compare", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/replay"}, Own: true,
			Do: Asker.replay,
		},
		operation.Op[Asker, oneRun, ReplayedRun]{
			Name: "run replayed", Short: "Show how the last replay of a run compares with it", Scope: operation.Read, Routes: []string{"GET /runs/{run}/replay"},
			Example: "  clew run replayed run0123456789abcdef0123 --json | jq .same",
			Do:      Asker.lastReplay,
			Text: operation.Line(func(r ReplayedRun) string {
				switch {
				case !r.Status.Ended():
					return "The replay " + string(r.Replay) + " has not ended: it is " + string(r.Status) + "."
				case r.Same:
					return "The replay " + string(r.Replay) + " did the same."
				}
				return "The replay " + string(r.Replay) + " did not do the same. clew run compare " + string(r.Run) + " " + string(r.Replay) + " shows both."
			}),
		},
	}
}

// MethodsDesk compares the answers to a question by each method of searching.
type MethodsDesk struct {
	Asker
	Comparisons *Comparisons
}

// ComparingMethods says of which run's question the answers by each method are compared.
type ComparingMethods struct {
	oneRun
	Again bool `json:"again" doc:"answer by each method anew"`
	waited
}

// MethodOperations are what can be done by each method of searching.
func MethodOperations() []operation.Operation[MethodsDesk] {
	return []operation.Operation[MethodsDesk]{operation.Op[MethodsDesk, ComparingMethods, Methods]{
		Name: "run methods", Short: "Compare the answers to a question by each method of searching", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/methods"}, Own: true,
		Do: MethodsDesk.compare,
	}}
}

// compare answers the question of a run by each method, unless that was done before, and compares the answers.
func (d MethodsDesk) compare(ctx context.Context, in ComparingMethods) (Methods, error) {
	wait, err := in.duration()
	if err != nil {
		return Methods{}, err
	}
	m, err := d.Answered(ctx, domain.WorkspaceOf(ctx), in.ID)
	if err != nil {
		return Methods{}, err
	}
	by, err := d.ByMethod(ctx, m.Workspace, m.Message)
	if err != nil {
		return Methods{}, err
	}
	if in.Again || len(by) == 0 {
		if _, err := d.StartMethods(ctx, m.Workspace, m.Message, nil); err != nil {
			return Methods{}, err
		}
		if by, err = d.ByMethod(ctx, m.Workspace, m.Message); err != nil {
			return Methods{}, err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for _, b := range by {
		for _, err := range d.Follow(waiting, b.Run, 0) {
			if err != nil && waiting.Err() == nil {
				return Methods{}, err
			}
		}
	}
	if by, err = d.ByMethod(ctx, m.Workspace, m.Message); err != nil {
		return Methods{}, err
	}
	return d.Comparisons.MethodsCompared(ctx, m, by)
}
