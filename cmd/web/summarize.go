package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/job"
)

func summarizeCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, traced bool
	var given summaries.Ordering
	cmd := &cobra.Command{
		Use:   "summarize [DOCUMENT...]",
		Short: "Summarise documents, or the whole library",
		Long: `Summarise documents, given by name or id, or those with a tag (--tag), or all
(--all). Each sentence is followed by the numbers of its sources, which are
listed below. The command needs no server but may run beside one; the web pages
show the summary afterwards. With --review it stops before its last step: on a
terminal it asks what to do with the draft, otherwise clew summaries continue
goes on.`,
		Example: `  clew summarize minutes.docx --length short
  clew summarize letters.pdf replies.pdf --focus "who owes money to whom"
  clew summarize --trace --review minutes.docx
  clew summarize --tag minutes
  clew summarize --all --json | jq -r .summary`,
		Annotations: map[string]string{carriesRemote: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			given.Documents = args
			ctx := cmd.Context()
			if server, ok := remoteOf(cmd, s); ok {
				return s.summarize(ctx, &summingThere{remote: server, traced: traced}, given, asJSON)
			}
			cfg, err := load()
			if err != nil {
				return err
			}
			a, err := open(ctx, cfg, s)
			if err != nil {
				return err
			}
			defer a.Close()
			a.traced = tracing(traced, false)
			if ctx, err = a.toChange(ctx); err != nil {
				return err
			}
			return a.summarize(ctx, given, asJSON)
		},
	}
	flagsOf(cmd, &given)
	jsonFlag(cmd, &asJSON, jsonObject)
	cmd.Flags().BoolVar(&traced, "trace", false, "print what each step did as it ends, on standard error")
	return cmd
}

// A summing is where summaries are made: the library of this machine, or a server.
type summing interface {
	begin(ctx context.Context, given summaries.Ordering) (summaries.Summed, error)
	// wait returns a summary once it is made, has failed or is waiting for a person.
	wait(ctx context.Context, s summaries.Summed) (summaries.Summed, error)
	edit(ctx context.Context, s summaries.Summed, texts []string) error
	stop(ctx context.Context, s summaries.Summed) error
}

// summarize makes a summary and prints it. On a terminal, it asks what becomes of the draft.
func (s env) summarize(ctx context.Context, at summing, given summaries.Ordering, asJSON bool) error {
	made, err := at.begin(ctx, given)
	if err == nil {
		made, err = at.wait(ctx, made)
	}
	typed := bufio.NewReader(s.stdin)
	for err == nil && made.Draft != nil && s.terminal && !asJSON {
		texts, decided, failed := s.reviewed(made.Draft, typed)
		switch {
		case failed != nil:
			return failed
		case decided == leftOpen:
			fmt.Fprintf(s.stdout, "Summary %s waits for you. clew summaries continue %[1]s goes on.\n", made.ID)
			return nil
		case decided == rejected:
			if err := at.stop(ctx, made); err != nil {
				return err
			}
			fmt.Fprintf(s.stdout, "Summary %s was stopped.\n", made.ID)
			return nil
		}
		if err = at.edit(ctx, made, texts); err == nil {
			made, err = at.wait(ctx, made)
		}
	}
	switch {
	case err != nil:
		return err
	case made.Draft == nil && made.Status != ledger.SummaryDone:
		return domain.Errorf(domain.Unavailable, "The summary was not made: %s", cmp.Or(made.Problem, "it was stopped."))
	case asJSON:
		return printJSON(s.stdout, made)
	}
	for _, w := range made.Warnings {
		fmt.Fprintln(s.stderr, w)
	}
	made.Warnings = nil
	return summaries.PrintSummed(s.stdout, made)
}

// What a person decides on a draft.
const (
	approved = "a"
	rejected = "r"
	leftOpen = "q"
)

// reviewed shows a draft and returns its texts as a person wants them, and what they decided. The end of the input leaves
// the draft open.
func (s env) reviewed(draft []string, typed *bufio.Reader) (texts []string, decided string, err error) {
	texts = append(texts, draft...)
	fmt.Fprintln(s.stdout, "The draft:")
	for i, text := range texts {
		fmt.Fprintf(s.stdout, "\n%d. %s\n", i+1, domain.OneLine(text))
	}
	for {
		fmt.Fprint(s.stdout, "\n[a]pprove, [e]dit N, [d]rop N, [r]eject, or [q]uit and decide later: ")
		line, err := typed.ReadString('\n')
		if errors.Is(err, io.EOF) && strings.TrimSpace(line) == "" {
			fmt.Fprintln(s.stdout)
			return texts, leftOpen, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, "", err
		}
		order, which, _ := strings.Cut(strings.ToLower(strings.TrimSpace(line)), " ")
		is := func(word string) bool { return strings.HasPrefix(word, order) }
		switch {
		case order == "":
		case is("approve"):
			return texts, approved, nil
		case is("reject"):
			return texts, rejected, nil
		case is("quit"):
			return texts, leftOpen, nil
		case is("edit"), is("drop"):
			n, err := strconv.Atoi(cmp.Or(strings.TrimSpace(which), "1"))
			if err != nil || n < 1 || n > len(texts) {
				fmt.Fprintf(s.stdout, "The draft has %s: give a number from 1.\n", domain.Counted(len(texts), "text", "texts"))
				continue
			}
			texts[n-1] = ""
			if is("edit") {
				fmt.Fprint(s.stdout, "New text, in one line: ")
				if line, err = typed.ReadString('\n'); err != nil && !errors.Is(err, io.EOF) {
					return nil, "", err
				}
				texts[n-1] = strings.TrimSpace(line)
			}
			fmt.Fprintf(s.stdout, "%d. %s\n", n, cmp.Or(domain.OneLine(texts[n-1]), "(left out)"))
		default:
			fmt.Fprintln(s.stdout, "Type a, e 1, d 1, r or q.")
		}
	}
}

