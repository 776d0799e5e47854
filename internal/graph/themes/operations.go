package themes

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// A Desk is where people ask what the library is about.
type Desk struct {
	*Service
	Scopes Scopes
	SumUp  func(ctx context.Context) error // has the model sum up changed themes
}

// Scopes finds the documents of a part of the library.
type Scopes interface {
	DocumentsWithin(ctx context.Context, w domain.WorkspaceID, terms []string) ([]domain.DocumentID, error)
}

type wanted struct {
	Within []string `json:"within" whole:"" doc:"ask only documents matching tag:NAME, doc:NAME (or its id), from:2024-01-31 or to:2024-12-31 (day added), lang:de, source:web, author:NAME, published:2024 or published:2024-05..2025, field:status=final or field:year>=2020; several terms of a kind widen it"`
	SumUp  bool     `json:"sum_up" doc:"first have the model sum up the themes that have changed"`
	Limit  int      `json:"limit" default:"12" doc:"list at most this many"`
}

// Listed is a theme in a list.
type Listed struct {
	Names     []string        `json:"names"`
	Entities  int             `json:"entities"`
	Documents int             `json:"documents"`
	Lead      domain.EntityID `json:"lead"`   // its heaviest entity
	Summed    bool            `json:"summed"` // by a model
	Says      []Said          `json:"says"`
}

// Said is a sentence that represents a theme. Text is the stored text from Start to End, without line breaks; for a
// theme with a summary it is the model's sentence, drawn from there.
type Said struct {
	Text       string            `json:"text"`
	Document   string            `json:"document"`
	DocumentID domain.DocumentID `json:"document_id"`
	Page       int               `json:"page,omitempty"`
	Place      string            `json:"place,omitempty"`
	Start      int               `json:"start"`
	End        int               `json:"end"`
}

// Operations are the operations that look at themes.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{countOperation(), operation.Op[Desk, wanted, []Listed]{
		Name: "themes", Short: "Show what the library is about", Scope: operation.Read, Routes: []string{"GET /themes"},
		Tool: operation.Tool{Name: "themes", Title: "List themes", Fields: "within limit",
			About: "Say what the library is about: its communities of entities, with sentences that stand for them."},
		Long: `Show what the library is about: the communities of the graph, those that most
passages mention first, each with the sentences that stand for it best. It asks no
model. The question "What are the main themes?" is answered from them.

With THEMES_BY_MODEL a model sums up the themes that have changed after documents
were read, and this prints what it said. --sum-up asks it at once.`,
		Example: `  clew themes
  clew themes --sum-up
  clew themes --within tag:minutes --json | jq -r '.[].names[0]'`,
		Do: Desk.list, Text: printThemes,
	}}
}

func (d Desk) list(ctx context.Context, in wanted) ([]Listed, error) {
	w := domain.WorkspaceOf(ctx)
	documents, err := d.Scopes.DocumentsWithin(ctx, w, in.Within)
	if err != nil {
		return nil, err
	}
	if in.SumUp {
		if err := d.SumUp(ctx); err != nil {
			return nil, err
		}
	}
	found, err := d.Themes(ctx, w, documents, in.Limit)
	return listed(found), err
}

func printThemes(to io.Writer, list []Listed) error {
	if len(list) == 0 {
		fmt.Fprintln(to, "The library has no themes yet: the graph connects too little.")
	}
	for _, t := range list {
		by := ""
		if t.Summed {
			by = ", summed up by a model"
		}
		fmt.Fprintf(to, "%s  (%s in %s%s)\n", strings.Join(t.Names, ", "), domain.Counted(t.Entities, "entity", "entities"), domain.Counted(t.Documents, "document", "documents"), by)
		for _, said := range t.Says {
			fmt.Fprintf(to, "    %s  [%s%s]\n", said.Text, said.Document, domain.Where("", said.Page, said.Place))
		}
	}
	return nil
}

func listed(found []Theme) []Listed {
	list := make([]Listed, len(found))
	for i, t := range found {
		list[i] = Listed{Names: t.Names, Entities: t.Members, Documents: t.Documents, Lead: t.Lead, Summed: t.Summed, Says: []Said{}}
		for _, s := range t.Sentences {
			list[i].Says = append(list[i].Says, Said{s.Text, s.Passage.Name, s.Passage.Document, s.Passage.PageOf(s.Span), s.Passage.Place(s.Span), s.Span.Start, s.Span.End})
		}
	}
	return list
}
