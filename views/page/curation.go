package page

import (
	"net/url"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// RenameProps fill the form for an entity's name and label.
type RenameProps struct {
	App         layout.Props
	Entity      domain.Entity
	Name, Label string   // in the fields
	Labels      []string // choices, from the library
	MaxName     int      // code points
	Problem     string   // why the form was rejected
}

// FindProps fill the search for an entity to merge with.
type FindProps struct {
	App    layout.Props
	Entity domain.Entity
	Query  string
	Items  []EntityRow
}

// MergeProps show two entities side by side before they are merged.
type MergeProps struct {
	App     layout.Props
	A, B    EntityProps
	MaxName int
	Problem string
}

// shared returns the keys of the relations and properties that both have.
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

// SplitProps list what can be taken out of an entity.
type SplitProps struct {
	EntityProps
	MaxName int
	Problem string
}

// forms returns the names under which an entity is mentioned.
func (p SplitProps) forms() []string {
	return append([]string{p.Entity.Name}, p.Entity.Aliases...)
}

// RelationProps fill the form for one relation.
type RelationProps struct {
	App      layout.Props
	Entity   domain.EntityID // whose page it was opened from
	Relation domain.RelationID
	Type     string
	From, To domain.Entity
	Problem  string
}

// ChangesProps list the changes made by curators.
type ChangesProps struct {
	App   layout.Props
	Items []ChangeItem // newest first
	Pager Pager
}

// A ChangeItem is one change.
type ChangeItem struct {
	Seq    int64
	At     time.Time
	Who    string // "" without accounts
	Text   string
	Undone bool
	Inert  bool // what it concerns is not in the library
	Entity domain.EntityID
}

func (p FindProps) find() string { return link.MergeEntity(p.Entity.ID) }

func (p FindProps) with(id domain.EntityID) string {
	return p.find() + "?" + url.Values{"with": {string(id)}}.Encode()
}
