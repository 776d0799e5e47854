package explore

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/operation"
)

// An encoder writes a graph to a file. All entities come before all relations.
type encoder interface {
	entity(e domain.Entity) error
	relation(r domain.Relation) error
	end() error
}

// format is a format of files.
type format struct {
	media  string
	encode func(io.Writer) encoder
}

// formats are the formats of files, by the ending of their names.
var formats = map[string]format{
	"graphml": {"application/graphml+xml; charset=utf-8", newGraphML}, "csv": {"text/csv; charset=utf-8", newCSV},
	"json": {"application/json", newJSON}, "cypher": {"text/plain; charset=utf-8", newCypher},
}

// batch is how many entities are read at a time.
const batch = 500

// A Part selects the entities and relations of a graph to export.
type Part struct {
	Entities  []domain.EntityID
	Relations map[domain.RelationID]bool
}

// Part returns the part that a view shows.
func (v View) Part() Part {
	p := Part{Relations: map[domain.RelationID]bool{}}
	p.Entities = lists.Map(v.Nodes, func(n Node) domain.EntityID { return n.ID })
	for _, e := range v.Edges {
		for _, k := range e.Kinds {
			from, to := v.Nodes[e.A].ID, v.Nodes[e.B].ID
			if k.Back {
				from, to = to, from
			}
			p.Relations[domain.NewRelationID(from, k.Type, to)] = true
		}
	}
	return p
}

// Exporting describes what a file of the graph holds.
type Exporting struct {
	File     string `json:"file" arg:"FILE" blank:"" doc:"name of the file, whose ending tells the format"`
	Format   string `json:"format" trail:"" doc:"graphml, csv, json, cypher"`
	Mentions bool   `json:"mentions" trail:"" doc:"include names that are only mentioned together"`
	Part     *Part  `json:"-"` // nil for the whole graph
}

// Export returns a file of a workspace's graph: of the part, or all
// of it if that is nil. Entities are ordered by name and id, relations by their
// ends and type, so the same graph gives the same file. It holds a batch in
// memory and the ids of all entities.
func (r Reader) Export(ctx context.Context, in Exporting) (operation.Made, error) {
	named := cmp.Or(in.Format, strings.TrimPrefix(path.Ext(in.File), "."))
	f, known := formats[named]
	if !known {
		return operation.Made{}, domain.Errorf(domain.Invalid, "There is no format %q. Choose graphml, csv, json or cypher.", named)
	}
	w := domain.WorkspaceOf(ctx)
	if _, err := r.Graph.Cursor(ctx, w); err != nil { // before the file begins, while an error can still be reported
		return operation.Made{}, err
	}
	var mentioned []domain.Relation
	if in.Mentions {
		g, err := r.whole(ctx)
		if err != nil {
			return operation.Made{}, err
		}
		mentioned = g.TieRelations()
	}
	return operation.Made{Name: in.File, Type: f.media, Write: func(out io.Writer) error {
		return export(ctx, r.Graph, w, in.Part, mentioned, f.encode, out)
	}}, nil
}

// export writes a graph, and after its relations those of mentioned whose ends are written.
func export(ctx context.Context, store graphstore.Reader, w domain.WorkspaceID, part *Part, mentioned []domain.Relation, encode func(io.Writer) encoder, out io.Writer) error {
	buffered := bufio.NewWriter(out)
	x := &exporter{ctx: ctx, store: store, workspace: w, encoder: encode(buffered), part: part, written: map[domain.EntityID]bool{}}
	write := x.all
	if part != nil {
		write = x.some
	}
	if err := write(); err != nil {
		return err
	}
	for _, r := range mentioned {
		if x.written[r.Source] && x.written[r.Target] {
			if err := x.relation(r); err != nil {
				return err
			}
		}
	}
	if err := x.end(); err != nil {
		return err
	}
	return buffered.Flush()
}

type exporter struct {
	encoder

	ctx       context.Context
	store     graphstore.Reader
	workspace domain.WorkspaceID
	part      *Part
	written   map[domain.EntityID]bool
	order     []domain.EntityID // of written
}

// all writes the whole graph. Entities deleted meanwhile are left out, with their relations.
func (x *exporter) all() error {
	for offset := 0; ; offset += batch {
		page, _, err := x.store.Entities(x.ctx, x.workspace, graphstore.EntityQuery{Order: graphstore.ByName, Limit: batch, Offset: offset})
		if err != nil {
			return err
		}
		if err := x.entities(page); err != nil {
			return err
		}
		if len(page) < batch {
			break
		}
	}
	return x.relations()
}

