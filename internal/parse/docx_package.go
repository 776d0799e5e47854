package parse

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"path"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// The ratio at which a packed entry is taken for a bomb, and the size below
// which it is harmless whatever its ratio. Large real documents that repeat
// themselves reach about a hundredfold.
const (
	maxRatio     = 200
	harmlessSize = 8 << 20
)

// docxPackage is the zip file that a document is, under a budget for what it
// may unpack to.
type docxPackage struct {
	files map[string]*zip.File // by name as partName makes it
	left  int64                // bytes that may still be unpacked
}

// openPackage reads the directory of a zip file.
func openPackage(data []byte, maxExpanded int64) (*docxPackage, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if z == nil || err != nil && len(z.File) == 0 {
		return nil, damagedDOCX(err)
	}
	p := &docxPackage{files: make(map[string]*zip.File, len(z.File)), left: maxExpanded}
	for _, f := range z.File {
		name := partName(f.Name)
		if _, taken := p.files[name]; !taken {
			p.files[name] = f
		}
	}
	return p, nil
}

// partName is a part's name in the one form used here: programs differ in
// slashes and case. Names are only ever compared, never opened as files.
func partName(name string) string {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	return strings.ToLower(strings.TrimPrefix(name, "/"))
}

// has reports whether the package holds a part.
func (p *docxPackage) has(part string) bool { return p.files[part] != nil }

// open opens a part. Reading fails when it unpacks to too much.
func (p *docxPackage) open(part string) (io.ReadCloser, error) {
	f := p.files[part]
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	return &budgetReader{ReadCloser: rd, left: &p.left, packed: int64(f.CompressedSize64)}, nil
}

// mainPart is the part that holds the document's text, which the package's
// relationships name.
func (p *docxPackage) mainPart() string {
	main := "word/document.xml"
	err := p.each(context.Background(), "_rels/.rels", func(t xml.Token) {
		if e, ok := t.(xml.StartElement); ok && strings.HasSuffix(attr(e, "Type"), "/officeDocument") {
			main = partName(attr(e, "Target"))
		}
	})
	if err != nil || !p.has(main) {
		return "word/document.xml"
	}
	return main
}

// attr is the value of an element's attribute, whatever its namespace.
func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// budgetReader counts what a packed entry unpacks to, and fails when that is
// far more than an honest file holds.
type budgetReader struct {
	io.ReadCloser
	left   *int64 // shared by all entries of the file
	packed int64
	n      int64
}

// Read unpacks as long as the budget lasts.
func (r *budgetReader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	r.n += int64(n)
	*r.left -= int64(n)
	if r.n > harmlessSize && r.n > maxRatio*r.packed {
		return 0, domain.Errorf(domain.TooLarge, "This file unpacks to more than %d times its size, as files made to do harm do; it was not read.", maxRatio)
	}
	if *r.left < 0 {
		return 0, domain.Errorf(domain.TooLarge, "This file unpacks to more than the limit allows; split it into smaller files.")
	}
	return n, err
}
