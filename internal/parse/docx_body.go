package parse

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A docxReader writes the paragraphs of a part as it reads its tokens. It keeps its own stacks
// instead of recursing, so that no nesting exhausts the program's.
type docxReader struct {
	blocks
	styles  docxStyles
	ctx     context.Context //nolint:containedctx // the tokens of one part are read with it
	objects *objectWriter
	noted   objects          // that stand in the text read last
	open    []*docxParagraph // paragraphs being read: a text box stands within another
	skip    int              // depth within an element that is left out
	text    bool             // within an element that holds text
	size    int              // bytes read so far
}

type docxParagraph struct {
	text    strings.Builder
	style   string
	outline int // -1 until the paragraph names one
	numbers string
	depth   int // of the list that it is an item of
}

// token handles the next token of the part. The error says that there is too much text.
func (r *docxReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if r.skip > 0 || leftOut(t.Name) || t.Name.Local == "tbl" && len(r.tables) == maxTables {
			r.skip++
			return nil
		}
		r.start(t)
	case xml.EndElement:
		if r.skip > 0 {
			r.skip--
			return nil
		}
		r.end(t.Name)
		if len(r.noted.ids) > 0 && len(r.open) == 0 && len(r.tables) == 0 {
			r.flushList()
			return r.objects.write(r.ctx, &r.noted)
		}
	case xml.CharData:
		if r.text && r.skip == 0 {
			r.write(string(t))
		}
	}
	if r.size > utf8.UTFMax*r.w.limit {
		return tooMuchText(r.w.limit)
	}
	return nil
}

// leftOut reports whether an element is no part of the text: deleted or moved text, and alternative
// forms of other elements.
func leftOut(name xml.Name) bool {
	switch name.Local {
	case "del", "moveFrom":
		return name.Space == "w"
	case "Fallback":
		return name.Space == "mc"
	}
	return false
}

func (r *docxReader) start(t xml.StartElement) {
	r.noted.note(t)
	if t.Name.Space == "m" && t.Name.Local == "t" {
		r.text = true
	}
	if t.Name.Space != "w" {
		return
	}
	switch t.Name.Local {
	case "p":
		r.open = append(r.open, &docxParagraph{outline: -1})
	case "t":
		r.text = true
	case "tab", "ptab":
		r.write(" ")
	case "br", "cr":
		r.write("\n")
	case "noBreakHyphen":
		r.write("-")
	case "tbl":
		r.startTable()
	case "tc":
		r.startCell()
	default:
		r.property(t)
	}
}

// property handles an element that describes the open paragraph.
func (r *docxReader) property(t xml.StartElement) {
	if len(r.open) == 0 {
		return
	}
	p := r.open[len(r.open)-1]
	switch t.Name.Local {
	case "pStyle":
		p.style = attr(t, "val")
	case "outlineLvl":
		p.outline = outlineLevel(attr(t, "val"))
	case "numId":
		p.numbers = attr(t, "val")
	case "ilvl":
		if n, err := strconv.Atoi(attr(t, "val")); err == nil {
			p.depth = min(max(n, 0), 8)
		}
	}
}

func (r *docxReader) end(name xml.Name) {
	if name.Local == "t" {
		r.text = false
	}
	if name.Space != "w" {
		return
	}
	switch name.Local {
	case "p":
		if n := len(r.open); n > 0 {
			p := r.open[n-1]
			r.open = r.open[:n-1]
			r.paragraph(p)
		}
	case "tr":
		r.endRow()
	case "tbl":
		r.endTable()
	}
}

// write adds text to the open paragraph.
func (r *docxReader) write(s string) {
	if len(r.open) > 0 {
		r.size += len(s)
		r.open[len(r.open)-1].text.WriteString(s)
	}
}

// paragraph writes a finished paragraph.
func (r *docxReader) paragraph(p *docxParagraph) {
	text := p.text.String()
	if table := r.table(); table != nil {
		table.add(text)
		return
	}
	level := p.outline
	if level < 0 {
		level = r.styles.level(p.style)
	}
	switch {
	case strings.TrimSpace(text) == "", r.styles.isContents(p.style):
	case level > 0:
		r.flushList()
		if level == 1 {
			r.w.name(text)
		}
		r.w.heading(level, text)
	case p.numbers != "" && p.numbers != "0", p.numbers == "" && r.styles.isList(p.style):
		r.list = append(r.list, listItem(strings.Split(tidy(text), "\n"), "- ", p.depth)...)
	default:
		r.flushList()
		r.w.paragraph(text)
	}
}