func (x *exporter) entities(list []domain.Entity) error {
	for _, e := range list {
		if x.written[e.ID] {
			continue
		}
		x.written[e.ID] = true
		x.order = append(x.order, e.ID)
		if err := x.entity(e); err != nil {
			return err
		}
	}
	return nil
}

// relations writes the relations whose source was written, in its order.
func (x *exporter) relations() error {
	for ids := range slices.Chunk(x.order, batch) {
		edges, err := x.store.Around(x.ctx, x.workspace, ids, 0)
		if err != nil {
			return err
		}
		from := lists.Set(ids)
		if err := x.edges(edges, func(e graphstore.Edge) bool { return from[e.Source] }); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) edges(edges []graphstore.Edge, wanted func(graphstore.Edge) bool) error {
	slices.SortFunc(edges, func(a, b graphstore.Edge) int {
		return strings.Compare(string(a.Source)+" "+string(a.Target)+" "+a.Type, string(b.Source)+" "+string(b.Target)+" "+b.Type)
	})
	for _, e := range edges {
		if !wanted(e) || !x.written[e.Source] || !x.written[e.Target] {
			continue
		}
		if err := x.relation(e.Relation); err != nil {
			return err
		}
	}
	return nil
}

// some writes the part, whose entities and relations are read in one look around them. An entity without relations is
// read separately.
func (x *exporter) some() error {
	edges, err := x.store.Around(x.ctx, x.workspace, x.part.Entities, 0)
	if err != nil {
		return err
	}
	found := map[domain.EntityID]domain.Entity{}
	for _, e := range edges {
		found[e.Source], found[e.Target] = e.From, e.To
	}
	var list []domain.Entity
	for _, id := range x.part.Entities {
		e, known := found[id]
		if !known {
			if e, err = x.store.Entity(x.ctx, x.workspace, id); domain.KindOf(err) == domain.NotFound {
				continue
			} else if err != nil {
				return err
			}
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b domain.Entity) int {
		return strings.Compare(a.Name+"\x00"+string(a.ID), b.Name+"\x00"+string(b.ID))
	})
	if err := x.entities(list); err != nil {
		return err
	}
	return x.edges(edges, func(e graphstore.Edge) bool { return x.part.Relations[e.ID] })
}

// documents returns the documents of a relation's evidence, each once.
func documents(r domain.Relation) []string {
	ids := lists.Map(r.Evidence, func(e domain.Evidence) string { return string(e.Document) })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// An attribute is what a file says of an entity or a relation: a string, a number, a list or, as a mark by hand, a bool.
type attribute struct {
	name  string
	value any
}

func entityAttributes(e domain.Entity) []attribute {
	return []attribute{
		{"name", e.Name}, {"label", e.Label}, {"aliases", e.Aliases}, {"mentions", e.Mentions}, {"documents", e.Documents},
		{"properties", properties(e.Properties)}, {"by_hand", e.Documents == 0},
	}
}

func relationAttributes(r domain.Relation) []attribute {
	return []attribute{
		{"type", r.Type}, {"evidence", len(r.Evidence)}, {"sources", documents(r)}, {"properties", properties(r.Properties)}, {"by_hand", len(r.Evidence) == 0},
	}
}

// text returns the value as text; a false mark is "".
func (a attribute) text() string {
	switch v := a.value.(type) {
	case int:
		return strconv.Itoa(v)
	case []string:
		return strings.Join(v, "\n")
	case bool:
		return either(v, "true", "")
	}
	return a.value.(string)
}

// properties returns properties as a JSON object, in their order, or "" if
// there are none.
func properties(list domain.Properties) string {
	if len(list) == 0 {
		return ""
	}
	quoted := func(s string) string {
		b, _ := json.Marshal(s) // a string never fails
		return string(b)
	}
	var b strings.Builder
	for i, p := range list {
		b.WriteString(either(i == 0, "{", ",") + quoted(p.Key) + ":" + quoted(p.Value))
	}
	return b.String() + "}"
}

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

// ofEdge is the prefix of the ids of edge attributes, since an id identifies only one attribute.
const ofEdge = "edge_"

func newGraphML(w io.Writer) encoder {
	g := &graphML{printer{w: w}}
	g.print(xml.Header, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">`, "\n")
	g.keys("node", "", entityAttributes(domain.Entity{}))
	g.keys("edge", ofEdge, relationAttributes(domain.Relation{}))
	g.print(`<graph edgedefault="directed">`, "\n")
	return g
}

func (g *graphML) keys(of, id string, attributes []attribute) {
	for _, a := range attributes {
		kind := "string"
		switch a.value.(type) {
		case int:
			kind = "int"
		case bool:
			kind = "boolean"
		}
		g.print(`<key id="`, id, a.name, `" for="`, of, `" attr.name="`, a.name, `" attr.type="`, kind, `"/>`, "\n")
	}
}

func (g *graphML) entity(e domain.Entity) error {
	g.print(`<node id="`, escaped(string(e.ID)), `">`)
	g.data("", entityAttributes(e))
	g.print("</node>\n")
	return g.err
}

func (g *graphML) relation(r domain.Relation) error {
	g.print(`<edge id="`, escaped(string(r.ID)), `" source="`, escaped(string(r.Source)), `" target="`, escaped(string(r.Target)), `">`)
	g.data(ofEdge, relationAttributes(r))
	g.print("</edge>\n")
	return g.err
}

func (g *graphML) data(id string, attributes []attribute) {
	for _, a := range attributes {
		if text := a.text(); text != "" {
			g.print(`<data key="`, id, a.name, `">`, escaped(text), `</data>`)
		}
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

// csvFile writes one table: entities, then relations, distinguished by the first column.
type csvFile struct{ w *csv.Writer }

// header is the first line of a CSV file.
var header = []string{"kind", "id", "name", "label", "aliases", "mentions", "documents", "properties", "source", "target", "type", "evidence", "sources", "by_hand"}

func newCSV(w io.Writer) encoder {
	c := csvFile{csv.NewWriter(w)}
	_ = c.w.Write(header) // the writer keeps its error
	return c
}

func (c csvFile) entity(e domain.Entity) error {
	return c.row(append(entityAttributes(e), attribute{"kind", "entity"}, attribute{"id", string(e.ID)}))
}

func (c csvFile) relation(r domain.Relation) error {
	return c.row(append(relationAttributes(r), attribute{"kind", "relation"}, attribute{"id", string(r.ID)}, attribute{"source", string(r.Source)}, attribute{"target", string(r.Target)}))
}

func (c csvFile) row(attributes []attribute) error {
	cells := make([]string, len(header))
	for _, a := range attributes {
		cells[slices.Index(header, a.name)] = harmless(a.text())
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
	e.Relations = 0 // counted only in places where the relations are read
	return j.item(&j.entities, struct {
		domain.Entity

		ByHand bool `json:"by_hand,omitempty"`
	}{e, e.Documents == 0})
}

func (j *jsonFile) relation(r domain.Relation) error {
	if j.relations == 0 {
		j.print("\n" + `],"relations":[`)
	}
	return j.item(&j.relations, struct {
		domain.Relation

		ByHand bool `json:"by_hand,omitempty"`
	}{r, len(r.Evidence) == 0})
}

func (j *jsonFile) item(count *int, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	*count++
	j.print(either(*count > 1, ",\n", "\n"), string(b))
	return j.err
}

func (j *jsonFile) end() error {
	if j.relations == 0 {
		j.print("\n" + `],"relations":[`)
	}
	j.print("\n]}\n")
	return j.err
}

// cypherFile writes statements that create the graph in Neo4j. Labels and types from documents are stored as properties,
// so that they are never parsed as Cypher.
type cypherFile struct{ printer }

func newCypher(w io.Writer) encoder {
	c := &cypherFile{printer{w: w}}
	c.print("CREATE CONSTRAINT clew_entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE;\n")
	return c
}

func (c *cypherFile) entity(e domain.Entity) error {
	c.print("MERGE (e:Entity {id: ", literal(string(e.ID)), "}) SET ", set("e", entityAttributes(e)), ";\n")
	return c.err
}

func (c *cypherFile) relation(r domain.Relation) error {
	c.print("MATCH (a:Entity {id: ", literal(string(r.Source)), "}), (b:Entity {id: ", literal(string(r.Target)), "}) MERGE (a)-[r:RELATED {id: ", literal(string(r.ID)),
		"}]->(b) SET ", set("r", relationAttributes(r)), ";\n")
	return c.err
}

func (c *cypherFile) end() error { return c.err }

// set returns the assignments that set attributes.
func set(of string, attributes []attribute) string {
	parts := make([]string, len(attributes))
	for i, a := range attributes {
		value := a.text()
		switch v := a.value.(type) {
		case string:
			value = literal(v)
		case bool:
			value = strconv.FormatBool(v)
		case []string:
			literals := lists.Map(v, literal)
			value = "[" + strings.Join(literals, ", ") + "]"
		}
		parts[i] = of + "." + a.name + " = " + value
	}
	return strings.Join(parts, ", ")
}

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
