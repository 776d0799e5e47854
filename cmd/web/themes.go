package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/themes"
)

// themeLine is a theme as clew themes --json prints it.
type themeLine struct {
	Names     []string        `json:"names"`
	Entities  int             `json:"entities"`
	Documents int             `json:"documents"`
	Lead      domain.EntityID `json:"lead"`   // its heaviest entity
	Summed    bool            `json:"summed"` // by a model
	Says      []themeSentence `json:"says"`
}

// themeSentence is a sentence that stands for a theme. Text is the stored text from
// Start to End, without line breaks; of a theme that is summed up it is the model's,
// drawn from there.
type themeSentence struct {
	Text       string            `json:"text"`
	Document   string            `json:"document"`
	DocumentID domain.DocumentID `json:"document_id"`
	Page       int               `json:"page,omitempty"`
	Place      string            `json:"place,omitempty"`
	Start      int               `json:"start"`
	End        int               `json:"end"`
}

func themesCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, sumUp bool
	var within []string
	var limit int
	cmd := &cobra.Command{
		Use:   "themes",
		Short: "Say what the library is about",
		Long: `Say what the library is about: the communities of the graph, those that most
passages mention first, each with the sentences that stand for it best. It asks no
model. The question "What are the main themes?" is answered from them.

With THEMES_BY_MODEL a model sums up the themes that have changed after documents
were read, and this prints what it said. --sum-up asks it at once.`,
		Example: `  clew themes
  clew themes --sum-up
  clew themes --within tag:minutes --json | jq -r '.[].names[0]'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				scope, err := a.questions.Scope(cmd.Context(), domain.DefaultWorkspace, within)
				if err != nil {
					return err
				}
				documents, err := a.questions.Within(cmd.Context(), domain.DefaultWorkspace, scope)
				if err != nil {
					return err
				}
				if sumUp {
					if err := a.sumUpThemes(cmd.Context()); err != nil {
						return err
					}
				}
				found, err := a.themes.Themes(cmd.Context(), domain.DefaultWorkspace, documents, limit)
				if err != nil {
					return err
				}
				list := themeLines(found)
				if asJSON {
					return printJSON(s.stdout, list)
				}
				printThemes(s.stdout, list)
				return nil
			})
		},
	}
	cmd.Flags().StringArrayVar(&within, "within", nil, withinHelp)
	cmd.Flags().BoolVar(&sumUp, "sum-up", false, "first have the model sum up the themes that have changed")
	cmd.Flags().IntVar(&limit, "limit", 12, "list at most so many")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

// sumUpThemes has the model sum up the themes that have changed.
func (a *app) sumUpThemes(ctx context.Context) error {
	if !a.themes.SumsUp() {
		return domain.Errorf(domain.Invalid, "No model sums up themes: set THEMES_BY_MODEL=true, and LLM_PROVIDER.")
	}
	return a.carryOut(ctx, a.themes.Background, "Summing up")
}

func printThemes(to io.Writer, list []themeLine) {
	for _, t := range list {
		by := ""
		if t.Summed {
			by = ", summed up by a model"
		}
		fmt.Fprintf(to, "%s  (%s in %s%s)\n", strings.Join(t.Names, ", "), domain.Counted(t.Entities, "entity", "entities"), domain.Counted(t.Documents, "document", "documents"), by)
		for _, said := range t.Says {
			fmt.Fprintf(to, "    %s  [%s%s]\n", said.Text, said.Document, pageOf(domain.Citation{Page: said.Page, Place: said.Place}))
		}
	}
}

func themeLines(found []themes.Theme) []themeLine {
	list := make([]themeLine, len(found))
	for i, t := range found {
		list[i] = themeLine{Names: t.Names, Entities: t.Members, Documents: t.Documents, Lead: t.Lead, Summed: t.Summed, Says: []themeSentence{}}
		for _, s := range t.Sentences {
			list[i].Says = append(list[i].Says, themeSentence{s.Text, s.Passage.Name, s.Passage.Document, s.Passage.PageOf(s.Span), s.Passage.Place(s.Span), s.Span.Start, s.Span.End})
		}
	}
	return list
}
