package parse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/graphtext"
)

// readGraph reads a file of a graph, in GraphML, JSON or CSV: each entity and
// each relation becomes a line.
func readGraph(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	g := &graphReader{ctx: ctx, w: w, ids: map[string]graphtext.Entity{}}
	s = strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(s, "<"):
		g.format = "GraphML"
		err = g.graphML(s)
	case strings.HasPrefix(s, "{"):
		err = g.json(s)
	default:
		g.format = "CSV"
		err = g.csv(s)
	}
	if err != nil {
		return err
	}
	return g.finish()
}

// The limits of a file of a graph.
const (
	maxGraphRows = 500_000 // entities and relations
	maxGraphName = 300     // code points of a name, label or type
	maxValue     = 500     // code points of a property
)

// graphReader collects the rows of a file. Relations name their ends by id and
// may come before them.
type graphReader struct {
	ctx       context.Context
	w         *writer
	ids       map[string]graphtext.Entity
	lines     []string // of the paragraph being written
	relations []graphLink
	rows      int
	left      int // rows left out
	cut       int // shortened values
	format    string
	ignored   []string
}

// graphLink is a relation as a file states it, with the ids of its ends.
type graphLink struct {
	source, target string
	kind           string
	properties     []graphtext.Property
}

// markByHand returns the property that marks items added by hand in the library a file comes from.
func markByHand(mark string) []graphtext.Property {
	if mark != "true" {
		return nil
	}
	return []graphtext.Property{{Key: "by_hand", Value: "yes"}}
}

// count counts a row. The error is for too many rows, or for a result that nobody waits for.
func (g *graphReader) count() error {
	g.rows++
	if g.rows > maxGraphRows {
		return domain.Errorf(domain.TooLarge, "This file holds more than %d entities and relations, which is the limit. Split it into smaller files.", maxGraphRows)
	}
	if g.rows%1024 == 0 {
		return g.ctx.Err()
	}
	return nil
}

// entity adds an entity with the id that relations refer to, or "".
func (g *graphReader) entity(id string, e graphtext.Entity) error {
	if err := g.count(); err != nil {
		return err
	}
	e = g.tidied(e)
	if !fits(e) {
		g.left++
		return nil
	}
	if id != "" {
		g.ids[id] = graphtext.Entity{Name: e.Name, Label: e.Label}
	}
	return g.write(graphtext.Row{Entity: e})
}

// write adds the lines of a row to the text, a paragraph at a time.
func (g *graphReader) write(r graphtext.Row) error {
	g.lines = append(g.lines, r.Lines()...)
	if len(g.lines) < maxTogether {
		return nil
	}
	return g.flush()
}

// maxTogether is how many lines make a paragraph.
const maxTogether = 1000

func (g *graphReader) flush() error {
	g.w.add(strings.Join(g.lines, "\n"))
	g.lines = g.lines[:0]
	if g.w.full {
		return tooMuchText(g.w.limits.MaxChars)
	}
	return nil
}

// tidied returns an entity with clean texts on single lines.
func (g *graphReader) tidied(e graphtext.Entity) graphtext.Entity {
	out := graphtext.Entity{Name: tidyLine(e.Name), Label: tidyLine(e.Label)}
	for _, a := range e.Aliases {
		if a = g.value(a); a != "" && a != out.Name && !slices.Contains(out.Aliases, a) {
			out.Aliases = append(out.Aliases, a)
		}
	}
	out.Properties = g.properties(e.Properties)
	return out
}

