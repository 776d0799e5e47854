package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/bench/made"
	"github.com/clewhq/clew/bench/measure"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

func retrievalCommand(s env) *cobra.Command {
	var asJSON bool
	var explain int
	var x retrievalOptions
	cmd := &cobra.Command{
		Use:   "retrieval DIR",
		Short: "Measure the recall of each search method",
		Long: `Ingest the passages in DIR into a temporary library, search for its questions
with every method, and report the share of needed passages among the first two
and the first five results, how early the first of them stands (MRR), and the
time that half and 95 of 100 searches take.

DIR contains passages.jsonl.gz {id, title, text} and questions.jsonl.gz {id,
question, gold: [passage ids]}, and optionally their vectors in passages.f16.npy
and questions.f16.npy. The method builtin is Clew without a model, default is
Clew with these vectors. If DIR contains folders of this kind instead, all their
passages become one library.

With --embed, the embedding model of the settings makes the vectors, for one after
the other of the passages, the questions, and the sentences that DIR lists.

With --triples, what a model once read in the passages, openie.jsonl.gz
{passage, entities, triples: [[subject, relation, object]]}, is the graph, and the
names that rules find lead the walk too, as when a model reads documents. With
--alone they don't.`,
		Example: "  go run ./eval retrieval ../../shared/data/multihop\n  go run ./eval retrieval --explain 10 ../../shared/data/multihop/hotpotqa",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			if explain > 0 {
				return s.explain(cmd.Context(), cfg, args[0], x, explain, asJSON)
			}
			scores, err := s.evaluate(cmd.Context(), cfg, args[0], x)
			if err != nil {
				return err
			}
			return s.printScores(scores, asJSON)
		},
	}
	cmd.Flags().IntVar(&explain, "explain", 0, "print `N` needed passages that were missed and why, instead of the scores")
	cmd.Flags().BoolVar(&x.triples, "triples", false, "add what a model read in the passages")
	cmd.Flags().BoolVar(&x.alone, "alone", false, "with --triples, leave out the names that are found by rule")
	cmd.Flags().BoolVar(&x.embed, "embed", false, "make the vectors with the embedding model of the settings")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// setsCommand lets the benchmarks run where there are no sets.
func setsCommand(s env) *cobra.Command {
	return &cobra.Command{
		Use:   "sets DIR CACHE",
		Short: "Print DIR, or CACHE with a set that is made if DIR holds none",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := made.Sets(args[0], args[1])
			if err == nil {
				fmt.Fprintln(s.stdout, dir)
			}
			return err
		},
	}
}

// retrievalOptions holds the flags of an evaluation of retrieval.
type retrievalOptions struct{ triples, alone, embed bool }

// apply adds to what p mines what a model read in the passages of dir, and to p the
// embedding model.
func (x retrievalOptions) apply(p *measure.Params, cfg config.Config, dir string) (err error) {
	if x.triples {
		if x.alone {
			p.Mine = nil
		}
		if p.Mine, err = measure.WithTriples(dir, p.Mine); err != nil {
			return err
		}
	}
	if !x.embed {
		return nil
	}
	p.Embedder, err = modelsOf(cfg).embedder()
	return err
}

func (s env) evaluate(ctx context.Context, cfg config.Config, dir string, x retrievalOptions) (scores []measure.Score, err error) {
	err = measure.Temporary(ctx, s.now, func(p measure.Params) error {
		if err := x.apply(&p, cfg, dir); err != nil {
			return err
		}
		scores, err = measure.Retrieval(ctx, p, dir)
		return err
	})
	return scores, err
}

// explain prints n needed passages that were missed.
func (s env) explain(ctx context.Context, cfg config.Config, dir string, x retrievalOptions, n int, asJSON bool) error {
	var misses []measure.Miss
	err := measure.Temporary(ctx, s.now, func(p measure.Params) (err error) {
		if err := x.apply(&p, cfg, dir); err != nil {
			return err
		}
		misses, err = measure.Explain(ctx, p, dir, n)
		return err
	})
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(s.stdout, misses)
	}
	if len(misses) == 0 {
		fmt.Fprintln(s.stdout, "Every needed passage is among the first five.")
	}
	for _, m := range misses {
		fmt.Fprintf(s.stdout, "%s\n  needs  %s: %s\n  ranks ", m.Question, m.Title, domain.Cut(m.Text, 160))
		for _, method := range slices.Sorted(maps.Keys(m.Ranks)) {
			if rank := m.Ranks[method]; rank > 0 {
				fmt.Fprintf(s.stdout, " %s %d", method, rank)
			} else {
				fmt.Fprintf(s.stdout, " %s -", method)
			}
		}
		fmt.Fprintf(s.stdout, "\n  from   %s\n  found  %s\n\n", m.Started, strings.Join(m.Before, "; "))
	}
	return nil
}

func (s env) printScores(scores []measure.Score, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, scores)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "folder\tmethod\tquestions\trecall@2\trecall@5\tMRR\tms (p50)\tms (p95)\t")
	for _, x := range scores {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.1f\t%.1f\t%.3f\t%.1f\t%.1f\t\n",
			x.Folder, x.Method, x.Questions, 100*x.Recall2, 100*x.Recall5, x.MRR, x.P50, x.P95)
	}
	return w.Flush()
}
