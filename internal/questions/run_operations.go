package questions

import (
	"context"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run/job"
)

type waited struct {
	Wait operation.Wait `json:"wait" default:"60" doc:"the answer"`
}

// Forking describes how to continue from a step of an answer.
type Forking struct {
	oneRun
	Step *int     `json:"step" doc:"number of the step, from 0"`
	Set  []string `json:"set" whole:"" at:"1048576" doc:"change a field: {FIELD=VALUE}; can be given several times"`
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
	v, err := in.Variation(domain.WorkspaceOf(ctx))
	if err != nil {
		return Reply{}, err
	}
	b, err := a.Vary(ctx, v)
	if err != nil {
		return Reply{}, err
	}
	return a.Await(ctx, b.Run, in.Wait.Duration())
}

// Continuing is a person's reply to a run that waits for one.
type Continuing struct {
	oneRun
	Drop []string `json:"drop" doc:"ids of passages not to write from"`
	Add  []string `json:"add" doc:"ids of passages to write from as well"`
	Hint string   `json:"hint" doc:"other words, or names, to search for once more"`

	Texts []string `json:"text" whole:"" doc:"of a summary, text to go on with, in place of the one at its place in the draft; an empty one leaves a text out"`
	waited
}

// Reply returns the reply as the run takes it.
func (in Continuing) Reply() answer.Reply {
	return answer.Reply{Drop: chunks(in.Drop), Add: chunks(in.Add), Hint: in.Hint, Texts: in.Texts}
}

func chunks(list []string) (ids []domain.ChunkID) {
	for _, id := range list {
		ids = append(ids, domain.ChunkID(id))
	}
	return ids
}

func (a Asker) goOn(ctx context.Context, in Continuing) (Reply, error) {
	asked, err := a.Queue.Get(ctx, domain.WorkspaceOf(ctx), in.ID)
	switch {
	case err != nil:
		return Reply{}, err
	case asked.Kind != Kind:
		return Reply{}, domain.Errorf(domain.Invalid, "Only questions wait here. A summary waits for an edit: clew summaries continue, or its page.")
	}
	before, err := a.Hub.Events(ctx, domain.WorkspaceOf(ctx), in.ID, 0)
	if err != nil {
		return Reply{}, err
	}
	last := 0 // its question, which is now answered
	for _, e := range before {
		last = e.Seq
	}
	if err := a.Continue(ctx, domain.WorkspaceOf(ctx), in.ID, in.Reply()); err != nil {
		return Reply{}, err
	}
	r, err := a.await(ctx, in.ID, last, in.Wait.Duration())
	if r.At() != "" {
		r.After = last
	}
	return r, err
}

// AskingWeb is an answer that the library does not have, to be looked for on the web.
type AskingWeb struct {
	oneRun
	Question string `json:"question" doc:"what to send in place of the question"`
	waited
}

