package main

import (
	"bytes"
	"fmt"
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
		Long: `Write a run that has ended to a file, which clew run import or the page Runs of
another installation opens: its graph, events and states, the keys of recorded
calls, names of documents, the question and the answer. With --with-text also the
texts of its passages and what models answered. FILE may be - for standard output.`,
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
	cmd.Flags().BoolVar(&texts, "with-text", false, "with the texts of the passages and what models answered")
	return cmd
}

func runImportCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Open a run from a file, to be looked at",
		Long: `Open a run that clew run export wrote, here or elsewhere. It is listed among the
runs and has a page with all its steps; nothing of it is carried out, and no
document is added. FILE may be - for standard input. The command prints its new id.`,
		Example: "  clew run import bells.clewrun.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from := s.stdin
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return domain.Because(domain.Invalid, err, "The file can't be read: %v.", err)
				}
				defer file.Close()
				from = file
			}
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				r, err := a.runFiles.Import(cmd.Context(), domain.DefaultWorkspace, from)
				switch {
				case err != nil:
					return err
				case asJSON:
					return printJSON(s.stdout, struct {
						ID domain.RunID `json:"id"`
					}{r.ID})
				}
				_, err = fmt.Fprintln(s.stdout, r.ID)
				return err
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}
