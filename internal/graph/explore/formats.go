package explore

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// printer writes text and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) print(parts ...string) {
	for _, s := range parts {
		if p.err == nil {
			_, p.err = io.WriteString(p.w, s)
		}
	}
}

// graphML writes XML as Gephi, yEd and others read it.
type graphML struct{ printer }

// The attributes of nodes and edges in GraphML, all text but the counts and the
// mark by hand.
var (
	nodeKeys = []string{"name", "label", "aliases", "mentions", "documents", "properties", "by_hand"}
	edgeKeys = []string{"type", "evidence", "sources", "properties", "by_hand"}
)

// ofEdge begins the ids of the attributes of edges, since an id stands for one
// attribute only.
const ofEdge = "edge_"

func newGraphML(w io.Writer) encoder {
	g := &graphML{printer{w: w}}
	g.print(xml.Header, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">`, "\n")
	g.keys("node", "", nodeKeys)
	g.keys("edge", ofEdge, edgeKeys)
	g.print(`<graph edgedefault="directed">`, "\n")
	return g
}

func (g *graphML) keys(of, id string, keys []string) {
	for _, k := range keys {
		kind := "string"
		switch k {
		case "mentions", "documents", "evidence":
			kind = "int"
		case "by_hand":
			kind = "boolean"
		}
		g.print(`<key id="`, id, k, `" for="`, of, `" attr.name="`, k, `" attr.type="`, kind, `"/>`, "\n")
	}
}

func (g *graphML) entity(e domain.Entity) error {
	g.print(`<node id="`, escaped(string(e.ID)), `">`)
	g.data("name", e.Name)
	g.data("label", e.Label)
	g.data("aliases", lines(e.Aliases))
	g.data("mentions", strconv.Itoa(e.Mentions))
	g.data("documents", strconv.Itoa(e.Documents))
	g.data("properties", properties(e.Properties))
	g.data("by_hand", mark(entityByHand(e)))
	g.print("</node>\n")
	return g.err
}

func (g *graphML) relation(r domain.Relation) error {
	g.print(`<edge id="`, escaped(string(r.ID)), `" source="`, escaped(string(r.Source)), `" target="`, escaped(string(r.Target)), `">`)
	g.data(ofEdge+"type", r.Type)
	g.data(ofEdge+"evidence", strconv.Itoa(len(r.Evidence)))
	g.data(ofEdge+"sources", lines(documents(r)))
	g.data(ofEdge+"properties", properties(r.Properties))
	g.data(ofEdge+"by_hand", mark(relationByHand(r)))
	g.print("</edge>\n")
	return g.err
}

func (g *graphML) data(key, value string) {
	if value != "" {
		g.print(`<data key="`, key, `">`, escaped(value), `</data>`)
	}
}

func (g *graphML) end() error {
	g.print("</graph>\n</graphml>\n")
	return g.err
}

// escaped returns text for XML. Characters that XML can't hold become the
// replacement character.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}

// entityByHand and relationByHand report whether a curator added something
// without a source.
func entityByHand(e domain.Entity) bool { return e.Documents == 0 }

func relationByHand(r domain.Relation) bool { return len(r.Evidence) == 0 }

// mark returns the mark by hand, "" for what documents say.
func mark(byHand bool) string { return either(byHand, "true", "") }

func lines(list []string) string { return strings.Join(list, "\n") }

// properties returns properties as a JSON object, in their order, or "" if
// there are none.
func properties(list domain.Properties) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	for i, p := range list {
		b.WriteString(either(i == 0, "{", ","))
		b.WriteString(quoted(p.Key) + ":" + quoted(p.Value))
	}
	return b.String() + "}"
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string never fails
	return string(b)
}

// csvFile writes one table: entities, then relations, told apart by the first
// column.
type csvFile struct{ w *csv.Writer }

// header is the first line of a CSV file.
var header = []string{"kind", "id", "name", "label", "aliases", "mentions", "documents", "properties", "source", "target", "type", "evidence", "sources", "by_hand"}

func newCSV(w io.Writer) encoder {
	c := csvFile{csv.NewWriter(w)}
	_ = c.w.Write(header) // the writer keeps its error
	return c
}

func (c csvFile) entity(e domain.Entity) error {
	return c.row("entity", string(e.ID), e.Name, e.Label, lines(e.Aliases), strconv.Itoa(e.Mentions), strconv.Itoa(e.Documents), properties(e.Properties), "", "", "", "", "", mark(entityByHand(e)))
}

