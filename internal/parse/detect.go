package parse

import (
	"bytes"
	"path"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// Readable says which files can be read, as the end of a message.
const Readable = "Clew reads PDF (.pdf), Word (.docx), Markdown (.md), HTML (.html) and plain text (.txt)."

// Detect tells the format of a file from its name and its first bytes; 4 KB
// are plenty. The two must agree: a name that promises another format than the
// content is an Invalid error that says what the file looks like, and a file of
// no known format an Unsupported one that says what can be read. A name
// without an extension promises nothing, so the content decides.
func Detect(name string, head []byte) (domain.Format, error) {
	if len(head) == 0 {
		return "", domain.Errorf(domain.Invalid, "This file is empty.")
	}
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	promised, known := formatOf(ext)
	if ext != "" && ext != "." && !known {
		return "", domain.Errorf(domain.Unsupported, "Files ending in %q cannot be read. %s", printable(ext), Readable)
	}
	found := look(head)
	switch {
	case !known && found.format != "":
		return found.format, nil
	case !known:
		return "", domain.Errorf(domain.Unsupported, "This file looks like %s, which cannot be read. %s", found.words, Readable)
	case agrees(promised, found):
		return promised, nil
	}
	return "", domain.Errorf(domain.Invalid, "This file is called %s but looks like %s, not like %s.%s", printable(ext), found.words, words(promised), advice(found))
}

// formatOf is the format that an extension, in lower case, promises.
func formatOf(ext string) (domain.Format, bool) {
	switch ext {
	case ".pdf":
		return domain.FormatPDF, true
	case ".docx":
		return domain.FormatDOCX, true
	case ".md", ".markdown", ".mdown", ".mkd":
		return domain.FormatMarkdown, true
	case ".html", ".htm", ".xhtml":
		return domain.FormatHTML, true
	case ".txt", ".text":
		return domain.FormatText, true
	}
	return "", false
}

// words names a format in a sentence.
func words(f domain.Format) string {
	switch f {
	case domain.FormatPDF:
		return "a PDF"
	case domain.FormatDOCX:
		return "a Word document"
	case domain.FormatMarkdown:
		return "Markdown"
	case domain.FormatHTML:
		return "a web page"
	}
	return "plain text"
}

// likeness is what the first bytes of a file look like. The format is empty
// when it is one that cannot be read.
type likeness struct {
	format domain.Format
	words  string
}

// agrees reports whether a file that promises a format may look like that.
// Markdown, HTML and plain text are all text and tell themselves apart by name
// alone, but a whole web page is neither of the others.
func agrees(promised domain.Format, found likeness) bool {
	if found.format == domain.FormatText {
		return promised == domain.FormatText || promised == domain.FormatMarkdown || promised == domain.FormatHTML
	}
	return promised == found.format
}

// advice says what to do about a file that looks like found.
func advice(found likeness) string {
	if found.format == "" {
		return " " + Readable
	}
	return " Give it the right ending, or choose another file."
}

// signature is how files that cannot be read, or not as what they are called,
// begin.
type signature struct {
	prefix string
	words  string
}

// signatures are told in order, the more specific first. Those that text may
// begin with, too, tell nothing of a file that can be read as text.
func signatures() []signature {
	return []signature{
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
}

// look tells what a file that begins with head looks like.
func look(head []byte) likeness {
	start := head[:min(len(head), 1024)]
	for _, s := range signatures() {
		if bytes.HasPrefix(head, []byte(s.prefix)) && !(isWord(s.prefix) && isText(head)) {
			return likeness{"", s.words}
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK")) && len(head) > 3 && head[2] < 9:
		return lookInZip(head)
	case bytes.Contains(start, []byte("%PDF-")):
		return likeness{domain.FormatPDF, "a PDF"}
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

// isText reports whether head can be read as text.
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
			return likeness{"", other.words}
		}
	}
	for _, part := range []string{"word/", "[Content_Types].xml", "_rels/", "docProps/"} {
		if bytes.Contains(head, []byte(part)) {
			return likeness{domain.FormatDOCX, "a Word document"}
		}
	}
	return likeness{"", "a ZIP archive"}
}

// lookInText tells a web page from other text.
func lookInText(head []byte) likeness {
	s, _, _ := decode(head)
	s = strings.ToLower(strings.TrimSpace(s[:min(len(s), 512)]))
	if strings.HasPrefix(s, "<!doctype html") || strings.HasPrefix(s, "<html") {
		return likeness{domain.FormatHTML, "a web page"}
	}
	return likeness{domain.FormatText, "plain text"}
}

// printable is a short piece of a name, safe to show.
func printable(s string) string { return shorten(tidyLine(s), 20) }