func (a Asker) askWeb(ctx context.Context, in AskingWeb) (Reply, error) {
	b, err := a.AskWeb(ctx, WebQuestion{Workspace: domain.WorkspaceOf(ctx), Run: in.ID, Question: in.Question, Runs: a.Runs})
	if err != nil {
		return Reply{}, err
	}
	return a.Await(ctx, b.Run, in.Wait.Duration())
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

// Runs implements operation.Carried.
func (r ReplayedRun) Runs() []domain.RunID { return []domain.RunID{r.Replay} }

// At implements operation.Begun.
func (r ReplayedRun) At() string {
	if r.Status.Ended() {
		return ""
	}
	return "/runs/" + string(r.Run) + "/replay"
}

func (a Asker) replay(ctx context.Context, in replaying) (ReplayedRun, error) {
	b, err := a.StartReplay(ctx, domain.WorkspaceOf(ctx), in.ID, nil)
	if err != nil {
		return ReplayedRun{}, err
	}
	if _, err := a.Await(ctx, b.Run, in.Wait.Duration()); err != nil {
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
	status := r.Status
	if status.Ended() && !compared.Ended { // its last events have not been read yet
		status = job.Running
	}
	return ReplayedRun{in.ID, compared.Run, compared.Same(), compared.Nodes, status}, nil
}

// RunOperations are the operations on runs that answer, besides stopping them.
func RunOperations() []operation.Operation[Asker] {
	return []operation.Operation[Asker]{
		operation.Op[Asker, Forking, Reply]{
			Name: "run fork", Short: "Continue from a step of an answer, with something changed", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/fork"}, Waits: true,
			Long: `Continue from a step of an answer, with something changed, and print the new
answer. Nothing before the step is computed or paid again, and the run itself
stays as it is. clew run show lists the steps.

--set FIELD=VALUE changes a field; a value that begins with @ is read from the
file of that name. The fields:

  question      what is asked
  rewrite       the words of the next search
  max_loops     how often the question may be rewritten, in all
  method        how to search: words, vectors, hybrid or walk
  grade.CHUNK   of a passage: relevant or irrelevant
  prompt.ROLE   the number of a version of a prompt, see clew prompts
  draft.ROLE    a text in place of a prompt
  model         another model of the same server, or built-in

Only what still matters after the step can be changed.`,
			Example: `  clew run fork run0123456789abcdef0123 --step 3 --set grade.c0123456789abcdef0123=relevant
  clew run fork run0123456789abcdef0123 --step 0 --set "question=Who paid for it?" --json`,
			Do: Asker.fork, Text: printReply,
		},
		operation.Op[Asker, Continuing, Reply]{
			Name: "run continue", Short: "Continue a run that waits for you", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/continue"}, Waits: true,
			Long: `Continue the run of a question that waits for you: after
clew ask --stop-before-writing to write, from the relevant passages or those that
you choose, and after clew ask --hint with words to search for once more. Without
either it answers with what there is. clew search --json finds passages to add.`,
			Example: `  clew run continue j0123456789abcdef0123 --drop c0123456789abcdef0123
  clew run continue j0123456789abcdef0123 --hint "Orrin Courier 1909"`,
			Do: Asker.goOn, Text: printReply,
		},
		operation.Op[Asker, AskingWeb, Reply]{
			Name: "run web", Short: "Search the web for an answer that the library does not have", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/web"}, Waits: true, Trail: operation.Trail{Kept: true},
			Long: `Search the web for an answer that the library does not have, and print it. The
words of the question, or those of --question, leave this machine: they go to the
SearXNG that WEB_SEARCH_URL names, and the first five pages that it finds are
fetched and read. The answer is kept beside that of the run; nothing of the pages
is added to the library.`,
			Example: `  clew run web run0123456789abcdef0123
  clew run web run0123456789abcdef0123 --question "inventor of the hydrofoil"`,
			Tool: operation.Tool{Name: "search_web", Title: "Search the web for what the library does not have", Fields: "run question wait",
				About: "As a last resort, where the tool ask has found nothing: send the question of a run, or other words, to a web search, and answer from the pages that it finds. The words leave the library's machine, so ask the person first. Sources are pages of the web, not of the library."},
			Do: Asker.askWeb, Text: printReply,
		},
		operation.Op[Asker, replaying, ReplayedRun]{
			Name: "run replay", Short: "Replay an answer with the recorded calls of models, and compare", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/replay"}, Own: true, Waits: true,
			Do: Asker.replay,
		},
		operation.Op[Asker, oneRun, ReplayedRun]{
			Name: "run replayed", Short: "Show how the last replay of a run compares with it", Scope: operation.Read, Routes: []string{"GET /runs/{run}/replay"}, Example: "  clew run replayed run0123456789abcdef0123 --json | jq .same",
			Do: Asker.lastReplay,
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

// ComparingMethods names the run whose question is compared by method.
type ComparingMethods struct {
	oneRun
	Again bool `json:"again" doc:"answer by each method anew"`
	waited
}

// MethodOperations are the operations that compare search methods.
func MethodOperations() []operation.Operation[MethodsDesk] {
	return []operation.Operation[MethodsDesk]{operation.Op[MethodsDesk, ComparingMethods, Methods]{
		Name: "run methods", Short: "Compare the answers to a question by each method of searching", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/methods"}, Waits: true, Example: "  clew run methods j0123456789abcdef0123",
		Long: `Compare the answers to the question of a run: by words only, by vectors where
there is an embedding model, by both, over the graph, and by the whole loop. It
answers the question by each method once and keeps the answers with the turn;
--again answers it anew. The turn's own answer stays as it is.`,
		Do: MethodsDesk.compare, Text: func(w io.Writer, m Methods) error { return m.Print(w) },
	}, operation.Op[MethodsDesk, oneRun, Methods]{
		Name: "run methods last", Short: "Show how the answers by each method compare so far", Scope: operation.Read, Routes: []string{"GET /runs/{run}/methods"}, Example: "  clew run methods last j0123456789abcdef0123",
		Do: MethodsDesk.last, Text: func(w io.Writer, m Methods) error { return m.Print(w) },
	}}
}

// compare answers the question of a run by each method, unless that was done before, and compares the answers.
func (d MethodsDesk) compare(ctx context.Context, in ComparingMethods) (Methods, error) {
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
	waiting, cancel := context.WithTimeout(ctx, in.Wait.Duration())
	defer cancel()
	for _, b := range by {
		for _, err := range d.Follow(waiting, b.Run, 0) {
			if err != nil && waiting.Err() == nil {
				return Methods{}, err
			}
		}
	}
	return d.compared(ctx, in.ID, m)
}

// last compares the existing answers to the question of a run by method.
func (d MethodsDesk) last(ctx context.Context, in oneRun) (Methods, error) {
	m, err := d.Answered(ctx, domain.WorkspaceOf(ctx), in.ID)
	if err != nil {
		return Methods{}, err
	}
	return d.compared(ctx, in.ID, m)
}

func (d MethodsDesk) compared(ctx context.Context, of domain.RunID, m ledger.Answer) (Methods, error) {
	by, err := d.ByMethod(ctx, m.Workspace, m.Message)
	switch {
	case err != nil:
		return Methods{}, err
	case len(by) == 0:
		return Methods{}, domain.Errorf(domain.NotFound, "The question of run %s has not been answered by each method. clew run methods %[1]s does that.", of)
	}
	c, err := d.Comparisons.MethodsCompared(ctx, m, by)
	c.Of = of
	return c, err
}
