package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/bench/measure"
	"github.com/clewhq/clew/internal/builtin"
)

func resolutionCommand(s env) *cobra.Command {
	var asJSON, verbose, heldOut bool
	cmd := &cobra.Command{
		Use:   "resolution DIR",
		Short: "Measure how well entities that are the same are found",
		Long: `Make entities of the titles of the passages in DIR and of the names in them, add
other names of the same things (with typos, initials, acronyms and so on) and
names of other things nearly called so, and compare all of them. Report the
precision of the merges by rule, and the recall of these with the proposals.

DIR contains passages.jsonl.gz {id, title, text}, or folders with one. A hash
divides the titles into halves. The rules were tried on one; --held-out takes the
other.`,
		Example: "  go run ./eval resolution --held-out ../../shared/data/multihop",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			half := measure.Tuned
			if heldOut {
				half = measure.HeldOut
			}
			score, err := measure.Resolution(new(builtin.Miner).Mine, args[0], half, measure.Bars{Propose: cfg.ProposeBar, Merge: cfg.MergeBar}, s.now)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.stdout, score)
			}
			return printResolution(s.stdout, score, verbose)
		},
	}
	cmd.Flags().BoolVar(&heldOut, "held-out", false, "take the half on which nothing was tried")
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&verbose, "verbose", false, "also print what was missed and what was wrong")
	return cmd
}

func printResolution(out io.Writer, x measure.ResolutionScore, verbose bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s, %s\tpairs\tmerged\tproposed\tneither\t\n", x.Folder, x.Half)
	for _, k := range x.Kinds {
		name := k.Kind
		if !k.Same {
			name = "apart: " + name
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", name, k.Pairs, k.Merged, k.Queued, k.Pairs-k.Merged-k.Queued)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "By rule: precision %.3f, recall %.3f. With the proposals: recall %.3f, precision of the proposals %.3f. %d entities in %.1f s.\n",
		x.Precision, x.RuleRecall, x.Recall, x.QueuePrecision, x.Entities, x.Seconds)
	if !verbose {
		return nil
	}
	for _, line := range x.Wrong {
		fmt.Fprintln(out, "wrong:", line)
	}
	for _, line := range x.Missed {
		fmt.Fprintln(out, "missed:", line)
	}
	return nil
}
