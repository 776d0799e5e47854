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
	"github.com/clewhq/clew/views/facts"
	"github.com/clewhq/clew/views/format"
)

func askCommand(s env, load func() (config.Config, error)) *cobra.Command { //nolint:funlen // mostly flags, in one list
	var asJSON, traced, technical, compare bool
	var method, in, again string
	var within []string
	var loops int
	var rerank bool
	var options questions.Options
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
  clew ask --method words "Who paid for the repair of the bridge?"
  clew ask --within tag:minutes --within from:2024-01-01 "Who paid for the repair?"
  clew ask --within doc:guide.pdf "Who paid for the repair?"
  clew ask --compare-methods "Who paid for the repair of the bridge?"
  clew ask --in k0123456789abcdef0123 "And who built it?"
  clew ask --again run0123456789abcdef0123 "Who paid for the bridge?"
  clew ask --context-only "Who paid for the repair of the bridge?"
  clew ask --trace "Who paid for the repair of the bridge?"
  clew ask --json "When was the foundry founded?" | jq .citations`,
		Args:        wordsUnless(&again),
		Annotations: map[string]string{carriesRemote: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("max-loops") {
				options.MaxLoops = &loops
			}
			if cmd.Flags().Changed("rerank") {
				options.Rerank = &rerank
			}
			if server, ok := remoteOf(cmd, s); ok {
				return server.ask(cmd.Context(), questions.Asking{
					Question: strings.Join(args, " "), Within: within, Method: method, Conversation: domain.ConversationID(in), Again: domain.RunID(again), MaxLoops: options.MaxLoops,
					Passages: options.Passages, Rerank: options.Rerank, Budget: options.Budget, ContextOnly: options.ContextOnly, Review: options.Review, Hint: options.Hint,
				}, asJSON, traced, compare || technical)
			}
			cfg, err := load()
			if err != nil {
				return err
			}
			options.Review = options.Review || cfg.ReviewByDefault && !options.ContextOnly && !cmd.Flags().Changed("stop-before-writing")
			options.Hint = options.Hint || cfg.HintByDefault && !cmd.Flags().Changed("hint")
			if s.terminal && !asJSON {
				s.pace = readingPace
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer a.Close()
			a.traced = tracing(traced, technical)
			scope, err := a.questions.Scope(cmd.Context(), domain.DefaultWorkspace, within)
			if err != nil {
				return err
			}
			text := strings.Join(args, " ")
			if again != "" {
				return a.again(cmd.Context(), domain.RunID(again), text, scope, asJSON)
			}
			return a.askIn(cmd.Context(), questions.Question{
				Conversation: domain.ConversationID(in), Text: text, Method: domain.MethodName(method), Scope: scope, Options: options,
			}, asJSON, compare)
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	cmd.Flags().BoolVar(&traced, "trace", false, "print what each step did as it ends, on standard error")
	cmd.Flags().BoolVar(&technical, "technical", false, "print what each step writes to the state as it ends, by the names of the graph")
	cmd.Flags().BoolVar(&compare, "compare-methods", false, "answer by each method of searching too, and compare; --json prints the comparison")
	cmd.Flags().BoolVar(&options.Review, "stop-before-writing", false, "wait for you to choose the passages that it is answered from (default as STOP_BEFORE_WRITING says)")
	cmd.Flags().BoolVar(&options.Hint, "hint", false, "wait for a hint from you when nothing relevant was found (default as ASK_FOR_HINT says)")
	cmd.Flags().IntVar(&loops, "max-loops", 0, "how often the question may be reworded (default as MAX_LOOPS says)")
	cmd.Flags().IntVar(&options.Passages, "passages", 0, "how many passages a search reads at most (default as PASSAGES says)")
	cmd.Flags().BoolVar(&rerank, "rerank", false, "let a model put what is found in order before it is graded, or not: --rerank=false (default as RERANK says)")
	cmd.Flags().IntVar(&options.Budget, "budget", 0, "how many tokens the answer may take at most, besides the caps that are set")
	cmd.Flags().BoolVar(&options.ContextOnly, "context-only", false, "find and grade passages, and write no answer")
	cmd.Flags().StringVar(&in, "in", "", "ask in the conversation with this `ID`, after its last answer; clew conversations list shows them")
	cmd.Flags().StringVar(&again, "again", "", "ask the question of the run with this `ID` again, within the same documents unless --within is given")
	cmd.Flags().StringVar(&method, "method", "", methodHelp)
	cmd.Flags().StringArrayVar(&within, "within", nil, withinHelp)
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
func wordsUnless(flag *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *flag != "" {
			return nil
		}
		return cobra.MinimumNArgs(1)(cmd, args)
	}
}

// askIn asks a question, in a conversation within what its last question was asked
// unless the question says otherwise.
func (a *app) askIn(ctx context.Context, q questions.Question, asJSON, compare bool) (err error) {
	if q.Conversation != "" && q.Scope.All() {
		if q.Scope, err = a.lastScope(ctx, q.Conversation); err != nil {
			return err
		}
	}
	return a.answer(ctx, q, asJSON, compare)
}

// withinHelp describes the flag --within.
const withinHelp = "ask only documents matching tag:NAME, doc:NAME (or its id), from:2024-01-31 or to:2024-12-31 (day added), lang:de, source:web, author:NAME, published:2024 or published:2024-05..2025; several terms of a kind widen it"

// methodHelp describes the flag --method.
const methodHelp = "search only by words, vectors, hybrid (both) or walk (over the graph)"

// answer runs the question in this process and prints the answer, and how those by
// each method of searching compare, if that was asked for.
func (a *app) answer(ctx context.Context, question questions.Question, asJSON, compare bool) (err error) {
	var id domain.MessageID
	run, printed, err := a.written(ctx, asJSON, func(runs job.Adder) (domain.RunID, error) {
		question.Workspace, question.Runs = domain.DefaultWorkspace, runs
		m, err := a.questions.Start(ctx, question)
		id = m.Message
		return m.Run, err
	})
	if err != nil {
		return err
	}
	if !compare || !asJSON || run.Status != job.Done {
		if err := a.printOutcome(ctx, id, run, printed, asJSON); err != nil || !compare || run.Status != job.Done {
			return err
		}
		fmt.Fprintln(a.env.stdout)
	}
	return a.byMethods(ctx, id, false, asJSON)
}

// again asks the question of a run again in this process, or another in its place, and
// prints the answer.
func (a *app) again(ctx context.Context, id domain.RunID, question string, scope domain.Scope, asJSON bool) error {
	asked, err := a.questions.Answered(ctx, domain.DefaultWorkspace, id)
	if err != nil {
		return err
	}
	edited := questions.Edited{Workspace: asked.Workspace, Message: asked.Message, Question: cmp.Or(question, asked.Question), Scope: asked.Scope}
	if !scope.All() {
		edited.Scope = scope
	}
	return a.branch(ctx, asJSON, func(runs job.Adder) (ledger.Answer, error) {
		edited.Runs = runs
		return a.questions.AskAgain(ctx, edited)
	})
}

// lastScope returns within what the last question of a conversation was asked. As on its
// page, a follow-up keeps to it.
func (a *app) lastScope(ctx context.Context, id domain.ConversationID) (domain.Scope, error) {
	tree, err := a.questions.Tree(ctx, domain.DefaultWorkspace, id)
	if err != nil {
		return domain.Scope{}, err
	}
	line := tree.Line("")
	if len(line) == 0 {
		return domain.Scope{}, nil
	}
	return line[len(line)-1].Scope, nil
}

// written carries out, in this process, the run that start stores, and prints its
// words as they are written. It returns the run as it ended, and what was printed.
func (a *app) written(ctx context.Context, quiet bool, start func(job.Adder) (domain.RunID, error)) (run job.Run, printed string, err error) {
	if err := a.catchUp(ctx); err != nil {
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
	words := a.printWords(ctx, id, quiet)
	run, err = worker.Do(ctx, id)
	printed = words()
	return run, printed, err
}

// giveUp removes a run that would be retried later from the queue, because
// someone is waiting at the command line.
func (a *app) giveUp(ctx context.Context, run job.Run) error {
	return errors.Join(domain.Errorf(domain.Unavailable, "%s", run.Problem), a.queue.Stop(ctx, run.Workspace, run.ID))
}

// A stepPrinter prints the steps of an answer on standard error as they end, if that was
// asked for.
type stepPrinter struct {
	*app
	view    *trace.View
	printed map[*trace.Step]bool
	last    int // number of the last event
}

// print prints the steps that end with the events.
func (p *stepPrinter) print(events []trace.Event) {
	for _, e := range events {
		p.last = e.Seq
		ended := p.view.Apply(e)
		switch {
		case p.traced == tracedTechnically && e.Kind == string(stategraph.NodeEnd):
			p.printUpdate(e)
		case p.traced == tracedPlainly:
			for _, s := range ended {
				p.printStep(s)
			}
		}
	}
}

// printStep prints what a step of the answer's own graph did, once it is done.
func (p *stepPrinter) printStep(s *trace.Step) {
	if s.State != trace.Done || len(s.Path) > 0 || p.printed[s] {
		return
	}
	p.printed[s] = true
	out := p.env.stderr
	fmt.Fprintf(out, "%s, %s\n", report.Said(p.view, s, p.loop()), format.Duration(s.Took))
	for _, r := range slices.DeleteFunc(slices.Clone(s.Rewrites), domain.Rewrite.SameWords) {
		fmt.Fprintf(out, "  “%s”\n", r.To)
	}
	for _, g := range s.Grades {
		if g.Verdict == domain.Relevant {
			fmt.Fprintf(out, "  %s: %s: %s\n", g.Said(), g.Where(), g.Reason)
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

// printWords prints the answer as it is written. The returned function stops
// that and returns what was printed.
func (a *app) printWords(ctx context.Context, run domain.RunID, quiet bool) func() string {
	after := context.WithoutCancel(ctx)
	ctx, stop := context.WithCancel(ctx)
	steps := &stepPrinter{app: a, view: trace.NewView(run, a.graphs.answer.Topology()), printed: map[*trace.Step]bool{}}
	printed := make(chan string, 1)
	go func() {
		var all strings.Builder
		for item, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, run, 0) {
			if err != nil {
				break
			}
			steps.print(item.Events)
			if !quiet {
				fmt.Fprint(a.env.stdout, item.Text)
			}
			all.WriteString(item.Text)
		}
		printed <- all.String()
	}()
	return func() string {
		stop()
		text := <-printed
		if events, err := a.hub.Events(after, domain.DefaultWorkspace, run, steps.last); err == nil {
			steps.print(events)
		}
		if a.traced == tracedPlainly {
			fmt.Fprintln(a.env.stderr, report.Gist(steps.view))
		}
		return text
	}
}

// printAnswer prints the rest of the answer and its sources.
func (a *app) printAnswer(ctx context.Context, m ledger.Answer, run job.Run, printed string, asJSON bool) error {
	if run.Status != job.Done {
		return domain.Errorf(domain.Unavailable, "The question was not answered: %s", cmp.Or(run.Problem, "it was stopped."))
	}
	if asJSON {
		return a.printJSON(ctx, m)
	}
	cites := func(int) string { return "" }
	switch rest, ok := strings.CutPrefix(m.Text, printed); {
	case ok:
		fmt.Fprintln(a.env.stdout, rest)
	case strings.TrimSpace(printed) == m.Text:
		fmt.Fprintln(a.env.stdout)
	case questions.Unmarked(printed) == questions.Unmarked(m.Text): // the marks were added after it was written
		fmt.Fprintln(a.env.stdout)
		cites = citing(m)
	default:
		fmt.Fprintf(a.env.stdout, "\n\nChecked, the answer is:\n\n%s\n", m.Text)
	}
	facts, err := a.factsOf(ctx, m.Citations)
	if err != nil {
		return err
	}
	for _, c := range m.Citations {
		fmt.Fprintf(a.env.stdout, "  [%d] %s%s%s: “%s”%s\n", c.N, c.Document, pageOf(c), origin(facts[c.DocumentID]), domain.OneLine(c.Text), cites(c.N))
	}
	for _, s := range m.Sentences {
		if !s.Supported && s.Reason != "" {
			fmt.Fprintf(a.env.stdout, "  no passage supports: “%s” (%s)\n", s.Text, s.Reason)
		}
	}
	for _, f := range m.Figures {
		printFigure(a.env.stdout, f)
	}
	view, err := a.viewOf(ctx, m)
	if err != nil {
		return err
	}
	only, err := a.asker().Context(ctx, m, view)
	if err != nil {
		return err
	}
	for _, p := range only {
		fmt.Fprintf(a.env.stdout, "  %s  %s%s: “%s” (%s)\n", p.Grade, p.Document, domain.Where("", p.Page, p.Place), domain.Cut(domain.OneLine(p.Text), maxTraced), p.Reason)
	}
	if cost := a.reports().Total(ctx, view); cost != "" {
		fmt.Fprintf(a.env.stdout, "  %s\n", cost)
	}
	if len(only) > 0 {
		return nil
	}
	return a.printClosest(ctx, m, view)
}

// citing says which sentences of an answer cite a source.
func citing(m ledger.Answer) func(n int) string {
	return func(n int) string {
		var sentences []string
		for i, s := range m.Sentences {
			if slices.Contains(s.Citations, n) {
				sentences = append(sentences, fmt.Sprint(i+1))
			}
		}
		if len(sentences) == 1 {
			return ", for sentence " + sentences[0]
		}
		return ", for sentences " + strings.Join(sentences, ", ")
	}
}

// printClosest prints the passages that came close where a model found no answer.
func (a *app) printClosest(ctx context.Context, m ledger.Answer, view *trace.View) error {
	found := report.FoundFor(m, view)
	if found == nil || found.Quoted && len(found.Words) == 0 || len(found.Closest) == 0 {
		return nil
	}
	sources, err := report.ReadSources(ctx, a.ledger, m.Workspace, found)
	if err != nil {
		return err
	}
	sources.Excerpts(ctx, found, m.Question, m.Citations)
	fmt.Fprintln(a.env.stdout, "Closest:")
	for _, n := range found.Closest {
		fmt.Fprintf(a.env.stdout, "  %s: “%s” (%s)\n", n.Name, n.Sentence(), cmp.Or(n.Reason, n.Said))
	}
	return nil
}

// pageOf says where in its document a citation stands, to be written after the name.
func pageOf(c domain.Citation) string { return domain.Where("", c.Page, c.Place) }

// factsOf returns the facts of the documents that are cited, by their ids.
func (a *app) factsOf(ctx context.Context, citations []domain.Citation) (map[domain.DocumentID]domain.Facts, error) {
	var ids []domain.DocumentID
	for _, c := range citations {
		ids = append(ids, c.DocumentID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	docs, err := a.ledger.DocumentsByID(ctx, domain.DefaultWorkspace, ids)
	facts := make(map[domain.DocumentID]domain.Facts, len(docs))
	for _, d := range docs {
		facts[d.ID] = d.Facts
	}
	return facts, err
}

// origin says who wrote a cited document, when, and where it is, to be written
// after its place.
func origin(f domain.Facts) string {
	var words []string
	for _, w := range []string{facts.Origin(f), f.Link} {
		if w != "" {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// viewOf returns the view of a question's run.
func (a *app) viewOf(ctx context.Context, m ledger.Answer) (*trace.View, error) {
	events, err := a.hub.Events(ctx, m.Workspace, m.Run, 0)
	return trace.Fold(m.Run, a.graphs.answer.Topology(), events), err
}

func (a *app) printJSON(ctx context.Context, m ledger.Answer) error {
	out, err := a.asker().Replied(ctx, m)
	if err != nil {
		return err
	}
	return printJSON(a.env.stdout, out)
}

// asker asks questions for programs.
func (a *app) asker() questions.Asker {
	return questions.Asker{Service: a.questions, Reports: a.reports()}
}
