package page

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// GraphProps is the data for the explorer. Unless the graph is empty it has nodes, or places, or a list with or without
// places.
type GraphProps struct {
	App    layout.Props
	View   link.GraphView // with names resolved to ids
	Title  string         // describes the view
	Size   int            // entities in the whole graph
	Neo4j  bool           // the graph is in Neo4j
	Limits []string       // sentences about omissions

	Labels, Types []GraphCheck // to filter by
	Ties          int          // pairs of names only mentioned together, in the whole graph or the view
	Tags          []string
	Document      string // name of the filter's document
	Ends          [2]string
	Path          string // the connection found between the ends, in a sentence; "" without a search

	Turns     []explore.Turn // years in which relations of the view begin or end
	Places    []explore.Place
	Between   int             // relations between the places
	Loose     int             // names left out because nothing connects them to others
	LooseLead domain.EntityID // one of them
	List      *EntityList     // of the whole library, or the results of a search
	Nodes     []explore.Node
	Relations []GraphRelation
	Together  []GraphRelation // pairs only mentioned together
	More      int             // rows omitted from the tables
	Card      *GraphCardProps
	Pair      *PairCardProps // in place of Card
	Reached   int            // the steps around the centre that are shown
}

// An EntityList is a page of the entities that match a view's search and labels.
type EntityList struct {
	Items []domain.Entity
	Pager Pager
}

// GraphCheck is a label or type to filter by.
type GraphCheck struct {
	Name  string
	Count int
	On    bool
}

// border returns the closed curve around a place, for SVG.
func border(p explore.Place) string {
	var b strings.Builder
	for i, at := range p.Outline {
		fmt.Fprintf(&b, "%c%d %d", "ML"[min(i, 1)], int(at.X), int(at.Y))
	}
	return b.String() + "Z"
}

// inPlaces sums up the overview in a sentence.
func (p GraphProps) inPlaces(ctx context.Context) string {
	names, facts := 0, 0
	for _, place := range p.Places {
		names, facts = names+place.Members, facts+place.Facts
	}
	return lang.F(ctx, "%s in %s; %s within them, %s between.", lang.Count(ctx, names, "name", "names"), lang.Count(ctx, len(p.Places), "community", "communities"),
		lang.Count(ctx, facts, "relation", "relations"), lang.Int(ctx, p.Between))
}

// listed are the communities beside the overview: those shown at first, and those that
// are folded.
func (p GraphProps) listed() (first, more []explore.Place) {
	const shown, most = 4, 16
	list := p.Places[:min(len(p.Places), most)]
	if len(list) <= shown+1 { // a fold takes as many lines as a single hidden entry
		return list, nil
	}
	return list[:shown], list[shown:]
}

// bounds returns the view box of the outlines of places.
func (p GraphProps) bounds() string {
	low, high := p.Places[0].Title, p.Places[0].Title
	for _, place := range p.Places {
		for _, at := range place.Outline {
			low, high = explore.Point{X: min(low.X, at.X), Y: min(low.Y, at.Y)}, explore.Point{X: max(high.X, at.X), Y: max(high.Y, at.Y)}
		}
	}
	return fmt.Sprintf("%d %d %d %d", int(low.X), int(low.Y), int(high.X-low.X), int(high.Y-low.Y))
}

// apart returns the view of the names that nothing joins to others.
func (p GraphProps) apart(table bool) link.GraphView {
	v := p.View.Inside(p.LooseLead)
	v.Table = table
	return v
}

// GraphRelation is a row of the table of relations.
type GraphRelation struct {
	From, To partial.EntityItem
	Type     string
	Evidence int
}

// GraphCardProps are the card of an entity.
type GraphCardProps struct {
	View link.GraphView // view next to the card
	explore.About

	Neo4j    string              // its address in Neo4j Browser; may be ""
	Together []explore.Companion // names mentioned together with it
}

// PairCardProps are the card of two entities.
type PairCardProps struct {
	View link.GraphView // view next to the card
	explore.Pair
}

// joined describes how the two are related, in a line.
func (p PairCardProps) joined(ctx context.Context) string {
	if len(p.Types) > 0 {
		return list(ctx, p.Types)
	}
	return lang.F(ctx, "No relation. Mentioned together in %s.", lang.Count(ctx, p.Passages, "passage", "passages"))
}

// What a card lists at most.
const (
	maxCardRelations = 8
	maxCardSentences = 6
)

// relations returns those to others first.
func (p GraphCardProps) relations() []explore.Relation { return slices.Concat(p.Out, p.In) }

// sentences returns the first sentences that name the entity.
func (p GraphCardProps) sentences() []explore.Quote {
	return p.Quotes[:min(len(p.Quotes), maxCardSentences)]
}

