package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

func askCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, traced, technical, compare bool
	var asking questions.Asking
	cmd := &cobra.Command{
		Use:   "ask [QUESTION]",
		Short: "Ask a question",
		Long: `Ask a question and read the answer as it is written, with its sources below. The
command needs no server but may run beside one; the web pages show the
conversation afterwards. With --stop-before-writing or --hint the question may
wait for you: clew run continue goes on.

--in asks a follow-up in a conversation, within what its last question was asked
unless --within says otherwise. --again asks the question of a run again, or the
one given in its place: the new answer stands beside the old one, and later
questions stay with the answer they followed.`,
		Example: `  clew ask "Who paid for the repair of the bridge?"
  clew ask "Summarise minutes.docx in three sentences"
  clew ask --method words "Who paid for the repair of the bridge?"
  clew ask --within tag:minutes --within from:2024-01-01 "Who paid for the repair?"
  clew ask --within doc:guide.pdf "Who paid for the repair?"
  clew ask --as-of 1995-06 "Who runs the foundry?"
  clew ask --compare-methods "Who paid for the repair of the bridge?"
  clew ask --in k0123456789abcdef0123 "And who built it?"
  clew ask --again run0123456789abcdef0123 "Who paid for the bridge?"
  clew ask --context-only "Who paid for the repair of the bridge?"
  clew ask --trace "Who paid for the repair of the bridge?"
  clew ask --json "When was the foundry founded?" | jq .citations`,
		Args:        wordsUnless(&asking.Again),
		Annotations: map[string]string{carriesRemote: "yes"},
	}
	given := flagsOf(cmd, &asking, "wait") // the command waits for the answer
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		asking.Question = strings.Join(args, " ")
		if err := given(); err != nil {
			return err
		}
		if server, ok := remoteOf(cmd, s); ok {
			return server.ask(cmd.Context(), asking, asJSON, traced, compare || technical)
		}
		cfg, err := load()
		if err != nil {
			return err
		}
		if asking.Again == "" {
			asking.Review = asking.Review || cfg.ReviewByDefault && !asking.ContextOnly && !cmd.Flags().Changed("stop-before-writing")
			asking.Hint = asking.Hint || cfg.HintByDefault && !cmd.Flags().Changed("hint")
		}
		if s.terminal && !asJSON {
			s.pace = readingPace
		}
		a, err := open(cmd.Context(), cfg, s)
		if err != nil {
			return err
		}
		defer a.Close()
		a.traced = tracing(traced, technical)
		ctx, err := a.toChange(cmd.Context())
		if err != nil {
			return err
		}
		a.warnOfUnread(ctx)
		return a.ask(ctx, asking, asJSON, compare)
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	cmd.Flags().BoolVar(&traced, "trace", false, "print what each step did as it ends, on standard error, and the answer when it is complete")
	cmd.Flags().BoolVar(&technical, "technical", false, "print what each step writes to the state as it ends, by the names of the graph")
	cmd.Flags().BoolVar(&compare, "compare-methods", false, "answer by each method of searching too, and compare; --json prints the comparison")
	for _, flag := range []string{"in", "method", "compare-methods", "stop-before-writing", "hint", "max-loops", "passages", "rerank", "budget", "context-only"} {
		cmd.MarkFlagsMutuallyExclusive("again", flag)
	}
	return cmd
}

// tracing returns how steps are printed, or "" if they are not.
func tracing(traced, technical bool) string {
	switch {
	case technical:
		return tracedTechnically
	case traced:
		return tracedPlainly
	}
	return ""
}

// wordsUnless wants words, unless a flag stands for them.
func wordsUnless(flag *domain.RunID) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *flag != "" {
			return nil
		}
		return cobra.MinimumNArgs(1)(cmd, args)
	}
}

// ask asks a question in this process and prints the answer, and how those by each
// method of searching compare, if that was asked for.
func (a *app) ask(ctx context.Context, in questions.Asking, asJSON, compare bool) error {
	run, printed, err := a.written(ctx, asJSON, func(runs job.Adder) (domain.RunID, error) {
		asker := a.asker()
		asker.Runs = runs
		m, err := asker.Ask(ctx, in, nil)
		return m.Run, err
	})
	if err != nil {
		return err
	}
	m, err := a.ledger.Answer(ctx, run.Workspace, run.ID)
	if err != nil {
		return err
	}
	if !compare || !asJSON || run.Status != job.Done {
		if err := a.printOutcome(ctx, run, printed, asJSON); err != nil || !compare || run.Status != job.Done {
			return err
		}
		fmt.Fprintln(a.env.stdout)
	}
	return a.byMethods(ctx, m.Message, false, asJSON)
}

