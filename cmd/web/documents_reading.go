package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// readingNow is what clew documents reading --json prints.
type readingNow struct {
	ledger.Reading
	LeastSeconds *int `json:"least_seconds,omitempty"` // until everything is read; none while nobody can tell
	MostSeconds  *int `json:"most_seconds,omitempty"`

	Rereadings []ledger.Rereading `json:"rereadings,omitempty"` // that have not ended
}

func documentsReadingCommand(s env, load func() (config.Config, error)) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "reading",
		Short: "Say how far reading has come, how fast it goes and how long it takes",
		Long: `Say how many documents wait or are being read, how many of their passages are
read, how many that is a second, and between which times everything will be
read. What is paused is counted apart.`,
		Example: `  clew documents reading
  clew documents reading --json | jq .most_seconds`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				r, err := a.documents.Progress(cmd.Context(), domain.DefaultWorkspace)
				if err != nil {
					return err
				}
				again, err := a.ledger.Rereadings(cmd.Context(), domain.DefaultWorkspace)
				if err != nil {
					return err
				}
				if asJSON {
					shown := readingNow{Reading: r.Reading, Rereadings: again}
					if least, most, known := r.Left(); known {
						shown.LeastSeconds, shown.MostSeconds = new(int(least.Seconds())), new(int(most.Seconds()))
					}
					return printJSON(s.stdout, shown)
				}
				for _, g := range again {
					fmt.Fprintf(s.stdout, "Reading %s again: %s read, %s failed, %s not begun.\n",
						domain.Counted(g.Documents, "document", "documents"), domain.Thousands(g.Read), domain.Thousands(g.Failed), domain.Thousands(g.Unbegun))
				}
				_, err = fmt.Fprintf(s.stdout, "%s wait or are being read, %s paused, %s at a cap. %s\n",
					domain.Counted(r.Documents, "document", "documents"), domain.Thousands(r.Paused), domain.Thousands(r.AtCap), r)
				return err
			})
		},
	}
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

// documentsTurnCommand returns a command that does something with documents that wait or are being read.
func documentsTurnCommand(s env, load func() (config.Config, error), turn documents.Turn, did, short, example string) *cobra.Command {
	var ch chosenDocuments
	asJSON := false
	cmd := &cobra.Command{
		Use: string(turn) + " [DOCUMENT…]", Short: short, Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				q, err := a.chosen(cmd.Context(), ch, args)
				if err != nil {
					return err
				}
				n, err := a.documents.Turn(cmd.Context(), domain.DefaultWorkspace, q, turn)
				if err != nil {
					return err
				}
				return a.printChanged(n, did, asJSON)
			})
		},
	}
	ch.flags(cmd)
	jsonFlag(cmd, &asJSON, jsonObject)
	return cmd
}

func documentsTurnCommands(s env, load func() (config.Config, error)) []*cobra.Command {
	return []*cobra.Command{
		documentsTurnCommand(s, load, documents.PauseThem, "Paused", "Let documents that wait to be read begin only after clew documents go-on", "  clew documents pause --tag inbox"),
		documentsTurnCommand(s, load, documents.GoOnThem, "Going on with", "Let paused documents be read", "  clew documents go-on --state paused"),
		documentsTurnCommand(s, load, documents.ReadFirst, "First are", "Read documents that wait before all others", "  clew documents first minutes.docx"),
		documentsTurnCommand(s, load, documents.StopThem, "Stopped", "Stop reading documents; what was read of them stays", "  clew documents stop --state working"),
	}
}
