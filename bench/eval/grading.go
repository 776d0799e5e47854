package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/bench/measure"
	"github.com/clewhq/clew/internal/config"
)

// gradings are the outcome of go run ./eval grading.
type gradings struct {
	Model   string                 `json:"model"` // "" is the built-in mode
	Scores  []measure.GradingScore `json:"scores"`
	Cutoffs []measure.Cutoff       `json:"cutoffs"`
}

func gradingCommand(s env) *cobra.Command {
	var asJSON bool
	p := measure.GradingParams{}
	cmd := &cobra.Command{
		Use:   "grading DIR",
		Short: "Compare grading passages one by one and several in one call",
		Long: `Ingest the passages in DIR into a temporary library, search for its questions,
and grade what is found with the configured model, or without one: each passage by
itself, and several in one call (GRADE_MANY). Report how many grades agree with the
passages that a question needs, and the calls, tokens and seconds. Report also what a
bar on the scores (GRADE_ABOVE) saves and loses.

DIR contains the same files as for eval retrieval. Answers of the model are recorded
nowhere, so each run pays for all calls.`,
		Example: "  go run ./eval grading --questions 20 --together 1,4,8 ../../shared/data/multihop/hotpotqa",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			out, err := s.gradings(cmd.Context(), cfg, p, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.stdout, out)
			}
			return s.printGradings(out)
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().IntSliceVar(&p.Together, "together", []int{1, 8}, "passages in one call, one figure for each comparison")
	cmd.Flags().IntVar(&p.Passages, "passages", 8, "passages of each search")
	cmd.Flags().IntVar(&p.Most, "questions", 0, "grade for the first `N` questions only; 0 means all")
	return cmd
}

func (s env) gradings(ctx context.Context, cfg config.Config, p measure.GradingParams, dir string) (out gradings, err error) {
	err = measure.Temporary(ctx, s.now, func(params measure.Params) error {
		p.Params = params
		if p.Roles, out.Model, err = modelsOf(cfg).roles(params); err != nil {
			return err
		}
		out.Scores, out.Cutoffs, err = measure.Grading(ctx, p, dir)
		return err
	})
	return out, err
}

func (s env) printGradings(out gradings) error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "in one call\tquestions\tpassages\tneeded\tkept\trelevant\tright\tungraded\tcalls\ttokens in\tout\ts\t")
	for _, x := range out.Scores {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t\n",
			x.Together, x.Questions, x.Passages, x.Needed, x.Kept, x.Relevant, x.Right, x.Ungraded, x.Calls, x.Input, x.Output, x.Seconds)
	}
	fmt.Fprintln(w, "\nGRADE_ABOVE\tpassages\tgraded\tneeded\tkept\t")
	for _, x := range out.Cutoffs {
		fmt.Fprintf(w, "%.1f\t%d\t%d\t%d\t%d\t\n", x.Above, x.Passages, x.Graded, x.Needed, x.Kept)
	}
	return w.Flush()
}
