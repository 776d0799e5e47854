package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/bench/measure"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/mine/extract"
)

func extractionCommand(s env) *cobra.Command {
	var asJSON, verbose bool
	var passages string
	cmd := &cobra.Command{
		Use:   "extraction DIR",
		Short: "Measure the entities and relations extracted",
		Long: `Extract the passages in DIR with the configured model, or without one, and
compare the result with labels: precision, recall and F1 of the entities, with
and without their labels, and of the relations, each with its sentence.

DIR contains labels.jsonl, described in docs/testing.md. Texts that the labels
only refer to are read from the folder given with --passages.`,
		Example: "  go run ./eval extraction --verbose measure/testdata/extraction/passages-tuned",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			labelled, err := measure.LoadLabelled(args[0], passages)
			if err != nil {
				return err
			}
			score, err := s.extraction(cmd.Context(), cfg, labelled)
			if err != nil {
				return err
			}
			score.Folder = filepath.Base(args[0])
			if asJSON {
				return printJSON(s.stdout, score)
			}
			return printExtraction(s.stdout, score, verbose)
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&verbose, "verbose", false, "also print the figures of each label and type, what was missed and what was false")
	cmd.Flags().StringVar(&passages, "passages", filepath.Join("..", "..", "shared", "data", "multihop"), "folder of the sets that the labels refer to")
	return cmd
}

// extraction measures the configured extractor with a temporary ledger.
func (s env) extraction(ctx context.Context, cfg config.Config, labelled []measure.Labelled) (score measure.ExtractionScore, err error) {
	err = measure.Temporary(ctx, s.now, func(p measure.Params) error {
		extractor, err := modelsOf(cfg).extractor(p.Stores.Ledger)
		if err != nil {
			return err
		}
		score, err = measure.Extraction(ctx, extractor, labelled)
		score.Reader = extractor.Reader(extract.Guide{})
		return err
	})
	return score, err
}

func printExtraction(out io.Writer, x measure.ExtractionScore, verbose bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, r measure.Rates) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t\n", name, r.Right, r.False, r.Missed, r.Precision, r.Recall, r.F1)
	}
	fmt.Fprintf(w, "%s, %d passages\tright\tfalse\tmissed\tprecision\trecall\tF1\t\n", x.Folder, x.Passages)
	row("names", x.Names)
	row("entities", x.Entities)
	row("relations", x.Relations)
	if verbose {
		for _, name := range measure.Sorted(x.ByLabel) {
			row(name, *x.ByLabel[name])
		}
		for _, name := range measure.Sorted(x.ByType) {
			row(name, *x.ByType[name])
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%.0f %% of the entities have no label; %.0f %% of the labels are right; %.0f %% of the relations show the right sentence. Read by %s.\n",
		100*x.Unlabelled, 100*x.LabelPrecision, 100*x.Sentences, x.Reader)
	if !verbose {
		return nil
	}
	for _, line := range x.Missed {
		fmt.Fprintln(out, "missed:", line)
	}
	for _, line := range x.False {
		fmt.Fprintln(out, "false:", line)
	}
	return nil
}
