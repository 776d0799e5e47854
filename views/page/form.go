package page

import (
	"cmp"
	"context"
	"strconv"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// A Form is a page that asks for something before it is done.
type Form struct {
	App       layout.Props
	Crumbs    []Crumb
	Title     string
	About     templ.Component // above the form; may be nil
	Problem   string          // why the form was rejected
	URL       string          // address that the form is posted to; "" for no form
	Seen      int64           // the change that the form is based on
	Fields    []Field
	Submit    string
	ID        string // of the button, for tests
	Secondary templ.Component
	Cancel    string          // the address of the page to go back to
	Below     templ.Component // below the form; may be nil
}

// A Crumb is a page above another.
type Crumb struct{ Text, URL string }

// EntityCrumbs returns the breadcrumbs of an entity's pages.
func EntityCrumbs(ctx context.Context, e domain.Entity) []Crumb {
	return []Crumb{{lang.T(ctx, "Entities"), link.Entities}, {e.Name, link.Entity(e.ID)}}
}

// A Field is a form field: a line of text, a choice among entities, or a custom component.
type Field struct {
	Name, Label string
	Value       string
	Placeholder string
	Most        int // code points
	Optional    bool
	Focus       bool
	List        string   // id of the suggestions, which several fields may share
	Suggested   []string // listed after the field
	Found       []domain.Entity
	Shown       templ.Component
}

// attributes returns the attributes that only some fields have.
func (f Field) attributes() templ.Attributes {
	a := templ.Attributes{"required": !f.Optional, "autofocus": f.Focus}
	for name, value := range map[string]string{"list": f.List, "placeholder": f.Placeholder} {
		if value != "" {
			a[name] = value
		}
	}
	return a
}

// most returns the length limit of the field; that of a label or a type is the default.
func (f Field) most() string { return strconv.Itoa(cmp.Or(f.Most, maxWord)) }

// maxWord is the maximum number of code points of a label, a type or a key.
const maxWord = 60

// A Deletion is a page that asks whether to delete something.
type Deletion struct {
	App    layout.Props
	Thing  string // as in "conversation"
	Title  string // of the thing
	Says   string // what is deleted with it
	URL    string // address that deletes it
	Cancel string // the address of the page to go back to
}