func (p GraphCardProps) question(ctx context.Context) string {
	return lang.F(ctx, "What is known about %s?", p.Entity.Name)
}

func (p GraphCardProps) also(ctx context.Context) string {
	text := lang.F(ctx, "In %s", lang.Count(ctx, p.Entity.Documents, "document", "documents"))
	if len(p.Entity.Aliases) > 0 {
		const most = 4
		text = lang.F(ctx, "Also “%s”. %s", strings.Join(p.Entity.Aliases[:min(len(p.Entity.Aliases), most)], "”, “"), text)
	}
	return text
}

// Empty reports whether the graph has no entities.
func (p GraphProps) Empty() bool { return p.Size == 0 }

// joins reports whether names that are only mentioned together are shown, or were left out.
func (p GraphProps) joins() bool { return p.Ties > 0 || p.View.Facts }

func (p GraphProps) centred() bool { return len(p.View.At) > 0 }

// shows sums up the picture in words.
func (p GraphProps) shows(ctx context.Context) string {
	switch {
	case p.List != nil:
		return lang.F(ctx, "%s of %s", lang.Int(ctx, p.List.Pager.Total), lang.Count(ctx, p.Size, "entity", "entities"))
	case len(p.Places) > 0:
		return fmt.Sprintf("%s, %s", lang.Count(ctx, len(p.Places), "community", "communities"), lang.Count(ctx, p.Size, "entity", "entities"))
	case len(p.Nodes) > 0:
		return lang.F(ctx, "%s of %s", lang.Int(ctx, len(p.Nodes)+p.More), lang.Count(ctx, p.Size, "entity", "entities"))
	}
	return lang.Count(ctx, p.Size, "entity", "entities")
}

// described returns the picture's name for those who can't see it.
func (p GraphProps) described(ctx context.Context) string {
	return lang.F(ctx, "Picture of %s: %s. The table has the same content.", p.Title, p.shows(ctx))
}

func (p GraphProps) steps(n int) link.GraphView {
	v := p.View
	v.Steps = n
	return v
}

func (p GraphProps) table(on bool) link.GraphView {
	v := p.View
	v.Table = on
	return v
}

// A graphChip is a part of the view that can be taken off.
type graphChip struct{ name, value, url string }

// rail is the slider over the years of a view. Its first value stands for any time.
type rail struct {
	first, last, at int
	turns           string // for the script: year, how many begin, how many end
	marks           string // path of the marks, in thousandths
}

func (p GraphProps) rail() (r rail) {
	if len(p.Turns) == 0 {
		return r
	}
	r.first, r.last = p.Turns[0].Year, p.Turns[len(p.Turns)-1].Year
	day, err := domain.AsOf(p.View.AsOf)
	asked := err == nil && day.Known()
	if asked {
		r.first, r.last = min(r.first, day.Year), max(r.last, day.Year)
	}
	r.first--
	if r.at = r.first; asked {
		r.at = day.Year
	}
	var turns, marks strings.Builder
	for _, t := range p.Turns {
		fmt.Fprintf(&turns, "%d,%d,%d ", t.Year, t.Begin, t.End)
		fmt.Fprintf(&marks, "M%d 0v8", 1000*(t.Year-r.first)/(r.last-r.first))
	}
	r.turns, r.marks = strings.TrimSpace(turns.String()), marks.String()
	return r
}

// railSays says what the rail is at: a time, and what begins and ends in its year.
func (p GraphProps) railSays(ctx context.Context) string {
	day, err := domain.AsOf(p.View.AsOf)
	if err != nil || !day.Known() {
		return lang.T(ctx, "Any time")
	}
	for _, t := range p.Turns {
		if t.Year == day.Year {
			return lang.F(ctx, "%s: %s begin, %s end", p.View.AsOf, lang.Int(ctx, t.Begin), lang.Int(ctx, t.End))
		}
	}
	return p.View.AsOf
}

// timeless returns the view at any time.
func (p GraphProps) timeless() link.GraphView {
	v := p.View
	v.AsOf = ""
	return v
}

