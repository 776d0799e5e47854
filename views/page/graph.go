package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// GraphProps are the explorer. It has nodes, or places, or a
// list, beside which there may be places, unless the graph is empty.
type GraphProps struct {
	App    layout.Props
	View   link.GraphView // with the names in it resolved to ids
	Title  string         // what is shown
	Size   int            // entities in the whole graph
	Neo4j  bool           // the graph is in Neo4j
	Limits []string       // sentences about what is left out

	Labels, Types []GraphCheck // to filter by
	Ties          int          // pairs of names in the whole graph that are only mentioned together
	Tags          []string
	Document      string // name of the document of the filter
	Ends          [2]string
	Path          string // what was found between the ends, in a sentence; "" without a search

	Places    []GraphPlace
	Between   int             // relations between the places
	Loose     int             // names left out because nothing joins them to others
	LooseLead domain.EntityID // one of them
	List      *EntityList     // of the whole library, or what a search finds in it
	Nodes     []GraphNode
	Relations []GraphRelation
	Together  []GraphRelation // pairs that are only mentioned together
	More      int             // rows that the tables leave out
	Card      *GraphCardProps
	Pair      *PairCardProps // in place of Card
	Reached   int            // the steps around the centre that are shown
}

// An EntityList is a page of the entities that match a view's search and labels.
type EntityList struct {
	Items []EntityRow
	Pager Pager
}

// GraphCheck is a label or type to filter by.
type GraphCheck struct {
	Name  string
	Count int
	On    bool
}

// GraphPlace is a community in the overview.
type GraphPlace struct {
	Lead    domain.EntityID
	Names   []string
	Members int
	Facts   int // relations among the members
	Tint    int
	Title   [2]int // where its name stands
	Outline string // a path of SVG
}

// Name returns the place's name: its weightiest member.
func (p GraphPlace) Name() string { return p.Names[0] }

// also names further members.
func (p GraphPlace) also() string { return strings.Join(p.Names[1:], ", ") }

// inPlaces counts what the overview holds, in a sentence.
func (p GraphProps) inPlaces() string {
	names, facts := 0, 0
	for _, place := range p.Places {
		names, facts = names+place.Members, facts+place.Facts
	}
	return fmt.Sprintf("%s in %s; %s within them, %s between.", format.Count(names, "name", "names"), format.Count(len(p.Places), "community", "communities"),
		format.Count(facts, "relation", "relations"), format.Int(p.Between))
}

// listed are the communities beside the overview: those shown at first, and those that
// are folded.
func (p GraphProps) listed() (first, more []GraphPlace) {
	const shown, most = 4, 16
	list := p.Places[:min(len(p.Places), most)]
	if len(list) <= shown+1 { // a fold takes the line of the one it hides
		return list, nil
	}
	return list[:shown], list[shown:]
}

// bounds returns the view box of the outlines of places.
func (p GraphProps) bounds() string {
	low, high := [2]int{math.MaxInt, math.MaxInt}, [2]int{math.MinInt, math.MinInt}
	for _, place := range p.Places {
		for i, n := range strings.FieldsFunc(place.Outline, func(r rune) bool { return strings.ContainsRune("MLZ ", r) }) {
			v, _ := strconv.Atoi(n) // it is a number
			low[i%2], high[i%2] = min(low[i%2], v), max(high[i%2], v)
		}
	}
	return fmt.Sprintf("%d %d %d %d", low[0], low[1], high[0]-low[0], high[1]-low[1])
}

// apart returns the view of the names that nothing joins to others.
func (p GraphProps) apart(table bool) link.GraphView {
	v := p.View.Inside(p.LooseLead)
	v.Table = table
	return v
}

// GraphNode is a row of the table of entities.
type GraphNode struct {
	partial.EntityItem
	Relations, Documents, Depth int
}

// GraphRelation is a row of the table of relations.
type GraphRelation struct {
	From, To partial.EntityItem
	Type     string
	Evidence int
}

// GraphCardProps are the card of an entity.
type GraphCardProps struct {
	View      link.GraphView // that the card stands beside
	Entity    domain.Entity
	Relations []RelationRow // to others first
	In        int           // where the relations to it begin
	Sentences []PassageItem
	More      int    // sentences not listed
	Neo4j     string // its address in Neo4j Browser, or ""

	Together []CompanionItem // names mentioned together with it
}

// A CompanionItem is an entity that passages mention together with another one.
type CompanionItem struct {
	partial.EntityItem
	Together int // passages
}

// PairCardProps are the card of two entities.
type PairCardProps struct {
	View     link.GraphView // that the card stands beside
	A, B     partial.EntityItem
	Types    []string      // of the relations between them
	Stated   []PassageItem // sentences that state these
	Together []PassageItem // sentences of the passages that mention both
	Passages int           // that mention both
}

