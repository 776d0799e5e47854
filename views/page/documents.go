package page

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// stays returns the sentence that says where the text goes.
func (p HomeProps) stays() string { return staysHere(p.App) }

func staysHere(p layout.Props) string {
	if p.BuiltIn() {
		return "Nothing leaves this machine."
	}
	return "Their text is sent to the model " + p.Model + "."
}

func (p HomeProps) waits() string {
	return format.Count(p.Reading, "document is", "documents are") + " still to be read. A question waits for that, and asks itself."
}

func (p HomeProps) sample() string {
	return format.Count(p.SampleDocuments, "short document", "short documents") + " about a valley and its bridges"
}

// insert returns whether documents new to the page are put on top of the list:
// not in a filtered list.
func (p DocumentsProps) insert() string {
	if p.Counts.Tab == partial.TabAll && p.Counts.Query == "" && p.Counts.Tag == "" && p.Pager.Offset == 0 {
		return "rows"
	}
	return ""
}

// events returns the list's stream, with the tabs' selection.
func (p DocumentsProps) events() string {
	return link.With(link.DocumentsEvents, "tab", string(p.Counts.Tab), "q", p.Counts.Query, "tag", p.Counts.Tag)
}

func (p DocumentsProps) query() url.Values {
	return url.Values{"tab": {string(p.Counts.Tab)}, "q": {p.Counts.Query}, "tag": {p.Counts.Tag}}
}

// tagged returns the list filtered by a tag, or by none for "".
func (p DocumentsProps) tagged(tag string) string {
	return link.With(link.Documents, "tab", string(p.Counts.Tab), "q", p.Counts.Query, "tag", tag)
}

// summarises returns what the summarise button covers.
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

// searchAs makes a field search while typing: it replaces the target, and other parts of
// the page that hold the search. Its form works without scripts.
func searchAs(address, target string, others ...string) templ.Attributes {
	a := templ.Attributes{
		"hx-get": address, "hx-trigger": "input changed delay:200ms, search", "hx-include": "closest form",
		"hx-target": target, "hx-select": target, "hx-swap": "outerHTML", "hx-replace-url": "true", "hx-sync": "this:replace",
	}
	if len(others) > 0 {
		a["hx-select-oob"] = strings.Join(others, ",")
	}
	return a
}
