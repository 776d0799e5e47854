package parse

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A markupFilter is the markup of a page without what makes the parser's tree far larger than the
// page: it reopens formatting elements in every paragraph after them. They are renamed to span or
// del, which are read the same and never reopened. Scripts, styles and comments are dropped; nothing that
// they hide can be markup to the parser. Reading fails when the tree would be too large, or when
// ctx ends.
type markupFilter struct {
	ctx   context.Context
	in    *html.Tokenizer
	out   bytes.Buffer
	err   error
	nodes int       // that the tree has, roughly
	open  int       // elements begun since the last link
	raw   atom.Atom // element whose text comes next

	styles styleLooks
}

// The limits of a page: the nodes of its tree, and what is kept of an element.
const (
	maxTree       = 1_000_000
	maxAttributes = 32
	maxAttribute  = 1000 // bytes; images in addresses are longer
)

var errTooManyNodes = errors.New("too many elements")

func newMarkupFilter(ctx context.Context, page []byte) *markupFilter {
	return &markupFilter{ctx: ctx, in: html.NewTokenizer(bytes.NewReader(page)), styles: styleLooks{}}
}

// Read returns filtered markup.
func (f *markupFilter) Read(p []byte) (int, error) {
	for f.out.Len() == 0 && f.err == nil {
		f.next()
		switch {
		case f.nodes > maxTree:
			f.err = errTooManyNodes
		case f.ctx.Err() != nil:
			f.err = f.ctx.Err()
		}
	}
	if f.err != nil && !errors.Is(f.err, io.EOF) {
		return 0, f.err
	}
	if f.out.Len() == 0 {
		return 0, io.EOF
	}
	return f.out.Read(p)
}

// next filters a token.
func (f *markupFilter) next() {
	raw := f.raw
	f.raw = 0
	switch kind := f.in.Next(); kind {
	case html.ErrorToken:
		f.err = f.in.Err()
	case html.TextToken:
		if raw == atom.Style {
			f.styles.read(string(f.in.Raw()))
		}
		if dropped(raw) {
			return
		}
		f.nodes++
		if raw == atom.Xmp || raw == atom.Plaintext {
			f.out.WriteString(html.EscapeString(string(f.in.Raw())))
		} else {
			f.out.WriteString(html.EscapeString(string(f.in.Text())))
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		f.start(kind == html.SelfClosingTagToken)
	case html.EndTagToken:
		name, _ := f.in.TagName()
		if kind := atom.Lookup(name); !dropped(kind) && !verbatim(kind) {
			if f.count(kind); kind == atom.P || kind == atom.Br {
				f.nodes++ // which the parser makes if none is open
			}
			f.out.WriteString("</" + tagName(kind, name) + ">")
		}
	case html.DoctypeToken:
		f.out.Write(f.in.Raw())
	}
}

func (f *markupFilter) start(selfClosing bool) {
	name, more := f.in.TagName()
	kind := atom.Lookup(name)
	f.raw = kind
	if dropped(kind) || verbatim(kind) {
		return
	}
	f.nodes++
	f.count(kind)
	f.out.WriteString("<" + tagName(kind, name))
	for n := 0; more; n++ {
		var key, value []byte
		key, value, more = f.in.TagAttr()
		if n < maxAttributes && len(key)+len(value) <= maxAttribute {
			f.out.WriteString(" " + string(key) + `="` + html.EscapeString(string(value)) + `"`)
		}
	}
	if selfClosing {
		f.out.WriteByte('/')
	}
	f.out.WriteByte('>')
	f.open++
	if kind == atom.A {
		f.open = 0
	}
}

// count adds what the parser adds for a link that is closed around other elements: up to eight
// times it copies the link and two elements in it.
func (f *markupFilter) count(kind atom.Atom) {
	if kind == atom.A {
		f.nodes += 3 * min(f.open, 8)
	}
}

// tagName returns the name of an element, which is another one for formatting.
func tagName(kind atom.Atom, name []byte) string {
	switch kind {
	case atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.Small, atom.Strong, atom.Tt, atom.U:
		return "span"
	case atom.S, atom.Strike:
		return "del"
	}
	return string(name)
}

// dropped reports whether an element holds text that is never shown, and no markup.
func dropped(kind atom.Atom) bool {
	switch kind {
	case atom.Script, atom.Style, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes:
		return true
	}
	return false
}

// verbatim reports whether an element shows its text as it stands.
func verbatim(kind atom.Atom) bool { return kind == atom.Xmp || kind == atom.Plaintext }
