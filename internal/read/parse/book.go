package parse

import (
	"context"
	"encoding/xml"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/clewhq/clew/internal/domain"
)

// readBook reads an e-book (EPUB): its pages in reading order. A heading path
// says where a passage stands, as an e-book has no other pages.
func readBook(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "e-book", maxExpanded)
	if err != nil {
		return err
	}
	if files.has("meta-inf/encryption.xml") && files.has("meta-inf/rights.xml") {
		return domain.Errorf(domain.Invalid, "This e-book is protected against copying and could not be read.")
	}
	main := ""
	err = files.elements(ctx, "meta-inf/container.xml", func(e xml.StartElement) {
		if e.Name.Local == "rootfile" && main == "" {
			main = partName(attr(e, "full-path"))
		}
	})
	if err != nil {
		return err
	}
	if !files.has(main) {
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive, but there is no e-book in it.")
	}
	b := bookReader{folder: path.Dir(main), parts: map[string]string{}, properties: newProperties()}
	if err := files.each(ctx, main, b.token); err != nil {
		return err
	}
	w.name(b.title())
	w.know(b.facts())
	seen, sheets := make(map[string]bool), bookSheets{files: files}
	for _, part := range b.reading() {
		if !files.has(part) || seen[part] || part == b.nav {
			continue
		}
		seen[part] = true
		if err := sheets.chapter(ctx, w, part); err != nil {
			return err
		}
		if w.full {
			break
		}
	}
	return ctx.Err()
}

// bookSheets are the style sheets of a book.
type bookSheets struct {
	files *zipPackage
	read  map[string]string // by part
}

// of returns the sheet at an address in a part, "" if it can't be read.
func (s *bookSheets) of(part, address string) string {
	if plain, err := url.PathUnescape(address); err == nil {
		address = plain
	}
	name := partName(path.Join(path.Dir(part), address))
	sheet, known := s.read[name]
	if known || !s.files.has(name) || len(s.read) == maxFormulas {
		return sheet
	}
	if s.read == nil {
		s.read = make(map[string]string)
	}
	if data, err := s.files.read(name); err == nil {
		sheet = string(data)
	}
	s.read[name] = sheet
	return sheet
}

// chapter adds a page of a book, which is XHTML.
func (s *bookSheets) chapter(ctx context.Context, w *writer, part string) error {
	data, err := s.files.read(part)
	if err != nil {
		return err
	}
	page, err := decodeHTML(w, append(data, ' '))
	if err != nil {
		w.warn("Pages of this e-book could not be read and were left out.")
		return nil //nolint:nilerr // the warning says it
	}
	filter := newMarkupFilter(ctx, page)
	filter.linked = func(address string) string { return s.of(part, address) }
	return writeFiltered(ctx, w, page, filter)
}

// writeBody adds the whole body of a page.
func writeBody(ctx context.Context, w *writer, page []byte) error {
	return writeFiltered(ctx, w, page, newMarkupFilter(ctx, page))
}

func writeFiltered(ctx context.Context, w *writer, page []byte, filter *markupFilter) error {
	doc, _ := parseFiltered(ctx, w, page, filter)
	if doc == nil {
		return ctx.Err()
	}
	r := htmlReader{w: w}
	r.node(find(doc, atom.Body))
	r.flush()
	return ctx.Err()
}

// A bookReader reads the list of a book's parts.
type bookReader struct {
	*properties
	folder string
	parts  map[string]string // by id
	nav    string            // the part that is a table of contents
	spine  []string          // ids in reading order
	aside  []string          // ids of what is shown when a reader asks for it, such as notes
	pages  []string          // parts that are pages, in the order of the list
}

// reading returns the parts to read: those in reading order, then notes and other pages that
// only links lead to.
func (b *bookReader) reading() []string {
	var parts []string
	for _, id := range append(slices.Clone(b.spine), b.aside...) {
		parts = append(parts, b.parts[id])
	}
	return append(parts, b.pages...)
}

func (b *bookReader) token(t xml.Token) error {
	if t, ok := t.(xml.StartElement); ok {
		b.start(t)
	}
	return b.properties.token(t)
}

func (b *bookReader) start(t xml.StartElement) {
	switch t.Name.Local {
	case "item":
		if len(b.parts) == maxParts {
			return
		}
		name := attr(t, "href")
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		part := partName(path.Join(b.folder, name))
		b.parts[attr(t, "id")] = part
		if attr(t, "media-type") == "application/xhtml+xml" {
			b.pages = append(b.pages, part)
		}
		if strings.Contains(" "+attr(t, "properties")+" ", " nav ") {
			b.nav = part
		}
	case "itemref":
		switch {
		case len(b.spine)+len(b.aside) >= maxParts:
		case attr(t, "linear") == "no":
			b.aside = append(b.aside, attr(t, "idref"))
		default:
			b.spine = append(b.spine, attr(t, "idref"))
		}
	}
}
