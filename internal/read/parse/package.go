package parse

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"hash/crc32"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/clewhq/clew/internal/domain"
)

// The ratio at which a packed entry is considered a bomb, and the size below which it is harmless at any ratio. Large
// real documents that repeat themselves reach about a hundredfold.
const (
	maxRatio     = 200
	harmlessSize = 8 << 20
)

// The maximum number of parts of a package, and bytes of a word or tag in one: both are held in memory.
const (
	maxParts = 65_535
	maxToken = 4 << 20
)

// A zipPackage is the zip file of a document, with a budget for what it may unpack to.
type zipPackage struct {
	kind  string               // such as "Word document"
	files map[string]*zip.File // by name, normalised by partName
	left  int64                // bytes that may still be unpacked
}

func openPackage(data []byte, kind string, maxExpanded int64) (*zipPackage, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxParts { // entries of the directory
		return nil, domain.Errorf(domain.Invalid, "This %s has more than %d parts, which no program writes; it was not read.", kind, maxParts)
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
	err := p.elements(context.Background(), "_rels/.rels", func(e *element) {
		if strings.HasSuffix(e.attr("Type"), "/officeDocument") {
			main = partName(e.attr("Target"))
		}
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
	err := p.elements(ctx, folder+"_rels/"+file+".rels", func(e *element) {
		if e.name == "Relationship" && e.attr("TargetMode") != "External" && len(found) < maxParts {
			kind, target := e.attr("Type"), e.attr("Target")
			if !strings.HasPrefix(target, "/") {
				target = folder + target
			}
			found[e.attr("Id")] = relation{kind: kind[strings.LastIndex(kind, "/")+1:], part: partName(target)}
		}
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
	rd.token = -1 << 62 // no token is being read
	data, err := io.ReadAll(rd)
	if err != nil {
		return nil, damagedPackage(p.kind, err)
	}
	return data, nil
}

// maxPicture bounds a picture in a package, in bytes.
const maxPicture = 32 << 20

// picture returns a part that is a picture, or nil if there is none, it is damaged, or it takes much of what may be unpacked.
func (p *zipPackage) picture(part string) []byte {
	f := p.files[part]
	if f == nil || f.UncompressedSize64 > maxPicture || int64(f.UncompressedSize64) > p.left/2 {
		return nil
	}
	data, err := p.read(part)
	if err != nil {
		return nil // the text matters more
	}
	return data
}

// A budgetReader limits the unpacked size of a zip entry.
type budgetReader struct {
	io.ReadCloser
	kind   string
	left   *int64 // shared by all entries of the file
	packed int64
	n      int64
	token  int64 // since a word or tag began, approximately
}

// Read fails once the budget is spent.
func (r *budgetReader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	r.n += int64(n)
	r.token += int64(n)
	*r.left -= int64(n)
	if r.n > harmlessSize && r.n > maxRatio*r.packed {
		return 0, domain.Errorf(domain.TooLarge, "This file unpacks to more than %d times its size, like files made to do harm; it was not read.", maxRatio)
	}
	if *r.left < 0 {
		return 0, domain.Errorf(domain.TooLarge, "This file unpacks to more than the limit. Split it into smaller files.")
	}
	if r.token > maxToken {
		return 0, domain.Errorf(domain.TooLarge, "This %s contains a word or tag of more than %s, which no program writes; it was not read.", r.kind, bytesInWords(maxToken))
	}
	return n, err
}

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
			return domain.Errorf(domain.Invalid, "This %s is nested more than %d levels deep, which no program writes; it was not read.", p.kind, maxElements)
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
	return domain.Because(domain.Invalid, err, "This %s is damaged or incomplete and could not be read. Open it in a program for its format, save it, and add it again.", kind)
}

// utf8Flag marks names that are UTF-8.
const utf8Flag = 0x800

// zipNames returns the names of the files of an archive in UTF-8: as the archive states them,
// or else read in the encoding that a person chose or that all of them together suggest.
func zipNames(files []*zip.File, chosen *Encoding) []string {
	names := make([]string, len(files))
	var unread []string
	for i, f := range files {
		name, stated := unicodePath(f)
		switch {
		case f.Flags&utf8Flag != 0 && utf8.ValidString(f.Name), !f.NonUTF8 && !stated:
			names[i] = f.Name
		case chosen == nil && stated:
			names[i] = name
		case chosen == nil && utf8.ValidString(f.Name):
			names[i] = f.Name
		default:
			unread = append(unread, f.Name)
		}
	}
	in := chosen
	if in == nil && len(unread) > 0 {
		all := strings.Join(unread, "\n")
		in = compare([]byte(all[:min(len(all), maxSample)]), nameEncodings()).of
	}
	for i, f := range files {
		if names[i] == "" && in != nil {
			names[i] = in.decode([]byte(f.Name))
		}
	}
	return names
}

// nameEncodings are the encodings of names that do not state one, of old programs for DOS and
// Windows above all.
func nameEncodings() []*Encoding {
	tells := map[string]int{
		"ibm437": 0, "ibm850": 1, "ibm852": 2, "ibm866": 0, "shift_jis": 0, "gb18030": 0, "euc-kr": 0, "big5": 0,
		"windows-1252": 4, "windows-1251": 3, "windows-1250": 5, "koi8-r": 6, "macintosh": 6, "windows-1253": 5, "windows-1255": 5, "windows-1256": 5, "windows-874": 5,
	}
	var list []*Encoding
	for _, e := range encodings() {
		if n, ok := tells[e.Name]; ok {
			named := *e
			named.tells = n
			list = append(list, &named)
		}
	}
	return list
}

// unicodePath returns the name of an entry from its field of Info-ZIP, which counts if it was
// written for the name beside it.
func unicodePath(f *zip.File) (string, bool) {
	for extra := f.Extra; len(extra) >= 4; {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if size > len(extra) {
			break
		}
		if field := extra[:size]; id == 0x7075 && size > 5 && field[0] == 1 && binary.LittleEndian.Uint32(field[1:]) == crc32.ChecksumIEEE([]byte(f.Name)) && utf8.Valid(field[5:]) {
			return string(field[5:]), true
		}
		extra = extra[size:]
	}
	return "", false
}

// A File is a file within another.
type File struct {
	Name string
	Data []byte
}

// The bounds of an archive: the files in it, in all, and how deep archives may
// lie within one another.
const (
	MaxFiles    = 2000
	maxArchives = 3
)

// Unpack calls each for the readable files within a file, judging by their names, and returns the names of the others.
// In a PDF and an image, these are the pages that are images, as pictures in grey. The error is that of each, or a
// domain error as Parse returns it.
func (p *Parser) Unpack(ctx context.Context, format domain.Format, data []byte, each func(File) error) (others []string, err error) {
	if _, err := EncodingNamed(p.chosen); err != nil {
		return nil, err
	}
	u := unpacker{ctx: ctx, each: each, chosen: encodingOf(p.chosen), limits: p.limits, left: p.limits.MaxExpanded}
	if unpack := Of(format).unpack; unpack != nil {
		err = unpack(&u, data)
	}
	return u.others, err
}

type unpacker struct {
	ctx    context.Context
	each   func(File) error
	chosen *Encoding // of names; nil to guess it
	left   int64     // bytes that may still be unpacked
	limits Limits
	files  int
	others []string
}

// add passes on a file, or the files in it.
func (u *unpacker) add(name string, data []byte, depth int) error {
	if u.files++; u.files > MaxFiles {
		return domain.Errorf(domain.TooLarge, "This file holds more than %d files, which is the limit. Add them in several parts.", MaxFiles)
	}
	format, known := ending(extOf(name))
	switch {
	case !known:
		u.others = append(u.others, shorten(tidyLine(name), 100))
		return nil
	case format.ID == domain.FormatArchive:
		return u.archive(data, depth+1)
	}
	return u.each(File{Name: tidyLine(name), Data: data})
}

// mail adds the attachments of a message; a damaged one has none.
func (u *unpacker) mail(data []byte) error {
	m, err := openMail(u.ctx, data, u.chosen)
	if err != nil {
		return u.ctx.Err()
	}
	for _, a := range m.attached {
		if err := u.add(a.name, a.data, 1); err != nil {
			return err
		}
	}
	return nil
}

// mailbox adds the attachments of a mailbox's messages.
func (u *unpacker) mailbox(data []byte) error {
	for raw := range messagesOf(data) {
		if err := u.mail(raw); err != nil {
			return err
		}
	}
	return nil
}

// archive adds the files of a ZIP archive. It leaves out hidden ones.
func (u *unpacker) archive(data []byte, depth int) error {
	if depth > maxArchives {
		return domain.Errorf(domain.TooLarge, "This archive nests archives more than %d levels deep. Unpack them first.", maxArchives)
	}
	if bytes.Count(data, []byte("PK\x01\x02")) > maxParts {
		return domain.Errorf(domain.TooLarge, "This archive holds more than %d files, which is the limit. Add them in several parts.", MaxFiles)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if z == nil || err != nil && len(z.File) == 0 {
		return domain.Because(domain.Invalid, err, "This ZIP archive is damaged and could not be opened.")
	}
	names := zipNames(z.File, u.chosen)
	for i, f := range z.File {
		name := strings.ReplaceAll(names[i], `\`, "/")
		if f.FileInfo().IsDir() || strings.HasPrefix(path.Base(name), ".") || strings.Contains("/"+name, "/__MACOSX/") {
			continue
		}
		content, err := u.read(f, path.Base(name))
		if err != nil {
			return err
		}
		if err := u.add(path.Base(name), content, depth); err != nil {
			return err
		}
		if u.ctx.Err() != nil {
			return u.ctx.Err()
		}
	}
	return nil
}

// read returns the content of a readable file, or nothing for any other.
func (u *unpacker) read(f *zip.File, name string) ([]byte, error) {
	if _, known := ending(extOf(name)); !known {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, domain.Errorf(domain.Invalid, "This ZIP archive is protected with a password. Unpack it first.")
	}
	rd, err := f.Open()
	if err != nil {
		return nil, damagedPackage("ZIP archive", err)
	}
	limited := &budgetReader{ReadCloser: rd, kind: "ZIP archive", left: &u.left, packed: int64(f.CompressedSize64), token: -1 << 62}
	defer limited.Close()
	content, err := io.ReadAll(io.LimitReader(limited, u.limits.MaxBytes+1))
	if err != nil && !errors.Is(err, zip.ErrChecksum) {
		return nil, damagedPackage("ZIP archive", err)
	}
	if int64(len(content)) > u.limits.MaxBytes {
		return nil, domain.Errorf(domain.TooLarge, "%s in this archive is larger than %s, which is the limit.", printable(name), bytesInWords(u.limits.MaxBytes))
	}
	return content, nil
}