// properties returns those with a key and a value, each once.
func (g *graphReader) properties(list []graphtext.Property) []graphtext.Property {
	var out []graphtext.Property
	for _, p := range list {
		p = graphtext.Property{Key: g.value(p.Key), Value: g.value(p.Value)}
		if p.Key != "" && p.Value != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func (g *graphReader) value(s string) string {
	s = tidyLine(s)
	if utf8.RuneCountInString(s) > maxValue {
		g.cut++
		s = shorten(s, maxValue)
	}
	return s
}

// fits reports whether an entity has a name and a label of usable length.
func fits(e graphtext.Entity) bool {
	return e.Name != "" && utf8.RuneCountInString(e.Name) <= maxGraphName && utf8.RuneCountInString(e.Label) <= maxGraphName
}

// relation adds a relation between two ids.
func (g *graphReader) relation(l graphLink) error {
	l.kind = tidyLine(cmp.Or(l.kind, unnamed))
	g.relations = append(g.relations, l)
	return g.count()
}

// unnamed is the type of relations without one.
const unnamed = "RELATED_TO"

// finish writes the rows: entities, then relations. An end that is not an entity's id is a name.
func (g *graphReader) finish() error {
	for _, l := range g.relations {
		source, target := g.end(l.source), g.end(l.target)
		if !fits(source) || !fits(target) || utf8.RuneCountInString(l.kind) > maxGraphName {
			g.left++
			continue
		}
		if err := g.write(graphtext.Row{Entity: source, Type: l.kind, Target: target, Stated: g.properties(l.properties)}); err != nil {
			return err
		}
	}
	if err := g.flush(); err != nil {
		return err
	}
	if g.left > 0 {
		g.w.warn(fmt.Sprintf("%d rows were left out: they have no name, or one of more than %d characters.", g.left, maxGraphName))
	}
	if g.cut > 0 {
		g.w.warn(fmt.Sprintf("%d values were truncated to %d characters.", g.cut, maxValue))
	}
	if len(g.ignored) > 0 {
		g.w.warn("These columns were left out: " + strings.Join(g.ignored[:min(len(g.ignored), 20)], ", ") + ".")
	}
	if g.w.runes == 0 {
		g.w.warn("This file contains no entities or relations.")
	}
	return nil
}

func (g *graphReader) end(id string) graphtext.Entity {
	if e, known := g.ids[id]; known {
		return e
	}
	return graphtext.Entity{Name: tidyLine(id)}
}

// lookLikeGraph reports whether text begins like a file of a graph.
func lookLikeGraph(text string) bool {
	begin := text[:min(len(text), 2048)]
	switch {
	case strings.HasPrefix(begin, "<"):
		return strings.Contains(begin, "<graphml")
	case strings.HasPrefix(begin, "{"):
		return graphMember.MatchString(begin)
	}
	first, _, _ := strings.Cut(begin, "\n")
	_, ok := columnsOf(first)
	return ok
}

// damagedGraph returns the error for a damaged file of a graph, with the place.
func damagedGraph(cause error, format, where string) error {
	return domain.Because(domain.Invalid, cause, "This %s file is damaged %s: %s.", format, where, plainCause(cause))
}

// plainCause returns the words of an error on one line.
func plainCause(err error) string {
	return shorten(strings.TrimRight(tidyLine(err.Error()), "."), 200)
}

// lineOf returns the number of the line at a byte of the text.
func lineOf(s string, at int64) int {
	return 1 + bytes.Count([]byte(s[:min(max(0, at), int64(len(s)))]), []byte("\n"))
}

// maxGraphDepth is how deep elements of GraphML may be nested: graphs within
// nodes are rare.
const maxGraphDepth = 100

// graphML reads GraphML. Documents can't define entities for it to expand: the decoder knows only
// those of XML itself.
func (g *graphReader) graphML(s string) error {
	keys := map[string]string{} // the names of attributes by id
	r := partReader{kind: "GraphML file", visitor: visitor{
		whole: func(e *element) bool { return e.name == "node" || e.name == "edge" },
		enter: func(e *element) error {
			switch e.name {
			case "key":
				keys[e.attr("id")] = e.attr("attr.name")
			case "node", "edge":
				return g.graphItems(e, keys)
			}
			return nil
		},
	}}
	d := xml.NewDecoder(strings.NewReader(s))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // already decoded
	for depth := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if where, ok := errors.AsType[*xml.SyntaxError](err); ok {
				err = errors.New(where.Msg)
			}
			return damagedGraph(err, "GraphML", fmt.Sprintf("in line %d", lineOf(s, d.InputOffset())))
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > maxGraphDepth {
				return domain.Errorf(domain.Invalid, "This GraphML file is nested more than %d levels deep; it was not read.", maxGraphDepth)
			}
		case xml.EndElement:
			depth--
		case xml.Directive:
			return domain.Errorf(domain.Invalid, "This GraphML file declares a document type, which may define entities; it was not read. Remove the line with <!DOCTYPE.")
		}
		if err := r.token(token); err != nil {
			return err
		}
	}
}

