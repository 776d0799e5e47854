package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/bench/measure"
	"github.com/clewhq/clew/internal/domain"
)

func chunkingCommand(s env) *cobra.Command {
	var asJSON, heldOut bool
	var by, tokens string
	cmd := &cobra.Command{
		Use:   "chunking DIR",
		Short: "Measure what is found when documents are cut in one way",
		Long: `Ingest the files that DIR names into a temporary library, cut as --chunk and
--chunk-tokens say, and search for its questions without a model. Report how often
the expected words stand in the first five passages, and in the first 640 and 1,280
tokens of passages, which compares chunks of different lengths by what a model would
be given. DIR is like that of eval answers with files.`,
		Example: "  go run ./eval chunking --chunk headings --chunk-tokens 128 measure/testdata/answers",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			half := measure.Tuned
			if heldOut {
				half = measure.HeldOut
			}
			how, err := domain.ParseChunking(by, tokens, "")
			if err != nil {
				return err
			}
			return measure.Temporary(cmd.Context(), s.now, func(p measure.Params) error {
				score, err := measure.Chunking(cmd.Context(), p, args[0], half, how)
				if err != nil {
					return err
				}
				return s.printChunking(score, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&heldOut, "held-out", false, "take the half of the questions on which nothing was tried")
	cmd.Flags().StringVar(&by, "chunk", "", "what chunks end at: headings, sentences, tokens or parts; by default the format decides")
	cmd.Flags().StringVar(&tokens, "chunk-tokens", "", "maximum number of tokens in a chunk, from 32 to 4096; by default CHUNK_TOKENS")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (s env) printChunking(x measure.ChunkingScore, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, x)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "documents\tchunks\tmean\tquestions\tfirst 5\tfirst 640 tokens\tfirst 1,280 tokens\tMRR\t")
	fmt.Fprintf(w, "%d\t%d\t%.0f\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.3f\t\n", x.Documents, x.Chunks, x.Mean, x.Questions, 100*x.First5, 100*x.First640, 100*x.First1280, x.MRR)
	return w.Flush()
}
