package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/evaluation"
)

// keptCommands holds the flags that the commands on kept questions and on evaluations share.
type keptCommands struct {
	env  env
	load func() (config.Config, error)
	json bool
	set  string // id or name of a set of questions; "" for the first
}

// all returns the commands on kept questions and on evaluations.
func (k *keptCommands) all() []*cobra.Command {
	return []*cobra.Command{k.list(), k.add(), k.run(), k.history(), k.show(), k.compare(), k.goOn()}
}

// command returns a command that opens the library.
func (k *keptCommands) command(use, short string, args cobra.PositionalArgs, f func(ctx context.Context, a *app, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		return onGraph(cmd.Context(), k.env, k.load, func(a *app) error { return f(cmd.Context(), a, args) })
	}}
}

// printing is like command for one that prints, and knows --json.
func (k *keptCommands) printing(use, short, json string, args cobra.PositionalArgs, f func(ctx context.Context, a *app, args []string) error) *cobra.Command {
	cmd := k.command(use, short, args, f)
	jsonFlag(cmd, &k.json, json)
	return cmd
}

// print writes v as JSON if that is asked for, and as text otherwise.
func (k *keptCommands) print(v any, text func(w io.Writer)) error {
	if k.json {
		return printJSON(k.env.stdout, v)
	}
	table := tabwriter.NewWriter(k.env.stdout, 0, 0, 2, ' ', 0)
	text(table)
	return table.Flush()
}

// ofSet adds the flag that names a set of questions.
func (k *keptCommands) ofSet(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&k.set, "set", "", "name or id of a set of questions; by default the first set")
	return cmd
}

// questions lists the questions of the set.
func (k *keptCommands) questions(ctx context.Context, a *app) ([]evaluation.Kept, error) {
	set, err := a.evaluation.FindSet(ctx, domain.DefaultWorkspace, k.set)
	if err != nil {
		return nil, err
	}
	return a.evaluation.Questions(ctx, domain.DefaultWorkspace, set.ID)
}

func (k *keptCommands) list() *cobra.Command {
	return k.ofSet(k.printing("list", "List the questions of a set", jsonArray, cobra.NoArgs, func(ctx context.Context, a *app, _ []string) error {
		all, err := k.questions(ctx, a)
		if err != nil {
			return err
		}
		missing, err := a.evaluation.Missing(ctx, domain.DefaultWorkspace, all)
		if err != nil {
			return err
		}
		for _, name := range missing {
			fmt.Fprintf(a.env.stderr, "The library has no document %s, which a question expects.\n", name)
		}
		return k.print(all, func(w io.Writer) {
			for _, q := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\n", q.ID, q.Text, expected(q.Question))
			}
		})
	}))
}

// expected describes what is expected of a question's answer.
func expected(q evaluation.Question) string {
	var parts []string
	if len(q.Answers) > 0 {
		parts = append(parts, "says "+strings.Join(q.Answers, " or "))
	}
	if len(q.Sources) > 0 {
		parts = append(parts, "needs "+strings.Join(q.Sources, ", "))
	}
	return cmp.Or(strings.Join(parts, "; "), "is to be refused")
}

func (k *keptCommands) add() *cobra.Command {
	var q evaluation.Question
	cmd := k.command("add QUESTION", "Keep a question, to be asked in evaluations", cobra.ExactArgs(1), func(ctx context.Context, a *app, args []string) error {
		q.Text = args[0]
		return k.keeps(ctx, a, q)
	})
	cmd.Long = `Keep a question with what is expected of its answer. Without an answer and
without a source it is to be refused. A question that is kept already gets what
is expected here.`
	cmd.Example = `  clew eval questions add "Who founded the foundry?" --answer "Maud Ferring" --source foundry.txt`
	cmd.Flags().StringArrayVar(&q.Answers, "answer", nil, "words that make an answer right; can be repeated, and any of them is enough")
	cmd.Flags().StringArrayVar(&q.Sources, "source", nil, "name of a document that is needed; can be repeated")
	return k.ofSet(cmd)
}

func (k *keptCommands) keeps(ctx context.Context, a *app, questions ...evaluation.Question) error {
	taken, err := a.evaluation.KeepIn(ctx, domain.DefaultWorkspace, k.set, questions...)
	if err == nil {
		fmt.Fprintln(a.env.stdout, taken)
	}
	return err
}

func readQuestions(path string) ([]evaluation.Question, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, domain.Because(domain.NotFound, err, "The file %s can't be opened: %v.", path, err)
	}
	defer file.Close()
	return evaluation.Read(file)
}