// graphItems adds a node or an edge, after those within it.
func (g *graphReader) graphItems(e *element, keys map[string]string) error {
	var data []graphtext.Property
	for _, kid := range e.kids {
		switch kid.name {
		case "data":
			if key := kid.attr("key"); key != "" {
				data = append(data, graphtext.Property{Key: cmp.Or(keys[key], key), Value: kid.words()})
			}
		case "graph":
			for _, inner := range kid.kids {
				if inner.name == "node" || inner.name == "edge" {
					if err := g.graphItems(inner, keys); err != nil {
						return err
					}
				}
			}
		}
	}
	if e.name == "edge" {
		return g.edge(e.attr("source"), e.attr("target"), data)
	}
	return g.node(e.attr("id"), data)
}

// firstOf returns the value of the first attribute that there is.
func firstOf(data []graphtext.Property, names ...string) string {
	for _, name := range names {
		for _, p := range data {
			if p.Key == name && p.Value != "" {
				return p.Value
			}
		}
	}
	return ""
}

// edge adds an edge. Data without a special meaning becomes a property.
func (g *graphReader) edge(source, target string, data []graphtext.Property) (err error) {
	l := graphLink{source: source, target: target, kind: firstOf(data, "type", "label", "relation")}
	if l.properties, err = g.stated(data, l.kind, "type", "label", "relation", "evidence", "sources"); err != nil {
		return err
	}
	return g.relation(l)
}

// node adds a node. Data without a special meaning becomes a property.
func (g *graphReader) node(id string, data []graphtext.Property) (err error) {
	e := graphtext.Entity{Name: firstOf(data, "name"), Label: firstOf(data, "label")}
	if e.Name == "" { // the label contains the name
		e.Name, e.Label = firstOf(data, "label"), firstOf(data, "type")
	}
	e.Name = cmp.Or(e.Name, id)
	for _, p := range data {
		if p.Key == "aliases" {
			e.Aliases = append(e.Aliases, strings.Split(p.Value, "\n")...)
		}
	}
	if e.Properties, err = g.stated(data, e.Name, "name", "label", "mentions", "documents", "aliases"); err != nil {
		return err
	}
	return g.entity(id, e)
}

// stated returns the properties among the attributes of a node or an edge, but for those with a meaning.
func (g *graphReader) stated(data []graphtext.Property, of string, meaning ...string) (list []graphtext.Property, err error) {
	for _, p := range data {
		switch {
		case slices.Contains(meaning, p.Key):
		case p.Key == "by_hand":
			list = append(list, markByHand(p.Value)...)
		case p.Key == "properties":
			more, err := members(p.Value)
			if err != nil {
				return nil, damagedGraph(err, g.format, fmt.Sprintf("in the properties of %q", shorten(tidyLine(of), 60)))
			}
			list = append(list, more...)
		default:
			list = append(list, p)
		}
	}
	return list, nil
}

// graphMember finds the beginning of a list of entities or relations.
var graphMember = regexp.MustCompile(`"(entities|relations|nodes|edges|links)"\s*:\s*\[`)

