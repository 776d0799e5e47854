package page

import (
	"net/url"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// stays says where the words go.
func (p HomeProps) stays() string { return staysHere(p.App) }

func staysHere(p layout.Props) string {
	if p.BuiltIn() {
		return "Nothing leaves this machine."
	}
	return "Their text is sent to the model " + p.Model + "."
}

func (p HomeProps) sample() string {
	return format.Count(p.SampleDocuments, "short document", "short documents") + " about a valley and its bridges"
}

// insert says whether a document that is new to the page is put on top of the
// list: not where the list is a selection.
func (p DocumentsProps) insert() string {
	if p.Counts.Tab == partial.TabAll && p.Counts.Query == "" && p.Counts.Tag == "" && p.Pager.Offset == 0 {
		return "rows"
	}
	return ""
}

// events is the list's stream. It knows the selection, which the tabs show.
func (p DocumentsProps) events() string {
	return link.With(link.DocumentsEvents, "tab", string(p.Counts.Tab), "q", p.Counts.Query, "tag", p.Counts.Tag)
}

func (p DocumentsProps) query() url.Values {
	return url.Values{"tab": {string(p.Counts.Tab)}, "q": {p.Counts.Query}, "tag": {p.Counts.Tag}}
}

// tagged is the list of what has a tag; of the tag that is selected, the list
// without it.
func (p DocumentsProps) tagged(tag string) string {
	if tag == p.Counts.Tag {
		tag = ""
	}
	return link.With(link.Documents, "tab", string(p.Counts.Tab), "q", p.Counts.Query, "tag", tag)
}

// summarises says what the button takes.
func (p DocumentsProps) summarises() string {
	if p.Counts.Tag != "" {
		return "The selected documents, or all tagged " + p.Counts.Tag
	}
	return "The selected documents, or the whole library"
}

func (p DocumentsProps) emptyTab() string {
	switch p.Counts.Tab {
	case partial.TabWorking:
		return "Nothing is being read"
	case partial.TabLook:
		return "Nothing needs attention"
	}
	return "No document is ready yet"
}

// searchAs makes a field search while one types. The form around it works
// without.
func searchAs(address, target string) templ.Attributes {
	return templ.Attributes{
		"hx-get": address, "hx-trigger": "input changed delay:200ms, search", "hx-include": "closest form",
		"hx-target": target, "hx-select": target + " > *", "hx-swap": "innerHTML", "hx-push-url": "false", "hx-sync": "this:replace",
	}
}
