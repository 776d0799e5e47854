package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/eval"
)

func evalChunkingCommand(s env) *cobra.Command {
	var asJSON, heldOut bool
	cmd := &cobra.Command{
		Use:   "chunking DIR",
		Short: "Compare the ways to cut documents into chunks",
		Long: `Ingest the files that DIR names into temporary libraries, cut by their formats,
headings, sentences and tokens into chunks of 128, 256 and 512 tokens, and search
for its questions without a model. Report how often the expected words stand in
the first five passages, and in the first 640 and 1,280 tokens of passages, which
compares chunks of different lengths by what a model would be given. DIR is like
that of eval answers with files.`,
		Example: "  GOMODCACHE=$(go env GOMODCACHE) clew eval chunking internal/eval/testdata/answers",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			half := eval.Tuned
			if heldOut {
				half = eval.HeldOut
			}
			var scores []eval.ChunkingScore
			for _, by := range []domain.ChunkBy{domain.ByFormat, domain.ByHeadings, domain.BySentences, domain.ByTokens} {
				for _, tokens := range []int{128, 256, 512} {
					err := s.inTemporary(cmd.Context(), func(_ *app, p eval.Params) error {
						score, err := eval.Chunking(cmd.Context(), p, args[0], half, domain.Chunking{By: by, Tokens: tokens})
						scores = append(scores, score)
						return err
					})
					if err != nil {
						return err
					}
				}
			}
			return s.printChunkings(scores, asJSON)
		},
	}
	cmd.Flags().BoolVar(&heldOut, "held-out", false, "take the half of the questions on which nothing was tried")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

func (s env) printChunkings(scores []eval.ChunkingScore, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, scores)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "by\ttokens\tdocuments\tchunks\tmean\tquestions\tfirst 5\tfirst 640 tokens\tfirst 1,280 tokens\tMRR\t")
	for _, x := range scores {
		by := string(x.By)
		if by == "" {
			by = "format"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.0f\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.3f\t\n", by, x.Tokens, x.Documents, x.Chunks, x.Mean, x.Questions, 100*x.First5, 100*x.First640, 100*x.First1280, x.MRR)
	}
	return w.Flush()
}
