package main

import (
	"bytes"
	"os"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

func runExportCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var texts bool
	cmd := &cobra.Command{
		Use:   "export ID FILE",
		Short: "Write a run to a file",
		Long: `Write a run that has ended to a file of JSON, to keep it, or to send it along with
a report of a problem: its graph, events and states, the keys of recorded calls,
names of documents, the question and the answer. With --with-text also the texts of
its passages and what models answered. FILE may be - for standard output.`,
		Example: "  clew run export run0123456789abcdef0123 bells.clewrun.json",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				var file bytes.Buffer
				if err := a.runFiles.Export(cmd.Context(), a.kinds(), domain.DefaultWorkspace, domain.RunID(args[0]), texts, &file); err != nil {
					return err
				}
				if args[1] == "-" {
					_, err := s.stdout.Write(file.Bytes())
					return err
				}
				if err := os.WriteFile(args[1], file.Bytes(), 0o600); err != nil {
					return domain.Because(domain.Invalid, err, "The file can't be written: %v.", err)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&texts, "with-text", false, "include the texts of the passages and the answers of models")
	return cmd
}