func (c csvFile) relation(r domain.Relation) error {
	return c.row("relation", string(r.ID), "", "", "", "", "", properties(r.Properties), string(r.Source), string(r.Target), r.Type, strconv.Itoa(len(r.Evidence)), lines(documents(r)), mark(relationByHand(r)))
}

func (c csvFile) row(cells ...string) error {
	for i, cell := range cells {
		cells[i] = harmless(cell)
	}
	return c.w.Write(cells)
}

// harmless keeps a spreadsheet from reading a cell as a formula, by an
// apostrophe before it. A cell that begins with an apostrophe gets one too, so
// that taking off one always gives the text back.
func harmless(cell string) string {
	cell = strings.ReplaceAll(cell, "\r", " ")
	if cell != "" && strings.ContainsRune("=+-@\t\n'", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func (c csvFile) end() error {
	c.w.Flush()
	return c.w.Error()
}

// jsonFile writes an object with a list of entities and a list of relations,
// each on its own line.
type jsonFile struct {
	printer
	entities, relations int
}

func newJSON(w io.Writer) encoder {
	j := &jsonFile{printer: printer{w: w}}
	j.print(`{"entities":[`)
	return j
}

func (j *jsonFile) entity(e domain.Entity) error {
	e.Relations = 0 // counted where the relations are read, which is not everywhere
	j.item(&j.entities, struct {
		domain.Entity

		ByHand bool `json:"by_hand,omitempty"`
	}{e, entityByHand(e)})
	return j.err
}

func (j *jsonFile) relation(r domain.Relation) error {
	if j.relations == 0 {
		j.print("\n" + `],"relations":[`)
	}
	j.item(&j.relations, struct {
		domain.Relation

		ByHand bool `json:"by_hand,omitempty"`
	}{r, relationByHand(r)})
	return j.err
}

func (j *jsonFile) item(count *int, value any) {
	b, err := json.Marshal(value)
	if err != nil && j.err == nil {
		j.err = err
	}
	if *count > 0 {
		j.print(",")
	}
	*count++
	j.print("\n", string(b))
}

func (j *jsonFile) end() error {
	if j.relations == 0 {
		j.print("\n" + `],"relations":[`)
	}
	j.print("\n]}\n")
	return j.err
}

// cypherFile writes statements that make the graph in Neo4j. Labels and types
// from documents stand in properties, so that they are never read as Cypher.
type cypherFile struct{ printer }

func newCypher(w io.Writer) encoder {
	c := &cypherFile{printer{w: w}}
	c.print("CREATE CONSTRAINT clew_entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE;\n")
	return c
}

func (c *cypherFile) entity(e domain.Entity) error {
	c.print("MERGE (e:Entity {id: ", literal(string(e.ID)), "}) SET e.name = ", literal(e.Name), ", e.label = ", literal(e.Label),
		", e.aliases = ", literals(e.Aliases), ", e.mentions = ", strconv.Itoa(e.Mentions), ", e.documents = ", strconv.Itoa(e.Documents),
		", e.properties = ", literal(properties(e.Properties)), ", e.by_hand = ", strconv.FormatBool(entityByHand(e)), ";\n")
	return c.err
}

func (c *cypherFile) relation(r domain.Relation) error {
	c.print("MATCH (a:Entity {id: ", literal(string(r.Source)), "}), (b:Entity {id: ", literal(string(r.Target)), "}) MERGE (a)-[r:RELATED {id: ", literal(string(r.ID)),
		"}]->(b) SET r.type = ", literal(r.Type), ", r.evidence = ", strconv.Itoa(len(r.Evidence)), ", r.sources = ", literals(documents(r)),
		", r.properties = ", literal(properties(r.Properties)), ", r.by_hand = ", strconv.FormatBool(relationByHand(r)), ";\n")
	return c.err
}

func (c *cypherFile) end() error { return c.err }

// literal returns a Cypher string. Neo4j reads \u escapes before it looks for
// the end of a string, so no backslash of the text may come before a u: each
// ends its string, and the next part is added to it.
func literal(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'':
			b.WriteString(`\'`)
		case r == '\\':
			b.WriteString(`\\' + '`)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}

func literals(list []string) string {
	quotedList := make([]string, len(list))
	for i, s := range list {
		quotedList[i] = literal(s)
	}
	return "[" + strings.Join(quotedList, ", ") + "]"
}
