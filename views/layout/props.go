// Package layout is what surrounds every page: the head, the header with its
// navigation, the notice line and the bar at the foot.
package layout

import "github.com/clewhq/clew/views/format"

// Section is a place in the navigation.
type Section string

// The sections; the zero value lights none.
const (
	Ask       Section = "ask"
	Documents Section = "documents"
	Entities  Section = "entities"
	Summaries Section = "summaries"
	Runs      Section = "runs"
	Settings  Section = "settings"
	Health    Section = "health"
)

// Props are what every page says around its own content.
type Props struct {
	Title     string // of the page, without the product's name
	Section   Section
	Documents int    // in the library; 0 shows no count
	Entities  int    // in the graph; 0 shows no count
	Model     string // name of the model that answers; "" means the built-in mode
	Unread    int    // documents that were read without a model although one is configured now
	Away      string // a sentence on a store that can't be reached; "" when all can
	User      string // who is signed in; "" where there are no accounts
	Toast     Toast
	Fills     bool // the page fills the window and scrolls inside itself
}

// BuiltIn reports whether no model is configured.
func (p Props) BuiltIn() bool { return p.Model == "" }

// Mode is the line of the header that says what answers.
func (p Props) Mode() string {
	if p.BuiltIn() {
		return "Built-in mode, no model"
	}
	return p.Model
}

// FullTitle is the text of the title element.
func (p Props) FullTitle() string {
	if p.Title == "" {
		return "Clew"
	}
	return p.Title + " · Clew"
}

// Toast is what the bar at the foot says after something was done; the zero
// value shows no bar.
type Toast struct {
	Text   string
	Action string // label of the button; "" shows none
	URL    string // what the button posts to
	Back   string // page to return to; "" leaves it to the handler
}

// current is the value of aria-current for the link to a section.
func (p Props) current(s Section) string {
	if p.Section == s {
		return "page"
	}
	return "false"
}

func (p Props) unread() string {
	return format.Count(p.Unread, "document was", "documents were") + " read without a model."
}

func (p Props) readAgain() string {
	if p.Unread == 1 {
		return "Read it again"
	}
	return "Read them again"
}