// jsonEntity is an entity in JSON.
type jsonEntity struct {
	ID         jsonText       `json:"id"`
	Name       string         `json:"name"`
	Label      string         `json:"label"`
	Aliases    []string       `json:"aliases"`
	Properties jsonProperties `json:"properties"`
	ByHand     bool           `json:"by_hand"`
}

// jsonRelation is a relation in JSON.
type jsonRelation struct {
	Source     jsonText       `json:"source"`
	Target     jsonText       `json:"target"`
	Type       string         `json:"type"`
	Properties jsonProperties `json:"properties"`
	ByHand     bool           `json:"by_hand"`
}

// jsonProperties are a list of keys and values, or an object.
type jsonProperties []graphtext.Property

// UnmarshalJSON implements json.Unmarshaler.
func (p *jsonProperties) UnmarshalJSON(b []byte) (err error) {
	if b[0] == '{' {
		*p, err = members(string(b))
		return err
	}
	return json.Unmarshal(b, (*[]graphtext.Property)(p))
}

// jsonText is a text or a number.
type jsonText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *jsonText) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, (*string)(t)); err == nil {
		return nil
	}
	err := json.Unmarshal(b, &n)
	*t = jsonText(n)
	return err
}

// json reads an object with lists of entities and relations, an item at a time.
func (g *graphReader) json(s string) error {
	d := json.NewDecoder(strings.NewReader(s))
	err := g.jsonLists(d)
	if err == nil {
		return nil
	}
	if _, ours := domain.MessageOf(err); ours || errors.Is(err, g.ctx.Err()) {
		return err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return damagedGraph(err, "JSON", fmt.Sprintf("in line %d", lineOf(s, d.InputOffset())))
}

func (g *graphReader) jsonLists(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		item := func() error { return d.Decode(new(json.RawMessage)) }
		switch name {
		case "entities", "nodes":
			item = func() error { return g.jsonEntity(d) }
		case "relations", "edges", "links":
			item = func() error { return g.jsonRelation(d) }
		default:
			if err := item(); err != nil {
				return err
			}
			continue
		}
		if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
			return errors.Join(err, fmt.Errorf("%q is no list", name))
		}
		for d.More() {
			if err := item(); err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (g *graphReader) jsonEntity(d *json.Decoder) error {
	var e jsonEntity
	if err := d.Decode(&e); err != nil {
		return err
	}
	if e.Name == "" { // only the label contains the name
		e.Name, e.Label = e.Label, ""
	}
	e.Name = cmp.Or(e.Name, string(e.ID))
	return g.entity(string(e.ID), graphtext.Entity{Name: e.Name, Label: e.Label, Aliases: e.Aliases, Properties: append(e.Properties, markByHand(strconv.FormatBool(e.ByHand))...)})
}

func (g *graphReader) jsonRelation(d *json.Decoder) error {
	var r jsonRelation
	if err := d.Decode(&r); err != nil {
		return err
	}
	return g.relation(graphLink{string(r.Source), string(r.Target), r.Type, append(r.Properties, markByHand(strconv.FormatBool(r.ByHand))...)})
}

// members returns the texts, numbers and truth values of a JSON object, in their
// order and with those that repeat.
func members(object string) ([]graphtext.Property, error) {
	if object == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(object))
	d.UseNumber()
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.Join(err, errors.New("no object"))
	}
	var out []graphtext.Property
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := key.(string)
		switch value.(type) {
		case string, bool, json.Number:
			out = append(out, graphtext.Property{Key: name, Value: fmt.Sprint(value)})
		}
	}
	return out, nil
}

// columns maps names to columns of a CSV file, or -1 if missing.
type columns struct {
	comma  rune
	ours   bool // written by Clew: entities and relations, distinguished by the first column
	at     map[string]int
	others []string
}

// columnNames maps the names of columns that are read, in lower case.
var columnNames = map[string]string{
	"source": "source", "from": "source", "subject": "source", "target": "target", "to": "target", "object": "target",
	"type": "type", "relation": "type", "predicate": "type", "source_label": "source_label", "target_label": "target_label",
}