func (k *keptCommands) run() *cobra.Command {
	var method string
	var loops, passages, together, order int
	var steps bool
	chosen := evaluation.Choice{}
	cmd := k.printing("run", "Ask all questions of a set under a setting", jsonObject+" with the score and the replies", cobra.NoArgs, nil)
	cmd.Long = `Ask all questions of a set, one after another, and say how they were answered.
An answer is right when it contains one of the expected answers, or, where none
is expected, when it cites all expected documents; with some of them it is half
right. The questions are asked in this
process. When it ends before they do, clew serve and clew work ask the rest, as
does clew eval questions go-on. The result stays: see history, show and compare.`
	cmd.Example = `  clew eval questions run
  clew eval questions run --set Bridges --rerank 20 --decompose
  clew eval questions run --method words --passages 4 --json | jq .score.right`
	k.ofSet(cmd)
	cmd.Flags().StringVar(&method, "method", "", "search by words, vectors, hybrid or walk instead of the default")
	cmd.Flags().StringVar(&chosen.Model, "model", "", "answer with another model of the settings, or with builtin")
	cmd.Flags().IntVar(&loops, "loops", 0, "maximum number of rewrites, instead of MAX_LOOPS")
	cmd.Flags().IntVar(&passages, "passages", 0, "number of passages of each search to grade, instead of PASSAGES")
	cmd.Flags().IntVar(&together, "grade-many", 0, "number of passages a model grades in one call, instead of GRADE_MANY")
	cmd.Flags().IntVar(&order, "rerank", 0, "number of first passages a model puts in order, instead of RERANK")
	cmd.Flags().BoolVar(&steps, "decompose", false, "whether a model may split a question, instead of DECOMPOSE")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		chosen.Method = domain.MethodName(method)
		for _, f := range []struct {
			name string
			from *int
			into **int
		}{{"loops", &loops, &chosen.MaxLoops}, {"passages", &passages, &chosen.Passages}, {"grade-many", &together, &chosen.GradeMany}, {"rerank", &order, &chosen.Rerank}} {
			if cmd.Flags().Changed(f.name) {
				*f.into = f.from
			}
		}
		if cmd.Flags().Changed("decompose") {
			chosen.Decompose = &steps
		}
		return onGraph(cmd.Context(), k.env, k.load, func(a *app) error {
			return k.asks(cmd.Context(), a, func(ctx context.Context) (domain.EvaluationID, error) {
				set, err := a.evaluation.FindSet(ctx, domain.DefaultWorkspace, k.set)
				if err != nil {
					return "", err
				}
				e, err := a.evaluation.Start(ctx, domain.DefaultWorkspace, set.ID, a.evaluation.Usually(chosen))
				return e.ID, err
			})
		})
	}
	return cmd
}

func (k *keptCommands) goOn() *cobra.Command {
	return k.printing("go-on ID", "Ask what an evaluation has not asked", jsonObject+" with the score and the replies", cobra.ExactArgs(1), func(ctx context.Context, a *app, args []string) error {
		id := domain.EvaluationID(args[0])
		return k.asks(ctx, a, func(ctx context.Context) (domain.EvaluationID, error) {
			return id, a.evaluation.GoOn(ctx, domain.DefaultWorkspace, id)
		})
	})
}

// asks asks the questions of an evaluation in this process and prints how they were
// answered.
func (k *keptCommands) asks(ctx context.Context, a *app, begin func(context.Context) (domain.EvaluationID, error)) (err error) {
	worker := a.worker(map[string]int{evaluation.Kind: 1})
	if err := worker.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	id, err := begin(ctx)
	if err != nil {
		return err
	}
	for asked := -1; ; {
		e, err := a.evaluation.Result(ctx, domain.DefaultWorkspace, id)
		if err != nil {
			return err
		}
		if e.Score.Questions != asked {
			asked = e.Score.Questions
			fmt.Fprintf(a.env.stderr, "%s: %d of %d\n", id, asked, len(e.Score.Replies))
		}
		if !e.Working() {
			return k.prints(ctx, a, e)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
	}
}

// lookAgain is how often a command looks how far an evaluation is.
const lookAgain = 100 * time.Millisecond

func (k *keptCommands) prints(ctx context.Context, a *app, e evaluation.Evaluation) error {
	return k.print(e, func(w io.Writer) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.ID, e.CreatedAt.Format(time.DateTime), e.Status, e.Setting)
		for _, r := range e.Score.Replies {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", r.N, r.Says(), r.Text, cmp.Or(r.Problem, string(r.Run)))
		}
		fmt.Fprintln(w, a.scored(ctx, e.Score))
	})
}

