package partial

import (
	"cmp"
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/facts"
	"github.com/clewhq/clew/views/lang"
)

// A ScopeItem is one term of a question's scope.
type ScopeItem struct {
	Term string // as sent by forms
	Sign string // # before a tag, @ before a document, or words before a fact or a day
	Name string
}

// Scope returns the terms of a scope. A document without a name was deleted.
func Scope(ctx context.Context, s domain.Scope, names map[domain.DocumentID]string) []ScopeItem {
	items := lists.Map(s.Tags, func(t string) ScopeItem { return ScopeItem{domain.WithinTag + ":" + t, "#", t} })
	for _, id := range s.Documents {
		name := cmp.Or(names[id], lang.T(ctx, "a deleted document"))
		items = append(items, ScopeItem{domain.WithinDocument + ":" + string(id), "@", name})
	}
	if s.From != "" {
		items = append(items, ScopeItem{domain.WithinFrom + ":" + s.From, lang.T(ctx, "added from "), s.From})
	}
	if s.To != "" {
		items = append(items, ScopeItem{domain.WithinTo + ":" + s.To, lang.T(ctx, "added until "), s.To})
	}
	if s.AsOf.Known() {
		items = append(items, ScopeItem{domain.WithinAsOf + ":" + s.AsOf.String(), lang.T(ctx, "as of "), s.AsOf.String()})
	}
	for _, l := range s.Languages {
		items = append(items, ScopeItem{domain.WithinLanguage + ":" + l, lang.T(ctx, "in "), facts.Language(l)})
	}
	for _, from := range s.Sources {
		items = append(items, ScopeItem{domain.WithinSource + ":" + string(from), "", facts.Source(ctx, from)})
	}
	for _, a := range s.Authors {
		items = append(items, ScopeItem{domain.WithinAuthor + ":" + a, lang.T(ctx, "by "), a})
	}
	if s.Published != "" {
		items = append(items, ScopeItem{domain.WithinPublished + ":" + s.Published, lang.T(ctx, "published "), s.Published})
	}
	for _, t := range s.Fields {
		items = append(items, ScopeItem{domain.WithinField + ":" + t.String(), t.Name + strings.TrimSuffix(" "+t.Op, "=") + " ", cmp.Or(t.Value, "any")})
	}
	return items
}

// A WithinOption is a term that completes the typed text.
type WithinOption struct {
	ScopeItem
	Note string
}
