package page

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// stays returns the sentence about where the text goes.
func (p HomeProps) stays(ctx context.Context) string { return staysHere(ctx, p.App) }

func staysHere(ctx context.Context, p layout.Props) string {
	if p.BuiltIn() {
		return lang.T(ctx, "Nothing leaves this machine.")
	}
	return lang.F(ctx, "Their text is sent to the model %s.", p.Model)
}

func (p HomeProps) sample(ctx context.Context) string {
	return lang.F(ctx, "%s about a valley and its bridges", lang.Count(ctx, p.SampleDocuments, "short document", "short documents"))
}

// insert returns whether new documents are put on top of the list, which they are only if it shows the newest first.
func (p DocumentsProps) insert() string {
	if f := p.Counts.Filter; !f.Narrows() && f.Sort == "" && p.Previous == "" {
		return "rows"
	}
	return ""
}

// events returns the list's stream, with the filter of its counts.
func (p DocumentsProps) events() string { return link.DocumentListEvents(p.Counts.Filter) }

// tagged returns the list filtered by a tag, or unfiltered if tag is "".
func (p DocumentsProps) tagged(tag string) string {
	f := p.Counts.Filter
	f.Tag = tag
	return link.DocumentList(f)
}

// filters names the active filters of the list.
func (p DocumentsProps) filters(ctx context.Context) string {
	if len(p.Tags) > 0 {
		return lang.T(ctx, "Tag, format, date, source, language…")
	}
	return lang.T(ctx, "Format, date, source, language…")
}

// Compact is the value of the parameter "view" that shows the list in single lines.
const Compact = "compact"

// view returns the list in rows for "", or compact.
func (p DocumentsProps) view(name string) string {
	q := p.Counts.Filter.Values()
	q.Set("view", cmp.Or(name, "rows"))
	return link.Documents + "?" + q.Encode()
}

// documentSorts are the ways to sort the list, beside the newest first.
var documentSorts = []Choice{
	{"added", "Oldest first"}, {"name", "Name"}, {"-name", "Name, from the end"}, {"-size", "Largest"}, {"size", "Smallest"},
	{"-passages", "Most passages"}, {"passages", "Fewest passages"}, {"-entities", "Most entities"}, {"entities", "Fewest entities"}, {"state", "State"},
}

// turns lists the actions on chosen documents that wait or are being read.
var turns = []Choice{{ActPause, "Pause"}, {ActGoOn, "Go on"}, {ActFirst, "Read first"}, {ActStop, "Stop"}}

// column is a column of the list, with the address that sorts by it.
type column struct {
	Name, URL string
	Mark      string // its direction if the list is sorted by it; "" if not
	Right     bool
}

func (p DocumentsProps) columns(ctx context.Context) []column {
	by, down := p.Counts.Filter.Sort.By()
	sorted := func(name string, key, first domain.DocumentSort) column {
		c, f := column{Name: name}, p.Counts.Filter
		if f.Sort = first; by == key {
			f.Sort, c.Mark = p.Counts.Filter.Sort.Reversed(), " ↑"
			if down {
				c.Mark = " ↓"
			}
		}
		c.URL = link.DocumentList(f)
		return c
	}
	return []column{
		sorted(lang.T(ctx, "Name"), domain.SortName, domain.SortName), sorted(lang.T(ctx, "Progress"), domain.SortState, domain.SortState),
		sorted(lang.T(ctx, "Found"), domain.SortEntities, "-"+domain.SortEntities), {Name: lang.T(ctx, "Time"), Right: true}, {},
	}
}

// A chosenFilter is a part of the filter, and the list without it.
type chosenFilter struct{ Name, Value, Without string }

// chosen lists the active filters, except the state, which the tabs show.
func (p DocumentsProps) chosen() []chosenFilter {
	var all []chosenFilter
	off := func(name, value string, without func(*domain.DocumentFilter)) {
		f := p.Counts.Filter
		f.Formats = slices.Clone(f.Formats)
		without(&f)
		all = append(all, chosenFilter{name, value, link.DocumentList(f)})
	}
	f := p.Counts.Filter
	if f.Text != "" {
		off("name", f.Text, func(f *domain.DocumentFilter) { f.Text = "" })
	}
	if f.Tag != "" {
		off("tag", f.Tag, func(f *domain.DocumentFilter) { f.Tag = "" })
	}
	for _, format := range f.Formats {
		off("format", partial.FormatName(format), func(f *domain.DocumentFilter) {
			f.Formats = slices.DeleteFunc(f.Formats, func(v domain.Format) bool { return v == format })
		})
	}
	if f.From != "" {
		off("from", f.From, func(f *domain.DocumentFilter) { f.From = "" })
	}
	if f.To != "" {
		off("to", f.To, func(f *domain.DocumentFilter) { f.To = "" })
	}
	for _, term := range (domain.Scope{FactFilter: f.FactFilter}).Terms() {
		kind, value, _ := strings.Cut(term, ":")
		without := f.Values()
		without[kind] = slices.DeleteFunc(without[kind], func(v string) bool { return v == value })
		all = append(all, chosenFilter{factNames[kind], value, link.DocumentList(domain.ParseDocumentFilter(without))})
	}
	return all
}