// chips returns the filters and additions of the view.
func (p GraphProps) chips(ctx context.Context) []graphChip {
	var out []graphChip
	add := func(name, value string, change func(*link.GraphView)) {
		v := p.View
		change(&v)
		out = append(out, graphChip{name, value, v.URL()})
	}
	v := p.View
	if len(v.Labels) > 0 {
		add("label", list(ctx, v.Labels), func(v *link.GraphView) { v.Labels = nil })
	}
	if len(v.Types) > 0 {
		add("relation", list(ctx, lists.Map(v.Types, format.Words)), func(v *link.GraphView) { v.Types = nil })
	}
	if v.Document != "" {
		add("document", p.Document, func(v *link.GraphView) { v.Document = "" })
	}
	if v.Answer != "" {
		add(lang.T(ctx, "evidence of"), lang.T(ctx, "an answer"), func(v *link.GraphView) { v.Answer = "" })
	}
	if v.Tag != "" {
		add("tag", v.Tag, func(v *link.GraphView) { v.Tag = "" })
	}
	if v.Since != "" || v.Until != "" {
		add("added", strings.TrimSpace(lang.F(ctx, "from %s to %s", cmp.Or(v.Since, lang.T(ctx, "the first")), cmp.Or(v.Until, lang.T(ctx, "today")))), func(v *link.GraphView) { v.Since, v.Until = "", "" })
	}
	if v.AsOf != "" {
		add(lang.T(ctx, "as of"), v.AsOf, func(v *link.GraphView) { v.AsOf = "" })
	}
	if v.Evidence > 1 {
		add(lang.T(ctx, "stated by"), lang.F(ctx, "%s or more", lang.Int(ctx, v.Evidence)), func(v *link.GraphView) { v.Evidence = 0 })
	}
	if v.Facts {
		add(lang.T(ctx, "without"), lang.T(ctx, "names mentioned together"), func(v *link.GraphView) { v.Facts = false })
	}
	if v.To != "" {
		add(lang.T(ctx, "path to"), cmp.Or(p.Ends[1], v.To), func(v *link.GraphView) { v.To = "" })
	}
	if len(v.Hide) > 0 {
		add("hidden", lang.Count(ctx, len(v.Hide), "entity", "entities"), func(v *link.GraphView) { v.Hide = nil })
	}
	if len(v.Pins) > 0 {
		add("pinned", lang.Count(ctx, len(v.Pins), "entity", "entities"), func(v *link.GraphView) { v.Pins = nil })
	}
	if len(v.Open) > 0 {
		add("expanded", lang.Count(ctx, len(v.Open), "entity", "entities"), func(v *link.GraphView) { v.Open = nil })
	}
	return out
}

// list joins names, and counts those after the second.
func list(ctx context.Context, names []string) string {
	if len(names) > 3 {
		return lang.F(ctx, "%s and %d more", strings.Join(names[:2], ", "), len(names)-2)
	}
	return strings.Join(names, ", ")
}

// hiding returns the view without an entity.
func hiding(v link.GraphView, id domain.EntityID) link.GraphView {
	v.Hide = append(append([]domain.EntityID{}, v.Hide...), id)
	v.Selected, v.With = "", ""
	return v
}

// opening returns the view with an entity's neighbours.
func opening(v link.GraphView, id domain.EntityID) link.GraphView {
	v.Selected, v.With = id, ""
	if len(v.At) == 0 {
		v.At, v.In, v.All, v.Answer = []domain.EntityID{id}, "", false, ""
		return v
	}
	v.Open = append(append([]domain.EntityID{}, v.Open...), id)
	return v
}

// without returns the view after an entity is deleted.
func without(v link.GraphView, id domain.EntityID) link.GraphView {
	is := func(e domain.EntityID) bool { return e == id }
	v.At, v.Open = slices.DeleteFunc(slices.Clone(v.At), is), slices.DeleteFunc(slices.Clone(v.Open), is)
	v.Pins = slices.DeleteFunc(slices.Clone(v.Pins), func(p link.GraphPin) bool { return p.ID == id })
	if v.Selected = ""; v.To == string(id) {
		v.To = ""
	}
	if v.In == id {
		v.In = ""
	}
	return v
}

// here returns the address of the view with this card.
func (p GraphCardProps) here() string { return selecting(p.View, p.Entity.ID).URL() }

// selecting returns the view with an entity's card.
func selecting(v link.GraphView, id domain.EntityID) link.GraphView {
	v.Selected, v.With = id, ""
	return v
}

// pairing returns the view with the card of two entities.
func pairing(v link.GraphView, a, b domain.EntityID) link.GraphView {
	v.Selected, v.With = a, b
	return v
}

// graphFormats are the formats of a file, with their names; Cypher is the last.
var graphFormats = [][2]string{{"graphml", "GraphML"}, {"csv", "CSV"}, {"json", "JSON"}, {"cypher", "Cypher"}}

// formats returns the usable export formats: Cypher only if there is a Neo4j server.
func (p GraphProps) formats() [][2]string {
	if p.Neo4j {
		return graphFormats
	}
	return graphFormats[:len(graphFormats)-1]
}

// shownTypes is how many types of relations the filter shows at first, the most
// frequent.
const shownTypes = 8

// folded reports whether the n-th type is shown only on demand: one that is
// neither frequent nor chosen.
func (p GraphProps) folded(n int) bool {
	return n >= shownTypes && (len(p.View.Types) == 0 || !p.Types[n].On)
}
