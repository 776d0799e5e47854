package parse

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// Readable lists the formats that can be read, as a sentence for error messages.
const Readable = "Clew reads PDF (.pdf), Word (.docx, .odt, .rtf), PowerPoint (.pptx), Excel (.xlsx), tables (.csv, .tsv), Markdown (.md), HTML (.html), plain text (.txt), calendars (.ics), " +
	"mail (.eml, .mbox), e-books (.epub), notebooks (.ipynb), JSON (.json, .jsonl), subtitles (.srt, .vtt), source code, ZIP archives of these, and graphs (.graphml, .csv, .json)."

// Detect returns the format of a file from its name and its first bytes, of which 4 KB suffice. If
// the two disagree, the error is Invalid and says what the file looks like; if the format cannot be
// read, it is Unsupported and says what can. A name without an extension leaves it to the content.
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
		return "", domain.Errorf(domain.Unsupported, "This file looks like %s, which cannot be read. %s", found.name, Readable)
	case found.format == domain.FormatGraph && (promised == domain.FormatTable || ext == ".json"):
		return domain.FormatGraph, nil
	case agrees(promised, found):
		return promised, nil
	}
	return "", domain.Errorf(domain.Invalid, "This file is called %s but looks like %s, not like %s.%s", printable(ext), found.name, formatNames[promised], advice(promised, found))
}

// formatOf returns the format that an extension promises.
func formatOf(ext string) (domain.Format, bool) {
	for format, list := range extensions {
		if ext != "" && slices.Contains(strings.Fields(list), ext) {
			return format, true
		}
	}
	return "", false
}

// MayRead reports whether a file may be read by its name: one without an ending is
// told by its content.
func MayRead(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	_, known := formatOf(ext)
	return known || ext == ""
}

// kinds are the formats in the words of people, with those that have one in common together.
var kinds = []struct {
	name    string
	formats []domain.Format
}{
	{"PDF", []domain.Format{domain.FormatPDF}},
	{"Word", []domain.Format{domain.FormatDOCX, domain.FormatODT, domain.FormatRTF}},
	{"PowerPoint", []domain.Format{domain.FormatSlides}},
	{"Excel", []domain.Format{domain.FormatSheets}},
	{"CSV", []domain.Format{domain.FormatTable}},
	{"Markdown", []domain.Format{domain.FormatMarkdown}},
	{"HTML", []domain.Format{domain.FormatHTML}},
	{"text", []domain.Format{domain.FormatText}},
	{"mail", []domain.Format{domain.FormatMail, domain.FormatMailbox}},
	{"e-books", []domain.Format{domain.FormatBook}},
	{"notebooks", []domain.Format{domain.FormatNotebook}},
	{"JSON", []domain.Format{domain.FormatRecords}},
	{"subtitles", []domain.Format{domain.FormatTranscript}},
	{"source code", []domain.Format{domain.FormatCode}},
	{"graphs", []domain.Format{domain.FormatGraph}},
	{"ZIP archives of these", []domain.Format{domain.FormatArchive}},
}