// ourColumns are the columns of a file that Clew wrote.
var ourColumns = []string{"kind", "id", "name", "label", "aliases", "properties", "source", "target", "type", "by_hand"}

// columnsOf reads the first line of a CSV file, and reports whether it names the
// columns of a graph.
func columnsOf(line string) (columns, bool) {
	c := columns{comma: ',', at: map[string]int{}}
	for _, r := range []rune{';', '\t'} {
		if strings.Count(line, string(r)) > strings.Count(line, string(c.comma)) {
			c.comma = r
		}
	}
	read := csv.NewReader(strings.NewReader(line))
	read.Comma, read.LazyQuotes = c.comma, true
	names, err := read.Read()
	if err != nil {
		return c, false
	}
	c.ours = len(names) > 2 && names[0] == "kind" && slices.Contains(names, "name")
	for i, raw := range names {
		name := strings.ToLower(strings.TrimSpace(raw))
		known, ok := columnNames[name], columnNames[name] != ""
		if c.ours {
			known, ok = name, slices.Contains(ourColumns, name)
		}
		if _, twice := c.at[known]; ok && !twice {
			c.at[known] = i
		} else if !c.ours {
			c.others = append(c.others, shorten(tidyLine(raw), 40))
		}
	}
	_, source := c.at["source"]
	_, target := c.at["target"]
	return c, source && target
}

// cell returns the text of a column, without the apostrophe that Clew writes
// before what a spreadsheet would calculate.
func (c columns) cell(row []string, name string) string {
	i, ok := c.at[name]
	if !ok || i >= len(row) {
		return ""
	}
	if c.ours {
		return strings.TrimPrefix(row[i], "'")
	}
	return strings.TrimSpace(row[i])
}

// csv reads a table of entities and relations, or a list of relations.
func (g *graphReader) csv(s string) error {
	first, _, _ := strings.Cut(s, "\n")
	c, ok := columnsOf(first)
	if !ok {
		return domain.Errorf(domain.Invalid, "This CSV file contains no readable graph. Its first line should name the columns source and target, and may name type, source_label and target_label.")
	}
	g.ignored = c.others
	read := csv.NewReader(strings.NewReader(s))
	read.Comma, read.FieldsPerRecord, read.ReuseRecord = c.comma, -1, true
	for n := 0; ; n++ {
		row, err := read.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			line := 0
			if where, ok := errors.AsType[*csv.ParseError](err); ok {
				line, err = where.Line, where.Err
			}
			return damagedGraph(err, "CSV", fmt.Sprintf("in line %d", line))
		}
		if n == 0 {
			continue
		}
		if err := g.tableRow(c, row); err != nil {
			return err
		}
	}
}

func (g *graphReader) tableRow(c columns, row []string) error {
	source, target, kind := strings.Clone(c.cell(row, "source")), strings.Clone(c.cell(row, "target")), strings.Clone(c.cell(row, "type"))
	if !c.ours {
		return g.relation(graphLink{g.named(source, c.cell(row, "source_label")), g.named(target, c.cell(row, "target_label")), kind, nil})
	}
	data := func(columns ...string) (list []graphtext.Property) {
		for _, name := range columns {
			list = append(list, graphtext.Property{Key: name, Value: strings.Clone(c.cell(row, name))})
		}
		return list
	}
	if c.cell(row, "kind") == "entity" {
		return g.node(strings.Clone(c.cell(row, "id")), data("name", "label", "aliases", "properties", "by_hand"))
	}
	return g.edge(source, target, data("type", "properties", "by_hand"))
}

// named returns the id of an end that a list of relations gives by name and
// label.
func (g *graphReader) named(name, label string) string {
	if label == "" {
		return name
	}
	id := name + "\x00" + label
	if _, known := g.ids[id]; !known {
		g.ids[id] = graphtext.Entity{Name: tidyLine(name), Label: tidyLine(label)}
	}
	return id
}
