package parse

import (
	"bytes"
	"path"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// Readable lists the formats that can be read, as a sentence for error messages.
const Readable = "Clew reads PDF (.pdf), Word (.docx), Markdown (.md), HTML (.html), plain text (.txt) and graphs (.graphml, .csv, .json)."

// Detect returns the format of a file from its name and its first bytes, of which 4 KB suffice. If
// the two disagree, the error is Invalid and says what the file looks like; if the format cannot be
// read, it is Unsupported and says what can. A name without an extension leaves it to the content.
func Detect(name string, head []byte) (domain.Format, error) {
	if len(head) == 0 {
		return "", domain.Errorf(domain.Invalid, "This file is empty.")
	}
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	promised, known := formats[ext]
	if ext != "" && ext != "." && !known {
		return "", domain.Errorf(domain.Unsupported, "Files ending in %q cannot be read. %s", printable(ext), Readable)
	}
	found := look(head)
	switch {
	case !known && found.format != "":
		return found.format, nil
	case !known:
		return "", domain.Errorf(domain.Unsupported, "This file looks like %s, which cannot be read. %s", found.name, Readable)
	case agrees(promised, found):
		return promised, nil
	}
	return "", domain.Errorf(domain.Invalid, "This file is called %s but looks like %s, not like %s.%s", printable(ext), found.name, formatNames[promised], advice(promised, found))
}

var formats = map[string]domain.Format{
	".pdf":  domain.FormatPDF,
	".docx": domain.FormatDOCX,
	".md":   domain.FormatMarkdown, ".markdown": domain.FormatMarkdown, ".mdown": domain.FormatMarkdown, ".mkd": domain.FormatMarkdown,
	".html": domain.FormatHTML, ".htm": domain.FormatHTML, ".xhtml": domain.FormatHTML,
	".txt": domain.FormatText, ".text": domain.FormatText,
	".graphml": domain.FormatGraph, ".csv": domain.FormatGraph, ".tsv": domain.FormatGraph, ".json": domain.FormatGraph,
}

var formatNames = map[domain.Format]string{
	domain.FormatPDF:      "a PDF",
	domain.FormatDOCX:     "a Word document",
	domain.FormatMarkdown: "Markdown",
	domain.FormatHTML:     "a web page",
	domain.FormatText:     "plain text",
	domain.FormatGraph:    "a graph",
}

// A likeness is what a file looks like; its format is empty if it cannot be read.
type likeness struct {
	format domain.Format
	name   string // with its article
}

func looksLike(f domain.Format) likeness { return likeness{f, formatNames[f]} }

// agrees reports whether a file of the promised format may look like found. Markdown, HTML and
// plain text differ by name alone, except that a whole web page is only HTML. A graph is text too.
func agrees(promised domain.Format, found likeness) bool {
	if found.format == domain.FormatText || found.format == domain.FormatGraph && promised != found.format {
		return promised == domain.FormatText || promised == domain.FormatMarkdown || promised == domain.FormatHTML
	}
	return promised == found.format
}

func advice(promised domain.Format, found likeness) string {
	if promised == domain.FormatGraph && found.format == domain.FormatText {
		return " A graph is a CSV file whose first line names the columns source and target, GraphML, or JSON with lists of entities and relations."
	}
	if found.format == "" {
		return " " + Readable
	}
	return " Give it the right ending, or choose another file."
}

// A signature is how files of a format that cannot be read begin.
type signature struct {
	prefix string
	name   string
}

// signatures are checked in order.
var signatures = []signature{
	{"\xD0\xCF\x11\xE0", "an old Word or Office file, or one locked with a password"},
	{"{\\rtf", "a rich text file (RTF)"},
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

// look guesses the format of a file from its first bytes.
func look(head []byte) likeness {
	start := head[:min(len(head), 1024)]
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.prefix)) && !(isWord(s.prefix) && isText(head)) {
			return likeness{"", s.name}
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK")) && len(head) > 3 && head[2] < 9:
		return lookInZip(head)
	case bytes.Contains(start, []byte("%PDF-")):
		return looksLike(domain.FormatPDF)
	case isText(head):
		return lookInText(head)
	}
	if len(head) > 8 && string(head[4:8]) == "ftyp" {
		return likeness{"", "a video"}
	}
	return likeness{"", "binary data"}
}

// isWord reports whether text may begin with a signature by chance.
func isWord(prefix string) bool {
	return strings.IndexFunc(prefix, func(r rune) bool { return r != '!' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}

func isText(head []byte) bool {
	_, _, err := decode(head)
	return err == nil
}

// lookInZip tells zip files apart by the names of their first entries.
func lookInZip(head []byte) likeness {
	for _, other := range []signature{
		{"mimetypeapplication/epub", "an e-book (EPUB)"},
		{"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file"},
		{"xl/", "an Excel workbook"},
		{"ppt/", "a PowerPoint presentation"},
	} {
		if bytes.Contains(head, []byte(other.prefix)) {
			return likeness{"", other.name}
		}
	}
	for _, part := range []string{"word/", "[Content_Types].xml", "_rels/", "docProps/"} {
		if bytes.Contains(head, []byte(part)) {
			return looksLike(domain.FormatDOCX)
		}
	}
	return likeness{"", "a ZIP archive"}
}

// lookInText tells a web page and a graph from other text.
func lookInText(head []byte) likeness {
	s, _, _ := decode(head)
	s = strings.TrimSpace(s)
	if lookLikeGraph(s) {
		return looksLike(domain.FormatGraph)
	}
	s = strings.ToLower(s[:min(len(s), 512)])
	if strings.HasPrefix(s, "<!doctype html") || strings.HasPrefix(s, "<html") {
		return looksLike(domain.FormatHTML)
	}
	return looksLike(domain.FormatText)
}

func printable(s string) string { return shorten(tidyLine(s), 20) }
