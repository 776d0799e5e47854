package link

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// The addresses of the explorer.
const (
	Graph       = "/graph"
	GraphData   = "/graph/data"   // contents of a view, as JSON
	GraphFind   = "/graph/find"   // suggestions for a name
	GraphCard   = "/graph/card/"  // with an entity's id: its card next to the picture
	GraphStated = "/graph/stated" // the sentences that state the relations of two entities
	GraphExport = "/graph/export" // a view, or everything, as a file
)

// The maximum number of values of a parameter in the explorer's address.
const (
	maxCentres = 24
	maxListed  = 200
)

// GraphView is a view of the explorer, as its address holds it. Without a
// centre it shows the communities.
type GraphView struct {
	At       []domain.EntityID // the centre
	Steps    int               // around the centre; 0 lets the explorer choose
	Open     []domain.EntityID // expanded, in this order
	Hide     []domain.EntityID
	Pins     []GraphPin
	To       string          // the other end of a path, an id or a name
	In       domain.EntityID // a member of the community shown
	All      bool            // everything at once
	Selected domain.EntityID // its card is open
	With     domain.EntityID // the card is about Selected and this one
	Table    bool            // the table instead of the picture
	Query    string          // a name searched for

	Labels, Types []string // shown ones; none means all
	Document      domain.DocumentID
	Answer        domain.MessageID // the part that the answer's evidence came from
	Tag           string
	Since, Until  string // days on which documents were added, as in 2006-01-02
	Evidence      int    // minimum of passages that state a relation
	AsOf          string // only relations that hold then, as in 1995-06
	Facts         bool   // no lines between names only mentioned together
}

// GraphPin is an entity with its fixed position.
type GraphPin struct {
	ID   domain.EntityID
	X, Y int
}

// ParseGraph reads a view from the parameters of an address. It ignores what is
// malformed.
func ParseGraph(q url.Values) GraphView {
	v := GraphView{
		At: entities(q["at"], maxCentres), Open: entities(q["open"], maxCentres), Hide: entities(q["hide"], maxListed),
		To: q.Get("to"), In: domain.EntityID(q.Get("in")), All: q.Get("all") != "", Selected: domain.EntityID(q.Get("sel")),
		Table: q.Get("view") == "table", Query: strings.TrimSpace(q.Get("q")), Labels: listed(q["label"]), Types: listed(q["type"]),
		Document: domain.DocumentID(q.Get("doc")), Answer: domain.MessageID(q.Get("answer")), Tag: q.Get("tag"), Since: q.Get("since"), Until: q.Get("until"),
		Steps: number(q.Get("steps"), 3), Evidence: number(q.Get("min"), 99), With: domain.EntityID(q.Get("with")),
	}
	if at, err := domain.AsOf(q.Get("as_of")); err == nil {
		v.AsOf = at.String()
	}
	if m := q["mentions"]; len(m) > 0 { // a form sends off, followed by on if the box is ticked
		v.Facts = m[len(m)-1] == "off"
	}
	for _, text := range q["pin"] {
		parts := strings.Split(text, ",")
		if len(parts) != 3 || len(v.Pins) == maxListed {
			continue
		}
		x, errX := strconv.Atoi(parts[1])
		y, errY := strconv.Atoi(parts[2])
		if parts[0] != "" && errX == nil && errY == nil && max(x, -x, y, -y) < 100_000 {
			v.Pins = append(v.Pins, GraphPin{domain.EntityID(parts[0]), x, y})
		}
	}
	return v
}

func number(text string, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, most)
}

func listed(values []string) []string {
	var out []string
	for _, v := range values {
		if v != "" && len(out) < maxListed && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func entities(values []string, most int) []domain.EntityID {
	var out []domain.EntityID
	for _, v := range listed(values) {
		if len(out) < most {
			out = append(out, domain.EntityID(v))
		}
	}
	return out
}

// Values returns the parameters of the view's address.
func (v GraphView) Values() url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	for name, ids := range map[string][]domain.EntityID{"at": v.At, "open": v.Open, "hide": v.Hide} {
		for _, id := range ids {
			q.Add(name, string(id))
		}
	}
	for _, p := range v.Pins {
		q.Add("pin", fmt.Sprintf("%s,%d,%d", p.ID, p.X, p.Y))
	}
	for name, list := range map[string][]string{"label": v.Labels, "type": v.Types} {
		for _, value := range list {
			q.Add(name, value)
		}
	}
	for name, n := range map[string]int{"steps": v.Steps, "min": v.Evidence} {
		if n > 0 {
			q.Set(name, strconv.Itoa(n))
		}
	}
	set("to", v.To)
	set("in", string(v.In))
	set("sel", string(v.Selected))
	set("with", string(v.With))
	set("q", v.Query)
	set("doc", string(v.Document))
	set("answer", string(v.Answer))
	set("tag", v.Tag)
	set("since", v.Since)
	set("until", v.Until)
	set("as_of", v.AsOf)
	if v.All {
		q.Set("all", "1")
	}
	if v.Facts {
		q.Set("mentions", "off")
	}
	if v.Table {
		q.Set("view", "table")
	}
	return q
}

// URL returns the view's address.
func (v GraphView) URL() string { return v.at(Graph) }

func (v GraphView) at(path string) string {
	q := v.Values()
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Export returns the address of the view as a file, or of everything, without what is
// only mentioned together.
func (v GraphView) Export(format string, everything bool) string {
	q := v.Values()
	if everything {
		q = url.Values{"scope": {"all"}}
	}
	q.Del("mentions")
	q.Set("format", format)
	return GraphExport + "?" + q.Encode()
}

// Around returns the view around an entity, with the same filters.
func (v GraphView) Around(id domain.EntityID) GraphView {
	return GraphView{
		At: []domain.EntityID{id}, Selected: id, Table: v.Table, Steps: v.Steps, Labels: v.Labels, Types: v.Types,
		Document: v.Document, Tag: v.Tag, Since: v.Since, Until: v.Until, Evidence: v.Evidence, AsOf: v.AsOf, Facts: v.Facts,
	}
}

// Inside returns the view of the community of an entity, with the same filters.
func (v GraphView) Inside(id domain.EntityID) GraphView {
	inside := v.Around(id)
	inside.At, inside.Selected, inside.Steps, inside.In = nil, "", 0, id
	return inside
}

// GraphAround returns the explorer around some entities.
func GraphAround(ids ...domain.EntityID) string {
	return GraphView{At: ids[:min(len(ids), maxCentres)]}.URL()
}

// Neo4jBrowser returns the address at which Neo4j Browser, itself at the given
// address, offers to show an entity.
func Neo4jBrowser(browser string, w domain.WorkspaceID, id domain.EntityID) string {
	quoted := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
	}
	statement := "MATCH (e:__Entity__ {workspace_id: " + quoted(string(w)) + ", id: " + quoted(string(id)) + "}) OPTIONAL MATCH (e)-[r]-(n:__Entity__) RETURN e, r, n LIMIT 100"
	q := url.Values{"cmd": {"edit"}, "arg": {statement}}.Encode()
	return browser + "?" + strings.ReplaceAll(q, "+", "%20") // some versions don't read a plus as a space
}

// GraphOfAnswer returns the address of the explorer with the entities in an answer's evidence.
func GraphOfAnswer(id domain.MessageID) string { return GraphView{Answer: id}.URL() }

// GraphOf returns the address of the explorer with the entities that a document mentions.
func GraphOf(id domain.DocumentID) string { return GraphView{Document: id}.URL() }