// written carries out, in this process, the run that start stores, and prints its
// words as they are written, unless it is quiet or prints steps: on a terminal the
// two would be mixed within a line. It returns the run as it ended, and what was
// printed.
func (a *app) written(ctx context.Context, quiet bool, start func(job.Adder) (domain.RunID, error)) (run job.Run, printed string, err error) {
	if err := a.catchUp(ctx); err != nil && domain.KindOf(err) != domain.Unavailable { // what is away is done without
		return run, "", err
	}
	worker := a.worker(nil)
	if err := worker.Start(ctx); err != nil {
		return run, "", err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	id, err := start(worker.Take())
	if err != nil {
		return run, "", err
	}
	words := a.steps(id, a.graphs.answer.Topology()).watch(ctx, quiet || a.traced != "")
	run, err = worker.Do(ctx, id)
	printed = words()
	return run, printed, err
}

// giveUp removes a run that would be retried later from the queue, because
// someone is waiting at the command line.
func (a *app) giveUp(ctx context.Context, run job.Run) error {
	return errors.Join(domain.Errorf(domain.Unavailable, "%s", run.Problem), a.queue.Stop(ctx, run.Workspace, run.ID))
}

// A stepPrinter prints the steps of a run on standard error as they end, if that was
// asked for.
type stepPrinter struct {
	*app
	report.Teller

	run  domain.RunID
	last int // number of the last event
}

// print prints the steps that end with the events.
func (p *stepPrinter) print(events []trace.Event) {
	for _, e := range events {
		p.last = e.Seq
		if p.traced == tracedTechnically && e.Kind == string(stategraph.NodeEnd) {
			p.printUpdate(e)
		}
	}
	for _, told := range p.Tell(events) {
		if p.traced == tracedPlainly {
			told.Print(p.env.stderr)
		}
	}
}

// printUpdate prints what a node wrote to the state, a field a line.
func (p *stepPrinter) printUpdate(e trace.Event) {
	out := p.env.stderr
	fmt.Fprintf(out, "%s  step %d, %d ms\n", trace.Name(e.Path[min(1, len(e.Path)):], e.Node), e.Step, e.Took.Milliseconds())
	var fields map[string]json.RawMessage
	if json.Unmarshal(e.Update, &fields) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(out, "  %s  %s\n", name, domain.Cut(string(fields[name]), maxTraced))
	}
}

// How the steps of an answer are printed while it is written; the zero value prints none.
const (
	tracedPlainly     = "plain"
	tracedTechnically = "technical"
)

// maxTraced is how much of a value is printed, in code points.
const maxTraced = 400

// steps returns what prints the steps of a run of a graph.
func (a *app) steps(run domain.RunID, topology stategraph.Topology) *stepPrinter {
	return &stepPrinter{app: a, Teller: report.Teller{View: trace.NewView(run, topology), Loop: a.loop()}, run: run}
}

// watch prints the steps of the run after those that were printed and, unless it is quiet, its words. The returned
// function stops that and returns the words it printed.
func (p *stepPrinter) watch(ctx context.Context, quiet bool) func() string {
	after := context.WithoutCancel(ctx)
	ctx, stop := context.WithCancel(ctx)
	printed := make(chan string, 1)
	go func() {
		var all strings.Builder
		for item, err := range p.hub.Watch(ctx, domain.WorkspaceOf(ctx), p.run, p.last) {
			if err != nil {
				break
			}
			p.print(item.Events)
			if !quiet {
				fmt.Fprint(p.env.stdout, item.Text)
				all.WriteString(item.Text)
			}
		}
		printed <- all.String()
	}()
	return func() string {
		stop()
		text := <-printed
		if events, err := p.hub.Events(after, domain.WorkspaceOf(ctx), p.run, p.last); err == nil {
			p.print(events)
		}
		if p.traced == tracedPlainly {
			fmt.Fprintln(p.env.stderr, report.Gist(p.View))
		}
		return text
	}
}

// printAnswer prints the rest of the answer and its sources.
func (a *app) printAnswer(ctx context.Context, m ledger.Answer, run job.Run, printed string, asJSON bool) error {
	if run.Status != job.Done {
		return domain.Errorf(domain.Unavailable, "The question was not answered: %s", cmp.Or(run.Problem, "it was stopped."))
	}
	reply, err := a.asker().Replied(ctx, m)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(a.env.stdout, reply)
	}
	return reply.PrintAfter(a.env.stdout, printed)
}

// asker asks questions for programs.
func (a *app) asker() questions.Asker {
	return questions.Asker{Service: a.questions, Reports: a.reports()}
}
