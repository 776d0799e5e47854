package parse

import (
	"context"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// readODT reads an OpenDocument text (ISO/IEC 26300): headings, paragraphs,
// lists, tables, and notes where they stand. It leaves out comments, deleted
// text and tables of contents.
func readODT(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "OpenDocument text", maxExpanded)
	if err != nil {
		return err
	}
	if !files.has("content.xml") {
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive, but there is no OpenDocument text in it.")
	}
	meta := newProperties()
	if err := files.each(ctx, "meta.xml", meta.token); err != nil {
		return err
	}
	w.name(meta.title())
	w.know(meta.facts())
	r := odtReader{blocks: blocks{w: w}}
	if err := files.each(ctx, "content.xml", r.token); err != nil {
		return err
	}
	r.flushList()
	return r.writeObjects(ctx, files)
}

// writeObjects adds the charts of a text, as their title and table, and those of other texts in it.
func (r *odtReader) writeObjects(ctx context.Context, files *zipPackage) error {
	left := 0
	for _, folder := range r.objects {
		part := folder + "/content.xml"
		if !files.has(part) {
			left++
			continue
		}
		object := odtReader{blocks: blocks{w: r.w}}
		if err := files.each(ctx, part, object.token); err != nil {
			return err
		}
		object.flushList()
	}
	if left > 0 {
		r.w.warn(fmt.Sprintf("%s in this text could not be read and were left out.", domain.Counted(left, "object", "objects")))
	}
	return nil
}

// An odtReader writes paragraphs as it reads the tokens of a text.
type odtReader struct {
	blocks
	open    []*odtParagraph // paragraphs being read: a note stands within another
	lists   int             // depth of lists
	objects []string        // folders of charts and other objects
	fresh   bool            // an item has begun, and its mark is not written yet
	skip    int
	size    int
}

type odtParagraph struct {
	text  strings.Builder
	level int // of a heading
}

func (r *odtReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if r.skip > 0 || odtLeftOut(t.Name) || t.Name.Local == "table" && len(r.tables) == maxTables {
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
	case xml.CharData:
		if r.skip == 0 {
			r.write(flow(string(t)))
		}
	}
	if r.size > utf8.UTFMax*r.w.limit {
		return tooMuchText(r.w.limit)
	}
	return nil
}

// odtLeftOut reports whether an element is no part of the text.
func odtLeftOut(name xml.Name) bool {
	switch name.Local {
	case "tracked-changes", "table-of-content", "alphabetical-index", "note-citation":
		return true
	case "annotation":
		return name.Space == "office"
	case "desc", "title":
		return name.Space != "chart"
	}
	return false
}

func (r *odtReader) start(t xml.StartElement) {
	switch t.Name.Space + ":" + t.Name.Local {
	case "text:p":
		r.open = append(r.open, &odtParagraph{})
	case "text:h":
		level, err := strconv.Atoi(attr(t, "outline-level"))
		if err != nil {
			level = 1
		}
		r.open = append(r.open, &odtParagraph{level: min(max(level, 1), 9)})
	case "text:s":
		n, err := strconv.Atoi(attr(t, "c"))
		if err != nil {
			n = 1
		}
		r.write(strings.Repeat(" ", min(max(n, 1), 100)))
	case "text:tab":
		r.write(" ")
	case "text:line-break":
		r.write("\n")
	case "text:list":
		r.lists++
	case "text:list-item":
		r.fresh = true
	case "table:table":
		r.startTable()
	case "table:table-cell":
		r.startCell()
	case "drawing:object", "drawing:object-ole":
		if len(r.objects) < maxObjects {
			r.objects = append(r.objects, partName(attr(t, "href")))
		}
	}
}

func (r *odtReader) end(name xml.Name) {
	switch name.Space + ":" + name.Local {
	case "text:p", "text:h":
		if n := len(r.open); n > 0 {
			p := r.open[n-1]
			text := p.text.String()
			level := p.level
			r.open = r.open[:n-1]
			r.paragraph(text, level)
		}
	case "text:list":
		r.lists = max(0, r.lists-1)
	case "table:table-row":
		r.endRow()
	case "table:table":
		r.endTable()
	}
}

func (r *odtReader) write(s string) {
	if n := len(r.open); n > 0 {
		r.size += len(s)
		r.open[n-1].text.WriteString(s)
	}
}

// paragraph writes a finished paragraph.
func (r *odtReader) paragraph(text string, level int) {
	switch table := r.table(); {
	case strings.TrimSpace(text) == "":
	case table != nil:
		table.add(text)
	case level > 0:
		r.flushList()
		if level == 1 {
			r.w.name(text)
		}
		r.w.heading(level, text)
	case r.lists > 0:
		mark := "  "
		if r.fresh {
			mark = "- "
		}
		r.fresh = false
		r.list = append(r.list, listItem(strings.Split(tidy(text), "\n"), mark, min(r.lists-1, 8))...)
	default:
		r.flushList()
		r.w.paragraph(text)
	}
}
