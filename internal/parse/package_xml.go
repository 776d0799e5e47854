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

// maxElements is how deep elements may be nested: Word stays below a hundred levels.
const maxElements = 10_000

// each calls f for every XML token of a part, if there is one, until it returns an error. Namespaces
// are replaced by the names of namespace.
func (p *zipPackage) each(ctx context.Context, part string, f func(xml.Token) error) error {
	if !p.has(part) {
		return nil
	}
	rd, err := p.open(part)
	if err != nil {
		return damagedPackage(p.kind, err)
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
			return damagedPackage(p.kind, err)
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
			return domain.Errorf(domain.Invalid, "This %s is nested more than %d levels deep, as no program writes it; it was not read.", p.kind, maxElements)
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
	case "http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main":
		return "a"
	case "http://schemas.openxmlformats.org/presentationml/2006/main", "http://purl.oclc.org/ooxml/presentationml/main":
		return "p"
	}
	if name, ok := strings.CutPrefix(url, "urn:oasis:names:tc:opendocument:xmlns:"); ok {
		name, _, _ = strings.Cut(name, ":")
		return name
	}
	return ""
}

// damagedPackage returns err if it is a sentence for people, else a sentence that says that the file
// is damaged.
func damagedPackage(kind string, err error) error {
	if _, ok := domain.MessageOf(err); ok {
		return err
	}
	return domain.Because(domain.Invalid, err, "This %s is damaged or incomplete and could not be read; try to open it in a program of its kind and save it, then upload it again.", kind)
}