// scored says a score in a line.
func (a *app) scored(ctx context.Context, s evaluation.Score) string {
	line := fmt.Sprintf("recall@5 %.2f, right %d of %d, half %d, wrong %d, refused %d, refused rightly %d of %d", s.Recall, s.Right, s.Known(), s.Half, s.Wrong, s.Refused, s.RefusedRightly, s.ToRefuse)
	if s.Found+s.NotFound > 0 {
		line += fmt.Sprintf(", found %d, not found %d", s.Found, s.NotFound)
	}
	if s.ByHand > 0 {
		line += fmt.Sprintf(", %d by hand", s.ByHand)
	}
	if s.Failed > 0 {
		line += fmt.Sprintf(", failed %d", s.Failed)
	}
	cost := "cost unknown"
	if !s.Unpriced {
		cost = s.Cost.In(a.currency(ctx))
	}
	return line + fmt.Sprintf("; %s, %d tokens, %d ms (p50), %d ms (p95)", cost, s.Tokens, s.P50, s.P95)
}

// currency returns the currency of prices, "" where they can't be read.
func (a *app) currency(ctx context.Context) string {
	t, _ := a.costs.Prices.Table(ctx)
	return t.Currency
}

func (k *keptCommands) history() *cobra.Command {
	return k.ofSet(k.printing("history", "List the evaluations of a set, newest first, with what changed from one to the next", jsonArray, cobra.NoArgs, func(ctx context.Context, a *app, _ []string) error {
		set, err := a.evaluation.FindSet(ctx, domain.DefaultWorkspace, k.set)
		if err != nil {
			return err
		}
		all, err := a.evaluation.History(ctx, domain.DefaultWorkspace)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(e evaluation.Evaluation) bool { return e.Set != set.ID })
		return k.print(all, func(w io.Writer) {
			for i, e := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.ID, e.CreatedAt.Format(time.DateTime), e.Status, e.Setting)
				if e.Status != ledger.EvaluationWorking {
					fmt.Fprintln(w, "  "+a.scored(ctx, e.Score))
				}
				if i+1 < len(all) {
					fmt.Fprintln(w, "  changed: "+differences(all[i+1].Differences(e)))
				}
			}
		})
	}))
}

func differences(list []evaluation.Difference) string {
	said := make([]string, len(list))
	for i, d := range list {
		said[i] = d.String()
	}
	return cmp.Or(strings.Join(said, ", "), "nothing")
}

func (k *keptCommands) show() *cobra.Command {
	return k.printing("show ID", "Show an evaluation with its replies", jsonObject, cobra.ExactArgs(1), func(ctx context.Context, a *app, args []string) error {
		e, err := a.evaluation.Result(ctx, domain.DefaultWorkspace, domain.EvaluationID(args[0]))
		if err != nil {
			return err
		}
		return k.prints(ctx, a, e)
	})
}

func (k *keptCommands) compare() *cobra.Command {
	return k.printing("compare A B", "Set two evaluations side by side, over the questions of both", jsonObject, cobra.ExactArgs(2), func(ctx context.Context, a *app, args []string) error {
		sides := make([]evaluation.Evaluation, len(args))
		for i, id := range args {
			var err error
			if sides[i], err = a.evaluation.Result(ctx, domain.DefaultWorkspace, domain.EvaluationID(id)); err != nil {
				return err
			}
		}
		c := evaluation.Compare(sides[0], sides[1])
		return k.print(c, func(w io.Writer) {
			fmt.Fprintln(w, c.Says(a.currency(ctx)))
			fmt.Fprintln(w, "A: "+c.A.Setting.String()+"; "+a.scored(ctx, c.A.Score))
			fmt.Fprintln(w, "B: "+c.B.Setting.String()+"; "+a.scored(ctx, c.B.Score))
			fmt.Fprintln(w, "differs: "+differences(c.Differs))
			for _, p := range c.Pairs {
				if p.A.Verdict != p.B.Verdict {
					fmt.Fprintf(w, "%s\t%s\tA: %s (%s)\tB: %s (%s)\n", p.Change, p.Text, p.A.Says(), p.A.Run, p.B.Says(), p.B.Run)
				}
			}
		})
	})
}
