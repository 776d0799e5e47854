package parse

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// Detect returns the format of a file from its name and its first bytes, of which 4 KB suffice. If
// the two disagree, the error is Invalid and says what the file looks like; if the format cannot be
// read, it is Unsupported and says what can. A name without an extension leaves it to the content.
func Detect(name string, data []byte) (domain.Format, error) {
	if len(data) == 0 {
		return "", domain.Errorf(domain.Invalid, "This file is empty.")
	}
	ext := extOf(name)
	promised, known := ending(ext)
	if ext != "" && ext != "." && !known {
		return "", domain.Errorf(domain.Unsupported, "Files ending in %q cannot be read. %s", printable(ext), Readable())
	}
	found := look(data)
	switch {
	case !known && found.ID != "":
		return found.ID, nil
	case !known:
		return "", domain.Errorf(domain.Unsupported, "This file looks like %s, which cannot be read. %s", found.Name, Readable())
	case slices.Contains(strings.Fields(found.over), ext):
		return found.ID, nil
	case promised.agrees(found):
		return promised.ID, nil
	}
	advice := "Give it the right ending, or choose another file."
	switch {
	case promised.ID == domain.FormatGraph && found.ID == domain.FormatText:
		advice = "A graph is a CSV file whose first line names the columns source and target, GraphML, or JSON with lists of entities and relations."
	case found.ID == "":
		advice = Readable()
	}
	return "", domain.Errorf(domain.Invalid, "This file is called %s but looks like %s, not like %s. %s", printable(ext), found.Name, promised.Name, advice)
}

// MayRead reports whether a file may be read by its name: one without an ending is
// told by its content.
func MayRead(name string) bool {
	ext := extOf(name)
	_, known := ending(ext)
	return known || ext == ""
}

func extOf(name string) string { return strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/"))) }

// A likeness is the format that a file looks like. One that can't be read has only a name.
type likeness struct {
	Format
	office bool // a file of Word, Excel or PowerPoint: its beginning does not say which
	folder bool // an archive, unless it is promised to be such a file
}

// agrees reports whether a file of the promised format may look like found.
func (f Format) agrees(found likeness) bool {
	inOffice := slices.ContainsFunc(f.marks, isFolder)
	return f.ID == found.ID || slices.Contains(f.like, found.ID) || found.office && inOffice || found.folder && f.ID == domain.FormatArchive
}

// isFolder reports whether a mark is a folder, by which the files of Office are told apart.
func isFolder(mark string) bool { return strings.HasSuffix(mark, "/") }

// A signature is how files of a format that cannot be read begin.
type signature struct {
	prefix string
	name   string
}

// signatures are checked in order.
var signatures = []signature{
	{"\xD0\xCF\x11\xE0", "an old Word or Office file, or one locked with a password"},
	{"\x7FELF", "a program"},
	{"MZ", "a program"},
	{"\xFF\xD8\xFF", "a JPEG image"},
	{"\x89PNG", "a PNG image"},
	{"GIF8", "a GIF image"},
	{"BM", "a bitmap image"},
	{"II*\x00", "a TIFF image"},
	{"MM\x00*", "a TIFF image"},
	{"RIFF", "an image, a sound or a video"},
	{"ID3", "a sound file"},
	{"OggS", "a sound file"},
	{"fLaC", "a sound file"},
	{"\x1F\x8B", "a gzip archive"},
	{"7z\xBC\xAF", "a 7z archive"},
	{"Rar!", "a RAR archive"},
	{"%!PS", "a PostScript file"},
	{"SQLite format 3\x00", "a database"},
}

// A head is the beginning of a file.
type head struct {
	start  []byte
	text   string // decoded, without spaces around it
	isText bool
}

// look guesses the format of a file from its first bytes.
func look(data []byte) likeness {
	text, _, err := decode(data, nil, "")
	h := head{start: data[:min(len(data), 1024)], text: strings.TrimSpace(text), isText: err == nil}
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.prefix)) && !(isWord(s.prefix) && h.isText) {
			return likeness{Format: Format{Name: s.name}}
		}
	}
	if bytes.HasPrefix(data, []byte("PK")) && len(data) > 3 && data[2] < 9 {
		return lookInZip(data)
	}
	for _, f := range Formats() {
		if f.looks != nil && f.looks(h) {
			return likeness{Format: f}
		}
	}
	switch {
	case h.isText:
		return likeness{Format: Of(domain.FormatText)}
	case len(data) > 8 && string(data[4:8]) == "ftyp":
		return likeness{Format: Format{Name: "a video"}}
	}
	return likeness{Format: Format{Name: "binary data"}}
}

// isWord reports whether text may begin with a signature by chance.
func isWord(prefix string) bool {
	return strings.IndexFunc(prefix, func(r rune) bool { return r != '!' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}

// lookInZip tells zip files apart by the names of their first entries.
func lookInZip(data []byte) likeness {
	has := func(name string) bool { return bytes.Contains(data, []byte(name)) }
	office := slices.ContainsFunc([]string{"[Content_Types].xml", "_rels/", "docProps/"}, has)
	var found likeness
	longest := ""
	for _, f := range Formats() {
		for _, mark := range f.marks {
			if len(mark) > len(longest) && has(mark) {
				found, longest = likeness{Format: f, folder: isFolder(mark) && !office}, mark
			}
		}
	}
	switch other := "mimetypeapplication/vnd.oasis.opendocument"; {
	case len(longest) < len(other) && has(other):
		return likeness{Format: Format{Name: "an OpenDocument file that is no text"}}
	case longest == "" && office:
		return likeness{Format: Of(domain.FormatDOCX), office: true}
	case longest == "":
		return likeness{Format: Of(domain.FormatArchive)}
	}
	return found
}

func looksLikePage(h head) bool {
	start := strings.ToLower(h.text[:min(len(h.text), 512)])
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

func printable(s string) string { return shorten(tidyLine(s), 20) }
