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

// The most parts of a package, and bytes of a word or tag in one: both are held in memory.
const (
	maxParts = 65_535
	maxToken = 4 << 20
)

// A docxPackage is the zip file of a document, with a budget for what it may unpack to.
type docxPackage struct {
	files map[string]*zip.File // by name as partName makes it
	left  int64                // bytes that may still be unpacked
}

func openPackage(data []byte, maxExpanded int64) (*docxPackage, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxParts { // entries of the directory
		return nil, domain.Errorf(domain.Invalid, "This Word document has more than %d parts, as no program writes it; it was not read.", maxParts)
	}
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

// partName normalises a part's name, because programs differ in slashes and case. Names are only
// compared, never opened as files.
func partName(name string) string {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	return strings.ToLower(strings.TrimPrefix(name, "/"))
}

func (p *docxPackage) has(part string) bool { return p.files[part] != nil }

// open opens a part. Reading it fails if it unpacks to too much.
func (p *docxPackage) open(part string) (*budgetReader, error) {
	f := p.files[part]
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	return &budgetReader{ReadCloser: rd, left: &p.left, packed: int64(f.CompressedSize64)}, nil
}

// mainPart returns the name of the part with the document's text, from the package's relationships.
func (p *docxPackage) mainPart() string {
	main := ""
	err := p.each(context.Background(), "_rels/.rels", func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && strings.HasSuffix(attr(e, "Type"), "/officeDocument") {
			main = partName(attr(e, "Target"))
		}
		return nil
	})
	if err != nil || !p.has(main) {
		return "word/document.xml"
	}
	return main
}

// attr returns the value of an attribute in any namespace.
func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// A budgetReader limits what a zip entry may unpack to.
type budgetReader struct {
	io.ReadCloser
	left   *int64 // shared by all entries of the file
	packed int64
	n      int64
	token  int64 // since a word or tag began, roughly
}

// Read fails once the budget is spent.
func (r *budgetReader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	r.n += int64(n)
	r.token += int64(n)
	*r.left -= int64(n)
	if r.n > harmlessSize && r.n > maxRatio*r.packed {
		return 0, domain.Errorf(domain.TooLarge, "This file unpacks to more than %d times its size, as files made to do harm do; it was not read.", maxRatio)
	}
	if *r.left < 0 {
		return 0, domain.Errorf(domain.TooLarge, "This file unpacks to more than the limit allows; split it into smaller files.")
	}
	if r.token > maxToken {
		return 0, domain.Errorf(domain.TooLarge, "This Word document holds a word or a tag of more than %s, as no program writes it; it was not read.", bytesInWords(maxToken))
	}
	return n, err
}