// summingHere is the library of this machine. It makes summaries in this process, unless a server is faster.
type summingHere struct {
	*app
	worker *job.Worker
	steps  *stepPrinter // of the summary that was started
	theirs bool         // another process continues it
}

// summarize makes a summary in this process and prints it.
func (a *app) summarize(ctx context.Context, given summaries.Ordering, asJSON bool) (err error) {
	worker := a.worker(map[string]int{summaries.Kind: 0}) // only this one
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	return a.env.summarize(ctx, &summingHere{app: a, worker: worker}, given, asJSON)
}

// summaryDesk is where summaries are ordered by the names of documents.
func (a *app) summaryDesk() summaries.Desk {
	return summaries.Desk{Service: a.summaries, Documents: a.documents}
}

func (h *summingHere) begin(ctx context.Context, given summaries.Ordering) (summaries.Summed, error) {
	desk := h.summaryDesk()
	o, err := desk.Order(ctx, given)
	if err != nil {
		return summaries.Summed{}, err
	}
	o.Runs = h.worker.Take()
	s, err := desk.Start(ctx, o)
	h.noted(ctx, "summarize", err, audit.IDs(string(s.ID))...)
	h.steps = h.app.steps(s.Run, h.graphs.summarize.Topology())
	return summaries.Summed{ID: s.ID, Run: s.Run}, err
}

func (h *summingHere) wait(ctx context.Context, s summaries.Summed) (made summaries.Summed, err error) {
	printed := h.steps.watch(ctx, true)
	var run job.Run
	if h.theirs {
		run, err = h.untilItRests(ctx, s.Run)
	} else {
		run, err = h.worker.Do(ctx, s.Run)
	}
	printed()
	if err == nil && run.Status.Pending() && !run.Status.Asleep() {
		err = h.giveUp(context.WithoutCancel(ctx), run)
	}
	if err != nil {
		return made, err
	}
	sum, err := h.ledger.Summary(ctx, run.Workspace, s.ID)
	if err != nil {
		return made, err
	}
	return h.summaryDesk().Summed(ctx, sum)
}

func (h *summingHere) edit(ctx context.Context, s summaries.Summed, texts []string) error {
	err := h.summaries.Continue(ctx, domain.WorkspaceOf(ctx), s.ID, texts)
	h.noted(ctx, summaries.Continue.Name, err, string(s.ID))
	if err != nil {
		return err
	}
	mine, err := h.worker.TakeUp(ctx, s.Run)
	h.theirs = !mine
	return err
}

func (h *summingHere) stop(ctx context.Context, s summaries.Summed) error {
	if err := h.queue.Stop(ctx, domain.WorkspaceOf(ctx), s.Run); err != nil {
		return err
	}
	_, err := h.untilItRests(ctx, s.Run)
	return err
}

// summingThere is a server.
type summingThere struct {
	remote
	traced bool
	after  int // the last event followed
}

// maxMade is how many seconds a server is given to note how a summary ended.
const maxMade = 30

// asked sends a request and returns the summary that it is answered with.
func (h *summingThere) asked(ctx context.Context, route string, in any) (s summaries.Summed, err error) {
	err = h.do(ctx, operation.ParseRoute(route).Target(in), "application/json", func(body io.Reader) error {
		return json.NewDecoder(body).Decode(&s)
	})
	return s, err
}

func (h *summingThere) begin(ctx context.Context, given summaries.Ordering) (summaries.Summed, error) {
	return h.asked(ctx, "POST /summaries", &summaries.Summing{Ordering: given})
}

func (h *summingThere) wait(ctx context.Context, s summaries.Summed) (summaries.Summed, error) {
	after, err := h.follow(ctx, s.Run, h.after, h.traced)
	if err != nil {
		return s, err
	}
	h.after = after
	s, err = h.asked(ctx, "GET /summaries/{summary}", &summaryAwaited{s.ID, maxMade})
	if err == nil && s.At() != "" {
		err = domain.Errorf(domain.Unavailable, "%s ended before the summary was made. clew summaries show %s shows how far it is.", h.server, s.ID)
	}
	return s, err
}

// summaryAwaited is the input of the route that shows a summary.
type summaryAwaited struct {
	ID   domain.SummaryID `json:"summary"`
	Wait int              `json:"wait"`
}

func (h *summingThere) edit(ctx context.Context, s summaries.Summed, texts []string) error {
	_, err := h.asked(ctx, "POST /summaries/{summary}/continue", &struct {
		ID    domain.SummaryID `json:"summary"`
		Texts []string         `json:"text"`
	}{s.ID, texts})
	return err
}

func (h *summingThere) stop(ctx context.Context, s summaries.Summed) error {
	return h.do(ctx, operation.ParseRoute("POST /runs/{id}/stop").Target(&struct {
		ID domain.RunID `json:"id"`
	}{s.Run}), "application/json", func(io.Reader) error { return nil })
}
