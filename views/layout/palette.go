package layout

import (
	"context"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// A Find is a target of the palette.
type Find struct {
	Name string
	Note string // distinguishes it from similar ones; may be ""
	URL  string
	Act  string // action of the page's script in place of following URL: "theme" or "keys"
}

// Finds are the finds of one kind.
type Finds struct {
	Title   string
	Items   []Find
	Problem string // why there may be more results; "" if everything was searched
}

// Places lists the pages of the bar and of the menu that whoever reads the page may see.
func (p Props) Places(ctx context.Context) (list []Find) {
	list = lists.Map(append(p.sections(ctx), p.entries(ctx)...), func(e entry) Find { return Find{Name: e.name, URL: e.url} })
	return offered(ctx, append(list, Find{Name: lang.T(ctx, "Prompts"), Note: lang.T(ctx, "what models are told"), URL: link.Prompts}, Find{Name: lang.T(ctx, "Changes"), Note: lang.T(ctx, "made by hand and by rule"), URL: link.Changes}, Find{Name: lang.T(ctx, "Home"), URL: link.Home}, Find{Name: lang.T(ctx, "Entities"), Note: lang.T(ctx, "as a list"), URL: link.Entities}, Find{Name: lang.T(ctx, "Themes"), Note: lang.T(ctx, "what the library is about"), URL: link.Themes}, Find{Name: lang.T(ctx, "Timeline"), Note: lang.T(ctx, "dates that documents name"), URL: link.Timeline}))
}

// Commands lists what whoever reads the page can begin from any page.
func (p Props) Commands(ctx context.Context) []Find {
	list := []Find{
		{Name: lang.T(ctx, "Ask a question"), URL: link.Ask},
		{Name: lang.T(ctx, "Summarise documents"), URL: link.Summaries},
		{Name: lang.T(ctx, "Research a question"), URL: link.Researches},
		{Name: lang.T(ctx, "Make a study set"), Note: lang.T(ctx, "glossary, FAQ, cards"), URL: link.Study},
		{Name: lang.T(ctx, "Add an entity"), Note: lang.T(ctx, "by hand"), URL: link.NewEntity},
		{Name: lang.T(ctx, "Add a relation"), Note: lang.T(ctx, "by hand"), URL: link.NewRelation},
		{Name: lang.T(ctx, "Compare two runs"), URL: link.Compare},
		{Name: lang.T(ctx, "Switch between light and dark"), Act: "theme"},
		{Name: lang.T(ctx, "Show the keys"), Note: "shortcuts", Act: "keys"},
	}
	if link.MayPost(ctx, link.Documents) {
		list = slices.Insert(list, 1, Find{Name: lang.T(ctx, "Add documents"), Note: lang.T(ctx, "upload or paste"), URL: link.Documents})
	}
	return offered(ctx, append(list, Find{Name: lang.T(ctx, "Connect a model"), URL: link.ConnectForm}, Find{Name: lang.T(ctx, "Back up the library"), URL: link.Health}))
}

// offered leaves out pages at which whoever reads the page is refused.
func offered(ctx context.Context, list []Find) []Find {
	return slices.DeleteFunc(list, func(f Find) bool { return f.URL != "" && !link.May(ctx, f.URL) })
}

// nothing reports whether nothing was found.
func nothing(found []Finds) bool {
	return !slices.ContainsFunc(found, func(f Finds) bool { return len(f.Items) > 0 })
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
