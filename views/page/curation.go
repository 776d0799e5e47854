package page

import (
	"context"
	"net/url"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// A PropertyEdit lists properties to change.
type PropertyEdit struct {
	URL        string // address that the forms post to
	Properties domain.Properties
	Declared   []string // keys declared in the schema
	Key, Value string   // in the fields for a new one
	MaxValue   int      // code points
	Seen       int64
}

// MergeSeveralProps show several entities before they are merged.
type MergeSeveralProps struct {
	App     layout.Props
	Items   []explore.About
	MaxName int
	Seen    int64
	Back    string // the list they were marked in; "" for all entities
	Problem string
}

// MarkedProps holds words marked in a document. Without a document there are none.
type MarkedProps struct {
	Document domain.DocumentID
	Name     string // of the document
	Span     domain.Span
	Sentence explore.Quote // with the words marked
	Words    string        // as typed, if they were not found
}

// FindProps is the data for the search for an entity to merge with.
type FindProps struct {
	App    layout.Props
	Entity domain.Entity
	Query  string
	Items  []domain.Entity
	Back   string // the page that opened it; "" for the entity's
}

// MergeProps show two entities side by side before they are merged.
type MergeProps struct {
	App     layout.Props
	A, B    explore.About
	Back    string // the page that opened it; "" for the entity's
	MaxName int
	Seen    int64
	Problem string
}

// shared returns the keys of the relations and properties that both have.
func shared(a, b explore.About) map[string]bool {
	seen, both := map[string]bool{}, map[string]bool{}
	for _, k := range shareable(a) {
		seen[k] = true
	}
	for _, k := range shareable(b) {
		both[k] = seen[k]
	}
	return both
}

func shareable(p explore.About) []string {
	keys := lists.Map(slices.Concat(p.Out, p.In), func(r explore.Relation) string { return string(r.Other.ID) })
	for _, v := range p.Entity.Properties {
		keys = append(keys, v.Key+"\x00"+v.Value)
	}
	return keys
}

// ChangesProps is the data for the list of curators' changes.
type ChangesProps struct {
	App       layout.Props
	Lists     []WorkTab        // of the review
	Items     []curate.Changed // newest first
	Pager     Pager
	Who, Kind string // of the filter
	Curators  []string
}

func (p ChangesProps) query() url.Values { return url.Values{"who": {p.Who}, "kind": {p.Kind}} }

// here returns the address of the list as it is filtered.
func (p ChangesProps) here() string { return link.With(link.Changes, "who", p.Who, "kind", p.Kind) }

func (p FindProps) find() string { return link.With(link.MergeEntity(p.Entity.ID), "back", p.Back) }

func (p FindProps) with(id domain.EntityID) string {
	return link.With(p.find(), "with", string(id))
}

// Source returns the address of the marked words, or other without any.
func (m MarkedProps) Source(other string) string {
	switch {
	case m.Document == "":
		return other
	case m.Span.Empty():
		return link.Document(m.Document)
	}
	return link.Passage(m.Document, m.Span)
}

// A Choice is a value of a form with its words.
type Choice struct{ Value, Words string }

// choices returns values that are their own words.
func choices(values []string) []Choice {
	return lists.Map(values, func(v string) Choice { return Choice{v, v} })
}

// translated returns choices in the language of the page.
func translated(ctx context.Context, from []Choice) []Choice {
	return lists.Map(from, func(c Choice) Choice { return Choice{c.Value, lang.T(ctx, c.Words)} })
}

// kinds are the kinds of changes to choose from.
func kinds() []Choice {
	return lists.Map(curate.Kinds, func(k curate.Kind) Choice { return Choice{string(k.Kind), k.InWords} })
}
