package parse

import (
	"context"
	"net/url"
	"path"
	"slices"

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
		return domain.Errorf(domain.Invalid, "This e-book is copy-protected and could not be read.")
	}
	main := ""
	err = files.elements(ctx, "meta-inf/container.xml", func(e *element) {
		if e.name == "rootfile" && main == "" {
			main = partName(e.attr("full-path"))
		}
	})
	if err != nil {
		return err
	}
	if !files.has(main) {
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive without an e-book in it.")
	}
	root, err := files.tree(ctx, main)
	if err != nil {
		return err
	}
	title, facts := propertiesIn(root)
	w.name(title)
	w.know(facts)
	statesElements(w, root)
	seen, sheets := make(map[string]bool), bookSheets{files: files}
	for _, part := range readingOrder(root, path.Dir(main)) {
		if !files.has(part) || seen[part] {
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

// of returns the sheet at an address in a part, or "" if it can't be read.
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

// besideChapter are the files of a book, by their addresses in a part.
type besideChapter struct {
	book *bookSheets
	part string
}

func (b besideChapter) sheet(address string) string { return b.book.of(b.part, address) }

func (b besideChapter) picture(address string) []byte {
	if plain, err := url.PathUnescape(address); err == nil {
		address = plain
	}
	return b.book.files.picture(partName(path.Join(path.Dir(b.part), address)))
}

// chapter adds a page of a book, which is XHTML.
func (s *bookSheets) chapter(ctx context.Context, w *writer, part string) error {
	data, err := s.files.read(part)
	if err != nil {
		return err
	}
	page, err := decodeHTML(w, append(data, ' '))
	if err != nil {
		w.warn("Some pages of this e-book could not be read and were left out.")
		return nil //nolint:nilerr // the warning says it
	}
	filter := newMarkupFilter(ctx, page)
	filter.beside = besideChapter{s, part}
	return filter.write(w)
}

// readingOrder returns the parts of a book: those in reading order, then those that are shown when a
// reader asks for them, such as notes, and other pages that only links lead to.
func readingOrder(root *element, folder string) []string {
	parts, nav := make(map[string]string), ""
	var spine, aside, pages []string
	root.walk(func(e *element) bool {
		switch {
		case len(parts)+len(spine)+len(aside) >= maxParts:
			return false
		case e.name == "item":
			name := e.attr("href")
			if plain, err := url.PathUnescape(name); err == nil {
				name = plain
			}
			part := partName(path.Join(folder, name))
			parts[e.attr("id")] = part
			if e.attr("media-type") == "application/xhtml+xml" {
				pages = append(pages, part)
			}
			if hasWord(e.attr("properties"), "nav") { // a table of contents
				nav = part
			}
		case e.name == "itemref" && e.attr("linear") == "no":
			aside = append(aside, parts[e.attr("idref")])
		case e.name == "itemref":
			spine = append(spine, parts[e.attr("idref")])
		}
		return true
	})
	return slices.DeleteFunc(slices.Concat(spine, aside, pages), func(part string) bool { return part == nav })
}
