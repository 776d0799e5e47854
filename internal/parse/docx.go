package parse

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/clewhq/clew/internal/domain"
)

// readDOCX reads a Word document (ECMA-376, part 1, section 17): the body, then footnotes and
// endnotes. It leaves out headers, footers, comments, deleted text and tables of contents.
func readDOCX(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, maxExpanded)
	if err != nil {
		return err
	}
	main := files.mainPart()
	if !files.has(main) {
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive, but there is no Word document in it.")
	}
	title, err := coreTitle(files)
	if err != nil {
		return err
	}
	w.name(title)
	folder := main[:strings.LastIndex(main, "/")+1]
	styles, err := readStyles(files, folder+"styles.xml")
	if err != nil {
		return err
	}
	for _, part := range []string{main, folder + "footnotes.xml", folder + "endnotes.xml"} {
		r := docxReader{w: w, styles: styles}
		if err := files.each(ctx, part, r.token); err != nil {
			return err
		}
		r.flushList()
	}
	return nil
}

// coreTitle returns the title in the document's properties, unless a program made it up.
func coreTitle(files *docxPackage) (string, error) {
	var title strings.Builder
	inside := false
	err := files.each(context.Background(), "docprops/core.xml", func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			inside = t.Name.Local == "title"
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside && title.Len() < 4*maxTitle {
				title.Write(t)
			}
		}
		return nil
	})
	name := tidyLine(title.String())
	if strings.HasPrefix(name, "Microsoft Word - ") || name == "Word Document" {
		return "", err
	}
	return name, err
}

// maxElements is how deep elements may be nested: Word stays below a hundred levels.
const maxElements = 10_000

// each calls f for every XML token of a part, if there is one, until it returns an error. Namespaces
// are replaced by the names of namespace.
func (p *docxPackage) each(ctx context.Context, part string, f func(xml.Token) error) error {
	if !p.has(part) {
		return nil
	}
	rd, err := p.open(part)
	if err != nil {
		return damagedDOCX(err)
	}
	defer rd.Close()
	d := xml.NewDecoder(rd)
	d.CharsetReader = charset.NewReaderLabel
	for n, depth := 0, 0; ; n++ {
		rd.token = 0
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damagedDOCX(err)
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if depth > maxElements {
			return domain.Errorf(domain.Invalid, "This Word document is nested more than %d levels deep, as no program writes it; it was not read.", maxElements)
		}
		if err := f(named(token)); err != nil {
			return err
		}
	}
}

// named replaces the namespace of a token.
func named(token xml.Token) xml.Token {
	switch t := token.(type) {
	case xml.StartElement:
		t.Name.Space = namespace(t.Name.Space)
		return t
	case xml.EndElement:
		t.Name.Space = namespace(t.Name.Space)
		return t
	}
	return token
}

// namespace returns the usual prefix of the namespaces that matter here, in their transitional and
// strict forms, or "". Files may choose other prefixes.
func namespace(url string) string {
	switch url {
	case "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main":
		return "w"
	case "http://schemas.openxmlformats.org/officeDocument/2006/math", "http://purl.oclc.org/ooxml/officeDocument/math":
		return "m"
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return "mc"
	}
	return ""
}

// damagedDOCX returns err if it is a sentence for people, else a sentence that says that the file
// is damaged.
func damagedDOCX(err error) error {
	if _, ok := domain.MessageOf(err); ok {
		return err
	}
	return domain.Because(domain.Invalid, err, "This Word document is damaged or incomplete and could not be read; try to open and save it in Word, then upload it again.")
}
