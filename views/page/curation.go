package page

import (
	"net/url"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// RenameProps are the form for an entity's name and label.
type RenameProps struct {
	App         layout.Props
	Entity      domain.Entity
	Name, Label string   // in the fields
	Labels      []string // of the library, to choose from
	MaxName     int      // code points
	Problem     string   // why the form was not taken
}

// FindProps are the search for what to merge an entity with.
type FindProps struct {
	App    layout.Props
	Entity domain.Entity
	Query  string
	Items  []EntityRow
}

// MergeProps are two entities side by side, before they are merged.
type MergeProps struct {
	App     layout.Props
	A, B    EntityProps
	MaxName int
	Problem string
}

// shared are the relations that both have, by type and other end, and the
// properties.
func (p MergeProps) shared() map[string]bool {
	seen, both := map[string]bool{}, map[string]bool{}
	for _, k := range shareable(p.A) {
		seen[k] = true
	}
	for _, k := range shareable(p.B) {
		both[k] = seen[k]
	}
	return both
}

func shareable(p EntityProps) []string {
	var keys []string
	for _, r := range append(append([]RelationRow{}, p.Out...), p.In...) {
		keys = append(keys, string(r.Other.ID))
	}
	for _, v := range p.Entity.Properties {
		keys = append(keys, v.Key+"\x00"+v.Value)
	}
	return keys
}

// SplitProps are what can be taken out of an entity.
type SplitProps struct {
	EntityProps
	MaxName int
	Problem string
}

// forms are the names under which an entity is mentioned.
func (p SplitProps) forms() []string {
	return append([]string{p.Entity.Name}, p.Entity.Aliases...)
}

// RelationProps are the form for one relation.
type RelationProps struct {
	App      layout.Props
	Entity   domain.EntityID // on whose page it was chosen
	Relation domain.RelationID
	Type     string
	From, To domain.Entity
	Problem  string
}

// ChangesProps are the list of what curators decided.
type ChangesProps struct {
	App   layout.Props
	Items []ChangeItem // newest first
	Pager Pager
}

// ChangeItem is one decision.
type ChangeItem struct {
	Seq    int64
	At     time.Time
	Who    string // "" where there are no accounts
	Text   string
	Undone bool
	Inert  bool // what it is about is not in the library
	Entity domain.EntityID
}

func (p FindProps) find() string { return link.MergeEntity(p.Entity.ID) }

func (p FindProps) with(id domain.EntityID) string {
	return p.find() + "?" + url.Values{"with": {string(id)}}.Encode()
}
