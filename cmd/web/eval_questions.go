package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions/evaluation"
)

func evalCommand(s env, load func() (config.Config, error)) *cobra.Command {
	cmd := &cobra.Command{Use: "eval", Short: "Measure how questions of your own are answered"}
	cmd.AddCommand(evalQuestionsCommand(s, load))
	return cmd
}

func evalQuestionsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	var methods, within []string
	cmd := &cobra.Command{
		Use:   "questions FILE.csv",
		Short: "Ask your own questions of your library, by one or more ways of searching",
		Long: `Ask the questions of a CSV file of your library, once for each way of searching,
and say how many were answered rightly, wrongly, or refused, whether the needed
documents were found, how long it took and how many tokens it used. With two
ways it lists the questions on which they differ.

The first line names the columns: question, sources, answers. Sources are names of
documents and answers the words that make an answer right, with semicolons between
several. A question without both is to be refused. Models are asked and paid as for
any question.

The commands below keep questions in the library, ask them in evaluations that
stay, and compare these. The page Evaluation shows the same.`,
		Example: `  clew eval questions mine.csv
  clew eval questions --method words --method default --json mine.csv | jq '.[].right'
  clew eval questions import mine.csv
  clew eval questions run`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i, m := range methods {
				if m == "default" {
					methods[i] = ""
				}
				if _, err := domain.FindMethod(methods[i]); err != nil {
					return err
				}
			}
			questions, err := readQuestions(args[0])
			if err != nil {
				return err
			}
			return onGraph(cmd.Context(), s, load, func(ctx context.Context, a *app) error {
				scores, err := a.evaluate(ctx, questions, methods, within)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.stdout, scores)
				}
				return s.printEvaluation(scores)
			})
		},
	}
	cmd.Flags().StringArrayVar(&methods, "method", []string{"default"}, "search by default, words, vectors, hybrid or walk; can be repeated")
	cmd.Flags().StringArrayVar(&within, "within", nil, withinHelp)
	jsonFlag(cmd, &asJSON, jsonArray+" of the ways of searching, each with its replies")
	return here(cmd, "it asks in this process and keeps nothing. On a server, keep the questions (clew eval questions import) and ask them there (clew eval questions run).")
}

func readQuestions(path string) ([]evaluation.Question, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, domain.Because(domain.NotFound, err, "The file %s can't be opened: %v.", path, err)
	}
	defer file.Close()
	return evaluation.Read(file)
}

// evaluate asks questions once for each way of searching.
func (a *app) evaluate(ctx context.Context, questions []evaluation.Question, methods, within []string) ([]evaluation.Score, error) {
	scope, err := a.questions.Scope(ctx, domain.WorkspaceOf(ctx), within)
	if err != nil {
		return nil, err
	}
	documents, err := a.questions.Within(ctx, domain.WorkspaceOf(ctx), scope)
	if err != nil {
		return nil, err
	}
	pin, err := a.prompts.Pin(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return nil, err
	}
	scores := []evaluation.Score{}
	for _, m := range methods {
		method := domain.MethodName(m)
		replies, err := evaluation.Ask(ctx, evaluation.Params{Graph: a.graphs.answer, Begin: answer.Begin{
			Workspace: domain.WorkspaceOf(ctx), MaxLoops: a.cfg.MaxLoops, MinRelevant: a.cfg.MinRelevant, Prompts: pin, Method: method, Scope: scope, Within: documents,
		}, Asked: func(n int) { fmt.Fprintf(a.env.stderr, "%s: %d of %d\n", cmp.Or(m, "default"), n, len(questions)) }}, questions)
		if err != nil {
			return nil, err
		}
		score := evaluation.Sum(replies)
		score.Method, score.Replies = method, replies
		scores = append(scores, score)
	}
	return scores, nil
}

func (s env) printEvaluation(scores []evaluation.Score) error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\tquestions\trecall@5\tright\tfound\thalf\twrong\tnot found\trefused\trefused rightly\tms (p50)\tms (p95)\ttokens\t")
	for _, x := range scores {
		fmt.Fprintf(w, "%s\t%d\t%.2f\t%d\t%d\t%d\t%d\t%d\t%d\t%d of %d\t%d\t%d\t%d\t\n", cmp.Or(x.Method, "default"), x.Questions, x.Recall, x.Right, x.Found, x.Half, x.Wrong, x.NotFound, x.Refused, x.RefusedRightly, x.ToRefuse, x.P50, x.P95, x.Tokens)
	}
	if err := w.Flush(); err != nil || len(scores) != 2 {
		return err
	}
	for i, left := range scores[0].Replies {
		if right := scores[1].Replies[i]; left.Verdict != right.Verdict {
			fmt.Fprintf(s.stdout, "%s\n  %s: %s\n  %s: %s\n", left.Text, cmp.Or(scores[0].Method, "default"), left.Verdict, cmp.Or(scores[1].Method, "default"), right.Verdict)
		}
	}
	return nil
}

// withinHelp describes the flag --within.
const withinHelp = "ask only documents matching tag:NAME, doc:NAME (or its id), from:2024-01-31 or to:2024-12-31 (day added), lang:de, source:web, author:NAME, published:2024 or published:2024-05..2025, field:status=final or field:year>=2020; several terms of a kind widen it"
