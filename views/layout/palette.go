package layout

import (
	"context"
	"fmt"
	"slices"

	"github.com/clewhq/clew/views/link"
)

// A Find is something that the palette leads to.
type Find struct {
	Name string
	Note string // what tells it apart; "" for nothing
	URL  string
	Act  string // what the page's script does instead of going to URL: "theme" or "keys"
}

// Finds are the finds of one kind.
type Finds struct {
	Title   string
	Items   []Find
	Problem string // why there may be more; "" where all could be searched
}

// Places lists the pages of the bar and of the menu that whoever reads the page may see.
func (p Props) Places(ctx context.Context) (list []Find) {
	for _, e := range append(p.sections(), p.entries()...) {
		list = append(list, Find{Name: e.name, URL: e.url})
	}
	return offered(ctx, append(list, Find{Name: "Prompts", Note: "what models are told", URL: link.Prompts}, Find{Name: "Changes", Note: "made by hand and by rule", URL: link.Changes}, Find{Name: "Home", URL: link.Home}, Find{Name: "Entities", Note: "as a list", URL: link.Entities}, Find{Name: "Themes", Note: "what the library is about", URL: link.Themes}, Find{Name: "Timeline", Note: "dates that documents name", URL: link.Timeline}))
}

// Commands lists what whoever reads the page can begin from any page.
func (p Props) Commands(ctx context.Context) []Find {
	list := []Find{
		{Name: "Ask a question", URL: link.Ask},
		{Name: "Summarise documents", URL: link.Summaries},
		{Name: "Add an entity", Note: "by hand", URL: link.NewEntity},
		{Name: "Add a relation", Note: "by hand", URL: link.NewRelation},
		{Name: "Compare two runs", URL: link.Compare},
		{Name: "Switch between light and dark", Act: "theme"},
		{Name: "Show the keys", Note: "shortcuts", Act: "keys"},
	}
	if link.MayPost(ctx, link.Documents) {
		list = slices.Insert(list, 1, Find{Name: "Add documents", Note: "upload or paste", URL: link.Documents})
	}
	return offered(ctx, append(list, Find{Name: "Connect a model", URL: link.ConnectForm}, Find{Name: "Back up the library", URL: link.Health}))
}

// offered leaves out pages at which whoever reads the page is refused.
func offered(ctx context.Context, list []Find) []Find {
	return slices.DeleteFunc(list, func(f Find) bool { return f.URL != "" && !link.May(ctx, f.URL) })
}

// nothing reports whether nothing was found.
func nothing(found []Finds) bool {
	for _, f := range found {
		if len(f.Items) > 0 {
			return false
		}
	}
	return true
}

func optionID(group, i int) string { return fmt.Sprintf("find-%d-%d", group, i) }

func groupID(group int) string { return fmt.Sprintf("finds-%d", group) }

// keyList are the keys that work on all pages, or on most.
var keyList = [][2]string{
	{"Ctrl K", "Go to a page, a document, an entity or a conversation (⌘ K on a Mac)"},
	{"?", "The keys of this page"},
	{"/", "Write a question, or search"},
	{"Enter", "Ask; Shift Enter begins a new line"},
	{"Esc", "Close what is open, or stop the answer"},
	{"U", "Undo what was just done"},
	{"← →", "Go through the steps of a run"},
	{"J, K", "In a conversation, the steps of the next answer or of the one before; among documents, the next or the one before"},
	{"X", "Choose a document; with Shift all up to it"},
}