// joined says what is known about the two, in a line.
func (p PairCardProps) joined() string {
	if len(p.Types) > 0 {
		return list(p.Types)
	}
	return "No relation. Mentioned together in " + format.Count(p.Passages, "passage", "passages") + "."
}

// maxCardRelations is how many relations a card lists.
const maxCardRelations = 8

func (p GraphCardProps) shown() []RelationRow {
	return p.Relations[:min(len(p.Relations), maxCardRelations)]
}

func (p GraphCardProps) question() string { return "What is known about " + p.Entity.Name + "?" }

func (p GraphCardProps) also() string {
	text := "In " + format.Count(p.Entity.Documents, "document", "documents")
	if len(p.Entity.Aliases) > 0 {
		const most = 4
		text = fmt.Sprintf("Also “%s”. %s", strings.Join(p.Entity.Aliases[:min(len(p.Entity.Aliases), most)], "”, “"), text)
	}
	return text
}

// Empty reports whether the graph has no entities.
func (p GraphProps) Empty() bool { return p.Size == 0 }

func (p GraphProps) centred() bool { return len(p.View.At) > 0 }

// shows counts what the picture shows, in words.
func (p GraphProps) shows() string {
	switch {
	case p.List != nil:
		return fmt.Sprintf("%s of %s", format.Int(p.List.Pager.Total), format.Count(p.Size, "entity", "entities"))
	case len(p.Places) > 0:
		return fmt.Sprintf("%s, %s", format.Count(len(p.Places), "community", "communities"), format.Count(p.Size, "entity", "entities"))
	case len(p.Nodes) > 0:
		return fmt.Sprintf("%s of %s", format.Int(len(p.Nodes)+p.More), format.Count(p.Size, "entity", "entities"))
	}
	return format.Count(p.Size, "entity", "entities")
}

// described returns the picture's name for those who can't see it.
func (p GraphProps) described() string {
	return fmt.Sprintf("Picture of %s: %s. The table has the same content.", p.Title, p.shows())
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

// chips returns what narrows the view or adds to it.
func (p GraphProps) chips() []graphChip {
	var out []graphChip
	add := func(name, value string, change func(*link.GraphView)) {
		v := p.View
		change(&v)
		out = append(out, graphChip{name, value, v.URL()})
	}
	v := p.View
	if len(v.Labels) > 0 {
		add("label", list(v.Labels), func(v *link.GraphView) { v.Labels = nil })
	}
	if len(v.Types) > 0 {
		words := make([]string, len(v.Types))
		for i, t := range v.Types {
			words[i] = format.Words(t)
		}
		add("relation", list(words), func(v *link.GraphView) { v.Types = nil })
	}
	if v.Document != "" {
		add("document", p.Document, func(v *link.GraphView) { v.Document = "" })
	}
	if v.Answer != "" {
		add("evidence of", "an answer", func(v *link.GraphView) { v.Answer = "" })
	}
	if v.Tag != "" {
		add("tag", v.Tag, func(v *link.GraphView) { v.Tag = "" })
	}
	if v.Since != "" || v.Until != "" {
		add("added", strings.TrimSpace("from "+or(v.Since, "the first")+" to "+or(v.Until, "today")), func(v *link.GraphView) { v.Since, v.Until = "", "" })
	}
	if v.Evidence > 1 {
		add("stated by", format.Int(v.Evidence)+" or more", func(v *link.GraphView) { v.Evidence = 0 })
	}
	if v.Facts && p.Ties > 0 {
		add("without", "names mentioned together", func(v *link.GraphView) { v.Facts = false })
	}
	if v.To != "" {
		add("path to", or(p.Ends[1], v.To), func(v *link.GraphView) { v.To = "" })
	}
	if len(v.Hide) > 0 {
		add("hidden", format.Count(len(v.Hide), "entity", "entities"), func(v *link.GraphView) { v.Hide = nil })
	}
	if len(v.Pins) > 0 {
		add("pinned", format.Count(len(v.Pins), "entity", "entities"), func(v *link.GraphView) { v.Pins = nil })
	}
	if len(v.Open) > 0 {
		add("expanded", format.Count(len(v.Open), "entity", "entities"), func(v *link.GraphView) { v.Open = nil })
	}
	return out
}

// list joins names, and counts those after the second.
func list(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:2], ", "), len(names)-2)
	}
	return strings.Join(names, ", ")
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
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

// without returns the view of what remains when an entity is deleted.
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

// formats are those of use here: a file of statements for Neo4j only where there is one.
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
