package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
)

// foundPassage is a passage as clew search --json prints it.
type foundPassage struct {
	Rank       int                 `json:"rank"`
	Chunk      domain.ChunkID      `json:"chunk"`
	Document   string              `json:"document"`
	DocumentID domain.DocumentID   `json:"document_id"`
	Page       int                 `json:"page,omitempty"`
	Place      string              `json:"place,omitempty"`
	Methods    []domain.MethodName `json:"methods"`
	Path       []domain.Hop        `json:"path,omitempty"` // from the question; none if found by its own words
	Text       string              `json:"text"`
}

func searchCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var method string
	var within []string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "search QUESTION",
		Short: "Find passages for a question, without an answer",
		Long: `Find passages for a question, the best first: what an answer would be made
from, before grading. Each names the methods that found it and the names over
which the graph led there.`,
		Example: `  clew search "Who paid for the repair of the bridge?"
  clew search --method words --json "Who paid for the repair of the bridge?"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := domain.FindMethod(method)
			if err != nil {
				return err
			}
			return onGraph(cmd.Context(), s, load, func(a *app) error {
				scope, err := a.questions.Scope(cmd.Context(), domain.DefaultWorkspace, within)
				if err != nil {
					return err
				}
				documents, err := a.questions.Within(cmd.Context(), domain.DefaultWorkspace, scope)
				if err != nil {
					return err
				}
				found, err := a.search.Retrieve(cmd.Context(), domain.DefaultWorkspace, retrieve.Query{
					Text: strings.Join(args, " "), Method: name, Limit: limit, Documents: documents,
				})
				if err != nil {
					return err
				}
				list, err := a.passages(cmd, found)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.stdout, list)
				}
				for _, p := range list {
					fmt.Fprintf(s.stdout, "%2d  %s%s  %s\n    %s\n", p.Rank, p.Document, pageOf(domain.Citation{Page: p.Page, Place: p.Place}), p.how(), domain.Cut(strings.Join(strings.Fields(p.Text), " "), 160))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&method, "method", "", methodHelp)
	cmd.Flags().StringArrayVar(&within, "within", nil, withinHelp)
	cmd.Flags().IntVar(&limit, "limit", answer.DefaultLimit, "list at most so many")
	jsonFlag(cmd, &asJSON, jsonArray)
	return cmd
}

// passages returns the passages of a search with their texts.
func (a *app) passages(cmd *cobra.Command, found retrieve.Result) ([]foundPassage, error) {
	at := make(map[domain.ChunkID]int, len(found.Passages))
	ids := make([]domain.ChunkID, len(found.Passages))
	for i, f := range found.Passages {
		at[f.Chunk], ids[i] = i, f.Chunk
	}
	texts, err := a.ledger.Passages(cmd.Context(), domain.DefaultWorkspace, ids)
	if err != nil {
		return nil, err
	}
	list := make([]foundPassage, len(texts))
	for i, p := range texts {
		f := found.Passages[at[p.ID]]
		list[i] = foundPassage{at[p.ID] + 1, f.Chunk, p.Name, p.Document, p.Page, p.Place(p.Span), f.Methods, f.Path, p.Text}
	}
	return list, nil
}

// how says which methods found the passage, and over which names.
func (p foundPassage) how() string {
	var words []string
	for _, m := range p.Methods {
		words = append(words, string(m))
	}
	how := "by " + strings.Join(words, ", ")
	if len(p.Path) == 0 {
		return how
	}
	var names []string
	for _, h := range p.Path {
		names = append(names, h.Name)
	}
	return how + ", over " + strings.Join(names, " → ")
}
