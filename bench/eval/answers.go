package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/bench/measure"
	"github.com/clewhq/clew/internal/config"
)

func answersCommand(s env) *cobra.Command {
	var asJSON, heldOut, embed bool
	var explain int
	cmd := &cobra.Command{
		Use:   "answers DIR",
		Short: "Measure the answers given without a chat model",
		Long: `Ingest the passages in DIR into a temporary library and answer its questions
without a chat model. Report how many questions are answered, how many answers
contain the expected words, how many cite the needed passages, and how many
questions are still answered when the needed passages are hidden.

DIR contains the same files as for eval retrieval; its questions also have
{answer, aliases}. If DIR contains documents.jsonl {name, kind, path, sha256}
instead, these files are read, and the questions in questions.jsonl {id, kind,
question, source, verdict, any} are counted by kind: what is expected is in the
sentence quoted first, in one after it or in none, or nothing was near. Paths may contain environment variables. Files that
are absent or have changed are left out with their questions, and named. A hash
divides the questions into halves. The rules were tuned on one; --held-out takes
the other.

Of questions with an expected text it also reports how often a passage with that
text is among the first three and five, and how often the nearest sentence of the
first passage has it, for each way of ordering passages: words, vectors, default
(what a question is answered from), and all passages of the library by the vector of
their best sentence, without and with words. Nothing near counts the questions of
which no sentence of the first eight passages comes near.

With --embed, the embedding model of the settings takes part in searching. Its
vectors are kept in the library of the settings for the next time.`,
		Example: "  go run ./eval answers --json ../../shared/data/multihop/hotpotqa | jq .replies\n" +
			"  GOMODCACHE=$(go env GOMODCACHE) go run ./eval answers --explain 5 measure/testdata/answers",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			defaults, err := config.Load(nil)
			if err != nil {
				return err
			}
			return measure.Temporary(cmd.Context(), s.now, func(p measure.Params) (err error) {
				params := measure.AnswerParams{Params: p, Library: p.Stores.Graph, Roles: builtIn(p, nil), MaxLoops: defaults.MaxLoops}
				if embed {
					end, err := s.withVectors(cmd.Context(), &params)
					if err != nil {
						return err
					}
					defer func() { err = errors.Join(err, end()) }()
				}
				if measure.AsksFiles(args[0]) {
					half := measure.Tuned
					if heldOut {
						half = measure.HeldOut
					}
					score, err := measure.FileAnswers(cmd.Context(), params, args[0], half)
					if err != nil {
						return err
					}
					return s.printFileAnswers(score, explain, asJSON)
				}
				score, err := measure.Answers(cmd.Context(), params, args[0])
				if err != nil {
					return err
				}
				return s.printAnswers(score, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&heldOut, "held-out", false, "of questions about files, take the half on which nothing was tried")
	cmd.Flags().BoolVar(&embed, "embed", false, "embed what is read and asked with the embedding model of the settings")
	cmd.Flags().IntVar(&explain, "explain", 0, "also print `N` questions about files that were not answered rightly, with the replies")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printFileAnswers prints how questions about files were answered, and explain
// of those that were not answered rightly.
func (s env) printFileAnswers(x measure.FileScore, explain int, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, x)
	}
	for _, m := range x.Missing {
		fmt.Fprintln(s.stdout, m)
	}
	if len(x.Missing) > 0 {
		fmt.Fprintf(s.stdout, "%d questions need these files and were skipped.\n\n", x.Skipped)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	verdicts := slices.DeleteFunc(measure.FileVerdicts(), func(v measure.FileVerdict) bool {
		return !slices.ContainsFunc(x.Kinds, func(k measure.FileKind) bool { return k.Verdicts[v] > 0 })
	})
	fmt.Fprint(w, "kind\tquestions\t")
	for _, v := range verdicts {
		fmt.Fprintf(w, "%s\t", v)
	}
	fmt.Fprintln(w)
	for _, k := range x.Kinds {
		fmt.Fprintf(w, "%s\t%d\t", k.Kind, k.Questions)
		for _, v := range verdicts {
			fmt.Fprintf(w, "%d\t", k.Verdicts[v])
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout)
	fmt.Fprintln(w, "order\tquestions\tamong three\tamong five\tmarked\tMRR\tnothing near\tunanswerable\tnothing near\t")
	for _, o := range x.Orders {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.3f\t%d\t%d\t%d\t\n", o.Order, o.Questions, o.Three, o.Five, o.Marked, o.MRR, o.Lost, o.Unanswerable, o.Far)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range x.Replies {
		if explain == 0 {
			break
		}
		if r.Judged == measure.Wrong || r.Judged == measure.FalselyRefused || r.Judged == measure.NotShown {
			explain--
			fmt.Fprintf(s.stdout, "\n%s (%s)\n  expected  %s\n  replied   %s\n  from      %s\n", r.Text, r.Judged,
				strings.Join(append([]string{r.Verdict}, r.Expected...), " | "), r.Reply.Answer, strings.Join(r.Reply.Cited, ", "))
		}
	}
	return nil
}

func (s env) printAnswers(x measure.AnswerScore, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, x)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "folder\tquestions\tanswered\tyes/no\tright\tcites gold\tcites all gold\tright or all\tgold hidden\tms (p50)\t")
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\t\n",
		x.Folder, x.Questions, x.Answered, x.YesNo, x.Right, x.OneGold, x.AllGold, x.Good, x.Blind, x.P50)
	return w.Flush()
}
