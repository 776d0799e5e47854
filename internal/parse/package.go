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

// A zipPackage is the zip file of a document, with a budget for what it may unpack to.
type zipPackage struct {
	kind  string               // such as "Word document"
	files map[string]*zip.File // by name as partName makes it
	left  int64                // bytes that may still be unpacked
}

func openPackage(data []byte, kind string, maxExpanded int64) (*zipPackage, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxParts { // entries of the directory
		return nil, domain.Errorf(domain.Invalid, "This %s has more than %d parts, as no program writes it; it was not read.", kind, maxParts)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if z == nil || err != nil && len(z.File) == 0 {
		return nil, damagedPackage(kind, err)
	}
	p := &zipPackage{kind: kind, files: make(map[string]*zip.File, len(z.File)), left: maxExpanded}
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

func (p *zipPackage) has(part string) bool { return p.files[part] != nil }

// open opens a part. Reading it fails if it unpacks to too much.
func (p *zipPackage) open(part string) (*budgetReader, error) {
	f := p.files[part]
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	return &budgetReader{ReadCloser: rd, kind: p.kind, left: &p.left, packed: int64(f.CompressedSize64)}, nil
}

// mainPart returns the name of the part with the document's text, from the package's relationships:
// the usual one if they name none.
func (p *zipPackage) mainPart(usual string) string {
	main := ""
	err := p.each(context.Background(), "_rels/.rels", func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && strings.HasSuffix(attr(e, "Type"), "/officeDocument") {
			main = partName(attr(e, "Target"))
		}
		return nil
	})
	if err != nil || !p.has(main) {
		return usual
	}
	return main
}

// related returns the parts that a part refers to, by id, and their kinds.
func (p *zipPackage) related(ctx context.Context, part string) (map[string]relation, error) {
	folder, file := path.Split(part)
	found := make(map[string]relation)
	err := p.each(ctx, folder+"_rels/"+file+".rels", func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "Relationship" && attr(e, "TargetMode") != "External" && len(found) < maxParts {
			kind, target := attr(e, "Type"), attr(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = folder + target
			}
			found[attr(e, "Id")] = relation{kind: kind[strings.LastIndex(kind, "/")+1:], part: partName(target)}
		}
		return nil
	})
	return found, err
}

// A relation is a part that another refers to.
type relation struct {
	kind string // such as "slide"
	part string
}

// read returns the whole of a part.
func (p *zipPackage) read(part string) ([]byte, error) {
	rd, err := p.open(part)
	if err != nil {
		return nil, damagedPackage(p.kind, err)
	}
	defer rd.Close()
	rd.token = -1 << 62 // no token is read
	data, err := io.ReadAll(rd)
	if err != nil {
		return nil, damagedPackage(p.kind, err)
	}
	return data, nil
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
	kind   string
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
		return 0, domain.Errorf(domain.TooLarge, "This %s holds a word or a tag of more than %s, as no program writes it; it was not read.", r.kind, bytesInWords(maxToken))
	}
	return n, err
}
