package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/eval"
)

func evalChunkingCommand(s env) *cobra.Command {
	var asJSON, heldOut bool
	var chunks documents.Cutting
	cmd := &cobra.Command{
		Use:   "chunking DIR",
		Short: "Measure what is found when documents are cut in one way",
		Long: `Ingest the files that DIR names into a temporary library, cut as --chunk and
--chunk-tokens say, and search for its questions without a model. Report how often
the expected words stand in the first five passages, and in the first 640 and 1,280
tokens of passages, which compares chunks of different lengths by what a model would
be given. DIR is like that of eval answers with files.`,
		Example: "  clew eval chunking --chunk headings --chunk-tokens 128 internal/eval/testdata/answers",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			half := eval.Tuned
			if heldOut {
				half = eval.HeldOut
			}
			how, err := chunks.Chunking()
			if err != nil {
				return err
			}
			return s.inTemporary(cmd.Context(), func(_ *app, p eval.Params) error {
				score, err := eval.Chunking(cmd.Context(), p, args[0], half, how)
				if err != nil {
					return err
				}
				return s.printChunking(score, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&heldOut, "held-out", false, "take the half of the questions on which nothing was tried")
	flagsOf(cmd, &chunks)
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func (s env) printChunking(x eval.ChunkingScore, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, x)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "documents\tchunks\tmean\tquestions\tfirst 5\tfirst 640 tokens\tfirst 1,280 tokens\tMRR\t")
	fmt.Fprintf(w, "%d\t%d\t%.0f\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.3f\t\n", x.Documents, x.Chunks, x.Mean, x.Questions, 100*x.First5, 100*x.First640, 100*x.First1280, x.MRR)
	return w.Flush()
}