// factNames are the facts as the filter names them.
var factNames = map[string]string{domain.WithinLanguage: "language", domain.WithinSource: "source", domain.WithinAuthor: "author", domain.WithinPublished: "published", domain.WithinField: "field"}

// first returns the first of the values, or "" if there are none.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// sourceChoices lists the sources of documents.
var sourceChoices = []Choice{
	{string(domain.SourceUpload), "Uploaded"}, {string(domain.SourceWeb), "The web"}, {string(domain.SourceFolder), "A folder"},
	{string(domain.SourceStorage), "S3"}, {string(domain.SourceArchive), "An archive"}, {string(domain.SourceMail), "Mail"},
	{string(domain.SourceGit), "Git"},
}

func (p DocumentsProps) source() string {
	if s := p.Counts.Filter.Sources; len(s) > 0 {
		return string(s[0])
	}
	return ""
}

// shown says which documents of the list the page shows.
func (p DocumentsProps) shown(ctx context.Context) string {
	return lang.F(ctx, "%s to %s of %s", lang.Int(ctx, p.First+1), lang.Int(ctx, p.First+len(p.Rows)), lang.Int(ctx, max(p.Counts.Matching, p.First+len(p.Rows))))
}

func (p ChosenProps) title(ctx context.Context) string {
	what := lang.Count(ctx, p.Count, "document", "documents")
	if p.Count == 1 && len(p.Names) == 1 {
		what = p.Names[0]
	}
	switch p.Act {
	case ActTag:
		return lang.F(ctx, "Tag %s", what)
	case ActSet:
		return lang.F(ctx, "Set a field of %s", what)
	case ActAgain:
		return lang.F(ctx, "Read %s again?", what)
	case ActLimit:
		return lang.F(ctx, "Who may read %s?", what)
	}
	return lang.F(ctx, "Delete %s?", what)
}

func (p ChosenProps) named(ctx context.Context) string {
	if more := p.Count - len(p.Names); more > 0 {
		return lang.F(ctx, "%s and %s more", strings.Join(p.Names, ", "), lang.Int(ctx, more))
	}
	return strings.Join(p.Names, ", ")
}

func (p ChosenProps) it() string {
	if p.Count == 1 {
		return "it"
	}
	return "them"
}

func (p ChosenProps) whatGoes(ctx context.Context) string {
	if p.Count == 1 {
		return lang.T(ctx, "Its text, its passages and everything only it contributed to the graph are deleted. What other documents say stays.")
	}
	return lang.T(ctx, "Their texts, their passages and everything only they contributed to the graph are deleted. What other documents say stays.")
}

// tollLines lists what is deleted along with the documents.
func tollLines(ctx context.Context, t ledger.Toll) []string {
	lines := []string{lang.Count(ctx, t.Passages, "passage", "passages")}
	if t.Entities >= 0 {
		lines = append(lines, lang.F(ctx, "%s named in no other document", lang.Count(ctx, t.Entities, "entity", "entities")),
			lang.F(ctx, "%s stated in no other document", lang.Count(ctx, t.Relations, "relation", "relations")))
	}
	if t.Answers > 0 {
		lines = append(lines, lang.F(ctx, "%s a source", lang.Count(ctx, t.Answers, "answer loses", "answers lose")))
	}
	if t.Summaries > 0 {
		lines = append(lines, lang.F(ctx, "%s what came from here", lang.Count(ctx, t.Summaries, "summary loses", "summaries lose")))
	}
	return lines
}

func (p ChosenProps) button(ctx context.Context) string {
	switch p.Act {
	case ActTag:
		return lang.T(ctx, "Change the tags")
	case ActSet:
		return lang.T(ctx, "Set the field")
	case ActAgain:
		return lang.T(ctx, "Read again")
	case ActLimit:
		return lang.F(ctx, "Set who may read %s", p.it())
	}
	return lang.F(ctx, "Delete %s", p.it())
}

func (p ChosenProps) no(ctx context.Context) string {
	if p.Act == ActDelete {
		return lang.F(ctx, "Keep %s", p.it())
	}
	return lang.T(ctx, "Leave it")
}

func (p ChosenProps) confirms() string { return "confirm-" + p.Act }

func (p DocumentsProps) emptyTab(ctx context.Context) string {
	switch p.Counts.Filter.State {
	case domain.StateReading:
		return lang.T(ctx, "Nothing is being read")
	case domain.StateGone:
		return lang.T(ctx, "All documents are still where they came from")
	case domain.StatePaused:
		return lang.T(ctx, "Nothing is paused")
	case domain.StateLook:
		return lang.T(ctx, "Nothing needs attention")
	case domain.DocumentState(domain.DocumentReady):
		return lang.T(ctx, "No document is ready yet")
	}
	return lang.T(ctx, "No document is here")
}

// searchAs makes a field search while typing or choosing: it replaces the target, and other parts of
// the page that hold the search. Its form works without scripts.
func searchAs(ctx context.Context, address, target string, others ...string) templ.Attributes {
	address = link.At(ctx, address)
	a := templ.Attributes{
		"hx-get": address, "hx-trigger": "input changed delay:200ms, search", "hx-include": "closest form",
		"hx-target": target, "hx-select": target, "hx-swap": "outerHTML", "hx-replace-url": "true", "hx-sync": "this:replace",
	}
	if len(others) > 0 {
		a["hx-select-oob"] = strings.Join(others, ",")
	}
	return a
}
