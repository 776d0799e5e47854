package parse

import (
	"context"
	"encoding/xml"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// An element is an XML element of a part of a package, or a text, which has no name.
type element struct {
	space string // the prefix of its namespace, as namespace returns it
	name  string
	attrs []xml.Attr
	text  string
	kids  []*element
}

// is reports whether the element has one of the names in a namespace.
func (e *element) is(space string, names ...string) bool {
	return e.space == space && slices.Contains(names, e.name)
}

// attr returns the value of an attribute in any namespace.
func (e *element) attr(local string) string {
	for _, a := range e.attrs {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// int returns an attribute as a number, or missing.
func (e *element) int(local string, missing int) int {
	n, err := strconv.Atoi(e.attr(local))
	if err != nil {
		return missing
	}
	return n
}

// on reports whether a boolean attribute is on, which is its default.
func (e *element) on(local string) bool {
	switch e.attr(local) {
	case "0", "false", "off":
		return false
	}
	return true
}

// relation returns the id of the part that the element refers to. It may have an id of its own,
// without a namespace.
func (e *element) relation() string {
	for _, a := range e.attrs {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// kid returns the first child with a name, or an empty element.
func (e *element) kid(name string) *element {
	for _, kid := range e.kids {
		if kid.name == name {
			return kid
		}
	}
	return &element{}
}

// elements returns the children other than text.
func (e *element) elements() []*element {
	return slices.DeleteFunc(slices.Clone(e.kids), func(kid *element) bool { return kid.name == "" })
}

// find returns the first descendant with a name, or an empty element.
func (e *element) find(name string) *element {
	found := &element{}
	e.walk(func(e *element) bool {
		if e.name == name && found.name == "" {
			found = e
		}
		return found.name == ""
	})
	return found
}

// words returns the text of the element and its descendants.
func (e *element) words() string {
	if len(e.kids) == 0 {
		return e.text
	}
	var b strings.Builder
	e.walk(func(e *element) bool {
		b.WriteString(e.text)
		return true
	})
	return b.String()
}

// walk calls f for the element and, if f returns true, for its children.
func (e *element) walk(f func(*element) bool) {
	if f(e) {
		for _, kid := range e.kids {
			kid.walk(f)
		}
	}
}

// formula returns the line that the element is as a formula.
func (e *element) formula() string { return e.node(0).Linear() }

func (e *element) node(depth int) *script.Node {
	n := &script.Node{Name: e.name, Text: e.text, Val: map[string]string{}}
	for _, a := range e.attrs {
		n.Val[a.Name.Local] = a.Value
	}
	for _, kid := range e.kids {
		if depth < script.MaxDepth && (kid.name != "" || e.name == "t" || strings.TrimSpace(kid.text) != "") {
			n.Kids = append(n.Kids, kid.node(depth+1))
		}
	}
	return n
}

// A visitor reads a part of a package element by element.
type visitor struct {
	// whole reports whether an element is read with all its content before enter is called. Such
	// elements are small, as they are kept in memory.
	whole func(e *element) bool
	// enter begins an element, or takes a whole one or a text. It may return errSkip.
	enter func(e *element) error
	leave func(e *element) error // ends an element that is not whole; may be nil
}

// errSkip skips the content of an element.
var errSkip = errors.New("skip this element")

// maxWhole is the most elements within one that is read whole.
const maxWhole = 300_000

// visit has a part read, if there is one.
func (p *zipPackage) visit(ctx context.Context, part string, v visitor) error {
	t := partReader{visitor: v, kind: p.kind}
	return p.each(ctx, part, t.token)
}

// A partReader calls a visitor. It keeps its own stacks, so that no nesting exhausts the program's.
type partReader struct {
	visitor
	kind string
	open []*element // entered ones, outermost first
	tree []*element // the open elements within the one that is read whole
	size int        // elements in it
	skip int        // depth within an element that is skipped
}

func (r *partReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return r.start(&element{space: t.Name.Space, name: t.Name.Local, attrs: t.Attr})
	case xml.EndElement:
		return r.end()
	case xml.CharData:
		switch text := (&element{text: string(t)}); {
		case r.skip > 0:
		case len(r.tree) > 0:
			r.add(text)
		default:
			return skipped(r.enter(text))
		}
	}
	return nil
}

func (r *partReader) start(e *element) error {
	switch {
	case r.skip > 0:
		r.skip++
	case len(r.tree) > 0:
		if r.size++; r.size > maxWhole {
			return domain.Errorf(domain.TooLarge, "This %s contains a paragraph, row or list of more than %d elements, which no program writes; it was not read.", r.kind, maxWhole)
		}
		r.add(e)
		r.tree = append(r.tree, e)
	case r.whole(e):
		r.tree, r.size = append(r.tree, e), 0
	default:
		err := r.enter(e)
		if errors.Is(err, errSkip) {
			r.skip = 1
			return nil
		}
		r.open = append(r.open, e)
		return err
	}
	return nil
}

func (r *partReader) add(e *element) {
	last := r.tree[len(r.tree)-1]
	last.kids = append(last.kids, e)
}

func (r *partReader) end() error {
	switch n := len(r.tree); {
	case r.skip > 0:
		r.skip--
	case n > 1:
		r.tree = r.tree[:n-1]
	case n == 1:
		e := r.tree[0]
		r.tree = nil
		return skipped(r.enter(e))
	default:
		e := r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		if r.leave != nil {
			return r.leave(e)
		}
	}
	return nil
}

func skipped(err error) error {
	if errors.Is(err, errSkip) {
		return nil
	}
	return err
}

// tree returns the root of a part with its descendants, or an empty element if there is no part.
func (p *zipPackage) tree(ctx context.Context, part string) (*element, error) {
	root := &element{}
	err := p.visit(ctx, part, visitor{
		whole: func(*element) bool { return true },
		enter: func(e *element) error {
			if e.name != "" { // no white space around it
				root = e
			}
			return nil
		},
	})
	return root, err
}

// eachWhole calls f for every element of a part with one of the names, and all that is in it.
func (p *zipPackage) eachWhole(ctx context.Context, part string, names []string, f func(e *element)) error {
	isWhole := func(e *element) bool { return slices.Contains(names, e.name) }
	return p.visit(ctx, part, visitor{
		whole: isWhole,
		enter: func(e *element) error {
			if isWhole(e) {
				f(e)
			}
			return nil
		},
	})
}

// elements calls f for the beginning of every element of a part.
func (p *zipPackage) elements(ctx context.Context, part string, f func(e *element)) error {
	return p.visit(ctx, part, visitor{
		whole: func(*element) bool { return false },
		enter: func(e *element) error {
			if e.name != "" {
				f(e)
			}
			return nil
		},
	})
}
