package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

func documentsOriginalCommand(s env, load func() (config.Config, error)) *cobra.Command {
	to := "-"
	cmd := &cobra.Command{
		Use:   "original DOCUMENT",
		Short: "Write the file of a document as it was added",
		Long: `Write the file of a document, given by name or id, byte for byte as it was added:
to standard output, or with --output to a file.`,
		Example: `  clew documents original minutes.docx -o copy.docx
  clew documents original minutes.docx | sha256sum`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				ids, err := a.documents.Find(cmd.Context(), domain.DefaultWorkspace, args)
				if err != nil {
					return err
				}
				_, file, err := a.documents.Original(cmd.Context(), domain.DefaultWorkspace, ids[0])
				if err != nil {
					return err
				}
				defer file.Close()
				return writeFile(to, s.stdout, func(out io.Writer) error {
					_, err := io.Copy(out, file)
					return err
				})
			})
		},
	}
	cmd.Flags().StringVarP(&to, "output", "o", to, "the file to write; - for standard output")
	return cmd
}