// Kinds names the kinds of files that can be read, in a few words.
func Kinds() string {
	var all []string
	for _, k := range kinds {
		all = append(all, k.name)
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// Extensions lists the endings of files that can be read, in order.
func Extensions() []string {
	var all []string
	for _, list := range extensions {
		all = append(all, strings.Fields(list)...)
	}
	slices.Sort(all)
	return all
}

var extensions = map[domain.Format]string{
	domain.FormatPDF:        ".pdf",
	domain.FormatDOCX:       ".docx",
	domain.FormatMarkdown:   ".md .markdown .mdown .mkd",
	domain.FormatHTML:       ".html .htm .xhtml",
	domain.FormatText:       ".txt .text .log .rst .adoc .org .tex .ics",
	domain.FormatGraph:      ".graphml",
	domain.FormatTable:      ".csv .tsv",
	domain.FormatSheets:     ".xlsx .xlsm",
	domain.FormatSlides:     ".pptx .pptm .ppsx",
	domain.FormatRecords:    ".json .jsonl .ndjson",
	domain.FormatMail:       ".eml",
	domain.FormatMailbox:    ".mbox .mbx",
	domain.FormatBook:       ".epub",
	domain.FormatODT:        ".odt .ott",
	domain.FormatRTF:        ".rtf",
	domain.FormatNotebook:   ".ipynb",
	domain.FormatTranscript: ".srt .vtt",
	domain.FormatArchive:    ".zip",
	domain.FormatCode: ".go .py .js .mjs .ts .tsx .jsx .java .c .h .cc .cpp .hpp .cs .rb .rs .php .swift .kt .scala .sh .bash .ps1 .sql .r .jl .lua .pl .dart .ex .hs .clj " +
		".css .scss .xml .yaml .yml .toml .ini .cfg .proto .tf .vue .svelte",
}

var formatNames = map[domain.Format]string{
	domain.FormatPDF:        "a PDF",
	domain.FormatDOCX:       "a Word document",
	domain.FormatMarkdown:   "Markdown",
	domain.FormatHTML:       "a web page",
	domain.FormatText:       "plain text",
	domain.FormatGraph:      "a graph",
	domain.FormatTable:      "a table",
	domain.FormatSheets:     "an Excel workbook",
	domain.FormatSlides:     "a PowerPoint presentation",
	domain.FormatRecords:    "JSON",
	domain.FormatMail:       "a mail",
	domain.FormatMailbox:    "a mailbox",
	domain.FormatBook:       "an e-book (EPUB)",
	domain.FormatODT:        "an OpenDocument text",
	domain.FormatRTF:        "rich text (RTF)",
	domain.FormatNotebook:   "a notebook",
	domain.FormatTranscript: "subtitles",
	domain.FormatArchive:    "a ZIP archive",
	domain.FormatCode:       "source code",
}

// A likeness is the format that a file looks like, empty if it can't be read.
type likeness struct {
	format domain.Format
	name   string // with its article
	office bool   // a file of Word, Excel or PowerPoint: its beginning does not say which
	folder bool   // an archive, unless it is promised to be such a file
}

func looksLike(f domain.Format) likeness { return likeness{format: f, name: formatNames[f]} }

// agrees reports whether a file of the promised format may look like found. Formats of text differ
// by name alone, except that a whole web page is only HTML, and what begins in a way of its own.
func agrees(promised domain.Format, found likeness) bool {
	switch promised {
	case domain.FormatText, domain.FormatMarkdown:
		return found.format == domain.FormatText || found.format == domain.FormatGraph
	case domain.FormatHTML:
		return found.format == domain.FormatText || found.format == domain.FormatGraph || found.format == domain.FormatHTML
	case domain.FormatTable, domain.FormatRecords, domain.FormatTranscript, domain.FormatNotebook:
		return found.format == domain.FormatText || found.format == domain.FormatGraph
	case domain.FormatMail, domain.FormatMailbox, domain.FormatCode:
		return found.format == domain.FormatText || found.format == domain.FormatGraph || found.format == domain.FormatHTML
	case domain.FormatArchive:
		return found.format == promised || found.folder
	case domain.FormatSheets, domain.FormatSlides:
		return found.format == promised || found.office
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
			return likeness{name: s.name}
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return looksLike(domain.FormatRTF)
	case bytes.HasPrefix(head, []byte("PK")) && len(head) > 3 && head[2] < 9:
		return lookInZip(head)
	case bytes.Contains(start, []byte("%PDF-")):
		return looksLike(domain.FormatPDF)
	case isText(head):
		return lookInText(head)
	}
	if len(head) > 8 && string(head[4:8]) == "ftyp" {
		return likeness{name: "a video"}
	}
	return likeness{name: "binary data"}
}

// isWord reports whether text may begin with a signature by chance.
func isWord(prefix string) bool {
	return strings.IndexFunc(prefix, func(r rune) bool { return r != '!' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}

func isText(head []byte) bool {
	_, _, err := decode(head, nil, "")
	return err == nil
}

// lookInZip tells zip files apart by the names of their first entries.
func lookInZip(head []byte) likeness {
	office := slices.ContainsFunc([]string{"[Content_Types].xml", "_rels/", "docProps/"}, func(s string) bool { return bytes.Contains(head, []byte(s)) })
	for _, l := range []struct {
		mark   string
		format domain.Format
	}{
		{"mimetypeapplication/epub", domain.FormatBook},
		{"mimetypeapplication/vnd.oasis.opendocument.text", domain.FormatODT},
		{"mimetypeapplication/vnd.oasis.opendocument", ""},
		{"META-INF/container.xml", domain.FormatBook},
		{"word/", domain.FormatDOCX},
		{"xl/", domain.FormatSheets},
		{"ppt/", domain.FormatSlides},
	} {
		switch {
		case !bytes.Contains(head, []byte(l.mark)):
		case l.format == "":
			return likeness{name: "an OpenDocument file that is no text"}
		default:
			return likeness{format: l.format, name: formatNames[l.format], folder: strings.HasSuffix(l.mark, "/") && !office}
		}
	}
	if office {
		return likeness{format: domain.FormatDOCX, name: formatNames[domain.FormatDOCX], office: true}
	}
	return looksLike(domain.FormatArchive)
}

// lookInText tells a web page and a graph from other text.
func lookInText(head []byte) likeness {
	s, _, _ := decode(head, nil, "")
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
