package parse

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphtext"
)

// maxGraphDepth is how deep elements of GraphML may be nested: graphs within
// nodes are rare.
const maxGraphDepth = 100

// graphMLReader reads GraphML. Documents can't define entities for it to expand:
// the decoder knows only those of XML itself.
type graphMLReader struct {
	*graphReader
	keys  map[string]string // the names of attributes by id
	open  []*graphItem      // the nodes and edges being read
	key   string            // the attribute being read
	value strings.Builder
}

// graphItem is a node, or an edge if it has ends.
type graphItem struct {
	id             string
	source, target string
	edge           bool
	data           []graphtext.Property
}

func (g *graphReader) graphML(s string) error {
	r := &graphMLReader{graphReader: g, keys: map[string]string{}}
	d := xml.NewDecoder(strings.NewReader(s))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // decoded before
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
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxGraphDepth {
				return domain.Errorf(domain.Invalid, "This GraphML file is nested more than %d levels deep; it was not read.", maxGraphDepth)
			}
			r.start(t)
		case xml.EndElement:
			depth--
			if err := r.end(t.Name.Local); err != nil {
				return err
			}
		case xml.CharData:
			if r.key != "" {
				r.value.Write(t)
			}
		case xml.Directive:
			return domain.Errorf(domain.Invalid, "This GraphML file declares a document type, which may define entities; it was not read. Take the line with <!DOCTYPE out.")
		}
	}
}

func (r *graphMLReader) start(t xml.StartElement) {
	switch t.Name.Local {
	case "key":
		r.keys[attr(t, "id")] = attr(t, "attr.name")
	case "node":
		r.open = append(r.open, &graphItem{id: attr(t, "id")})
	case "edge":
		r.open = append(r.open, &graphItem{edge: true, source: attr(t, "source"), target: attr(t, "target")})
	case "data":
		r.key = attr(t, "key")
		r.value.Reset()
	}
}

func (r *graphMLReader) end(name string) error {
	n := len(r.open)
	switch {
	case name == "data" && n > 0 && r.key != "":
		key := r.key
		if named := r.keys[key]; named != "" {
			key = named
		}
		r.open[n-1].data = append(r.open[n-1].data, graphtext.Property{Key: key, Value: r.value.String()})
		r.key = ""
	case (name == "node" || name == "edge") && n > 0:
		item := r.open[n-1]
		r.open = r.open[:n-1]
		if item.edge {
			return r.edge(item)
		}
		return r.node(item)
	}
	return nil
}

// first returns the value of the first attribute that there is.
func (i *graphItem) first(names ...string) string {
	for _, name := range names {
		for _, p := range i.data {
			if p.Key == name && p.Value != "" {
				return p.Value
			}
		}
	}
	return ""
}

// edge adds an edge. What has no meaning of its own is a property.
func (r *graphMLReader) edge(i *graphItem) error {
	l := graphLink{source: i.source, target: i.target, kind: i.first("type", "label", "relation")}
	for _, p := range i.data {
		switch p.Key {
		case "type", "label", "relation", "evidence", "sources":
		case "by_hand":
			l.properties = append(l.properties, markByHand(p.Value)...)
		case "properties":
			list, err := members(p.Value)
			if err != nil {
				return damagedGraph(err, "GraphML", fmt.Sprintf("in the properties of %q", shorten(tidyLine(l.kind), 60)))
			}
			l.properties = append(l.properties, list...)
		default:
			l.properties = append(l.properties, p)
		}
	}
	return r.relation(l)
}

// node adds a node. What has no meaning of its own is a property.
func (r *graphMLReader) node(i *graphItem) error {
	e := graphtext.Entity{Name: i.first("name"), Label: i.first("label")}
	if e.Name == "" { // the label says what to call it
		e.Name, e.Label = i.first("label"), i.first("type")
	}
	if e.Name == "" {
		e.Name = i.id
	}
	for _, p := range i.data {
		switch p.Key {
		case "name", "label", "mentions", "documents":
		case "aliases":
			e.Aliases = append(e.Aliases, strings.Split(p.Value, "\n")...)
		case "by_hand":
			e.Properties = append(e.Properties, markByHand(p.Value)...)
		case "properties":
			list, err := members(p.Value)
			if err != nil {
				return damagedGraph(err, "GraphML", fmt.Sprintf("in the properties of %q", shorten(tidyLine(e.Name), 60)))
			}
			e.Properties = append(e.Properties, list...)
		default:
			e.Properties = append(e.Properties, p)
		}
	}
	return r.entity(i.id, e)
}
