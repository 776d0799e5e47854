package parse

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// A Format describes the files of one format. A new format is a row of [Formats] and a file with its reader.
type Format struct {
	ID      domain.Format
	Label   string      // in lists of documents
	Name    string      // with its article, in messages
	Kind    string      // the kind of file in common words; formats that share one are listed together
	Endings string      // usual endings, which messages mention
	Also    string      // further endings
	Types   string      // media types
	Unit    domain.Unit // of the places in its text
	Shown   string      // content type under which a browser may show a file; "" if it is only downloaded
	Packs   bool        // the files in it are documents too
	Parts   bool        // a very long one is added in parts

	over  string            // endings of other formats that win over similar content
	like  []domain.Format   // further formats that a file may look like, because only its ending distinguishes it
	marks []string          // names in the first bytes of a ZIP archive that identify it; the longest decides
	looks func(h head) bool // whether the first bytes have this format

	read   func(ctx context.Context, w *writer, data []byte) error
	unpack func(u *unpacker, data []byte) error
}

// Formats returns the table of all formats, in the order in which people are shown them.
func Formats() []Format { //nolint:funlen // a table
	const plain = "text/plain; charset=utf-8"
	text := []domain.Format{domain.FormatText, domain.FormatGraph}
	markup := []domain.Format{domain.FormatText, domain.FormatGraph, domain.FormatHTML}
	return []Format{
		{
			ID: domain.FormatPDF, Label: "PDF", Name: "a PDF", Kind: "PDF", Endings: ".pdf", Types: "application/pdf", Shown: "application/pdf",
			looks: func(h head) bool { return bytes.Contains(h.start, []byte("%PDF-")) }, read: readPDF, unpack: (*unpacker).scans,
		},
		{
			ID: domain.FormatDOCX, Label: "DOCX", Name: "a Word document", Kind: "Word", Endings: ".docx",
			Types: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", marks: []string{"word/"}, read: unpacked(readDOCX),
		},
		{
			ID: domain.FormatODT, Label: "ODT", Name: "an OpenDocument text", Kind: "Word", Endings: ".odt", Also: ".ott", Types: "application/vnd.oasis.opendocument.text",
			marks: []string{"mimetypeapplication/vnd.oasis.opendocument.text"}, read: unpacked(readODT),
		},
		{
			ID: domain.FormatRTF, Label: "RTF", Name: "rich text (RTF)", Kind: "Word", Endings: ".rtf", Types: "application/rtf text/rtf",
			looks: func(h head) bool { return bytes.HasPrefix(h.start, []byte(`{\rtf`)) }, read: readRTF,
		},
		{
			ID: domain.FormatSlides, Label: "PPTX", Name: "a PowerPoint presentation", Kind: "PowerPoint", Endings: ".pptx", Also: ".pptm .ppsx", Unit: domain.UnitSlide,
			Types: "application/vnd.openxmlformats-officedocument.presentationml.presentation", marks: []string{"ppt/"}, read: unpacked(readSlides),
		},
		{
			ID: domain.FormatSheets, Label: "XLSX", Name: "an Excel workbook", Kind: "Excel", Endings: ".xlsx", Also: ".xlsm", Unit: domain.UnitRow,
			Types: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", marks: []string{"xl/"}, read: unpacked(readSheets),
		},
		{
			ID: domain.FormatTable, Label: "CSV", Name: "a table", Kind: "tables", Endings: ".csv .tsv", Types: "text/csv", Unit: domain.UnitRow, Shown: plain,
			like: text, read: readTable,
		},
		{
			ID: domain.FormatMarkdown, Label: "Markdown", Name: "Markdown", Kind: "Markdown", Endings: ".md", Also: ".markdown .mdown .mkd", Types: "text/markdown", Shown: plain, Parts: true,
			like: text, read: readMarkdown,
		},
		{
			ID: domain.FormatHTML, Label: "HTML", Name: "a web page", Kind: "HTML", Endings: ".html", Also: ".htm .xhtml", Types: "text/html application/xhtml+xml",
			like: text, looks: looksLikePage, read: readHTML,
		},
		{
			ID: domain.FormatText, Label: "Text", Name: "plain text", Kind: "plain text", Endings: ".txt", Also: ".text .log .rst .adoc .tex", Types: "text/plain", Shown: plain, Parts: true,
			like: text, read: readText,
		},
		{ID: "org", Label: "Org", Name: "an Org outline", Kind: "Org", Endings: ".org", Types: "text/org", Shown: plain, Parts: true, like: text, read: readOrg},
		{ID: "ics", Label: "Calendar", Name: "a calendar", Kind: "calendars", Endings: ".ics", Types: "text/calendar", Shown: plain, like: text, read: readText},
		{ID: domain.FormatMail, Label: "EML", Name: "a mail", Kind: "mail", Endings: ".eml", Types: "message/rfc822", Packs: true, like: markup, read: readMail, unpack: (*unpacker).mail},
		{
			ID: domain.FormatMailbox, Label: "MBOX", Name: "a mailbox", Kind: "mail", Endings: ".mbox", Also: ".mbx", Unit: domain.UnitMessage, Packs: true,
			like: markup, read: readMailbox, unpack: (*unpacker).mailbox,
		},
		{
			ID: domain.FormatBook, Label: "EPUB", Name: "an e-book (EPUB)", Kind: "e-books", Endings: ".epub", Types: "application/epub+zip",
			marks: []string{"mimetypeapplication/epub", "META-INF/container.xml"}, read: unpacked(readBook),
		},
		{ID: domain.FormatNotebook, Label: "Notebook", Name: "a notebook", Kind: "notebooks", Endings: ".ipynb", Unit: domain.UnitCell, like: text, read: readNotebook},
		{
			ID: domain.FormatRecords, Label: "JSON", Name: "JSON", Kind: "JSON", Endings: ".json .jsonl", Also: ".ndjson", Types: "application/json", Unit: domain.UnitRecord,
			like: text, read: readRecords,
		},
		{
			ID: domain.FormatTranscript, Label: "Transcript", Name: "subtitles", Kind: "subtitles", Endings: ".vtt .srt", Types: "text/vtt", Unit: domain.UnitTime, Shown: plain,
			like: text, read: readTranscript,
		},
		{
			ID: domain.FormatCode, Label: "Code", Name: "source code", Kind: "source code", Unit: domain.UnitLine, Shown: plain, like: markup, read: readCode,
			Also: ".go .py .js .mjs .ts .tsx .jsx .java .c .h .cc .cpp .hpp .cs .rb .rs .php .swift .kt .scala .sh .bash .ps1 .sql .r .jl .lua .pl .dart .ex .hs .clj " +
				".css .scss .xml .yaml .yml .toml .ini .cfg .proto .tf .vue .svelte",
		},
		{
			ID: domain.FormatImage, Label: "Image", Name: "an image", Kind: "images", Endings: ".png .jpg .tif .webp .heic", Also: ".jpeg .tiff .gif .bmp .heif .avif",
			Types: "image/png image/jpeg image/tiff image/webp image/gif image/bmp image/heic image/heif image/avif", looks: looksLikeImage, read: readImage, unpack: (*unpacker).image,
		},
		{
			ID: domain.FormatGraph, Label: "Graph", Name: "a graph", Kind: "graphs (GraphML, CSV, JSON)", Also: ".graphml", over: ".csv .tsv .json",
			looks: func(h head) bool { return lookLikeGraph(h.text) }, read: readGraph,
		},
		{
			ID: domain.FormatArchive, Label: "ZIP", Name: "a ZIP archive", Kind: "ZIP archives of these", Also: ".zip", Types: "application/zip", Packs: true,
			unpack: func(u *unpacker, data []byte) error { return u.archive(data, 1) },
		},
	}
}

// unpacked returns a reader that may unpack as much as the limits of a file say.
func unpacked(read func(ctx context.Context, w *writer, data []byte, most int64) error) func(context.Context, *writer, []byte) error {
	return func(ctx context.Context, w *writer, data []byte) error {
		return read(ctx, w, data, w.limits.MaxExpanded)
	}
}

// Of returns the row of a format. One that is unknown has nothing but its id and a label.
func Of(id domain.Format) Format {
	f, known := formatWhere(func(f Format) bool { return f.ID == id })
	if !known {
		return Format{ID: id, Label: strings.ToUpper(string(id))}
	}
	return f
}

// ending returns the format that an ending promises.
func ending(ext string) (Format, bool) {
	return formatWhere(func(f Format) bool { return ext != "" && slices.Contains(f.endings(), ext) })
}

// EndingOf returns the usual ending of files of a media type, or "".
func EndingOf(media string) string {
	f, known := formatWhere(func(f Format) bool { return slices.Contains(strings.Fields(f.Types), media) })
	if !known {
		return ""
	}
	return f.endings()[0]
}

func formatWhere(has func(Format) bool) (Format, bool) {
	all := Formats()
	i := slices.IndexFunc(all, has)
	if i < 0 {
		return Format{}, false
	}
	return all[i], true
}

func (f Format) endings() []string { return strings.Fields(f.Endings + " " + f.Also) }

// Kinds names the kinds of files that can be read, in a few words.
func Kinds() string {
	return listKinds(func(kind string, _ []string) string { return kind })
}

// Readable describes the files that can be read, with their usual endings.
func Readable() string { return "Clew reads " + KindsAndEndings() + "." }

// KindsAndEndings names the kinds of files that can be read, each with its usual endings.
func KindsAndEndings() string {
	return listKinds(func(kind string, endings []string) string {
		if len(endings) == 0 {
			return kind
		}
		return kind + " (" + strings.Join(endings, ", ") + ")"
	})
}

// listKinds returns the kinds of files, each as say words it, as a list.
func listKinds(say func(kind string, endings []string) string) string {
	all := Formats()
	var words []string
	for i := 0; i < len(all); {
		kind, endings := all[i].Kind, []string(nil)
		for ; i < len(all) && all[i].Kind == kind; i++ {
			endings = append(endings, strings.Fields(all[i].Endings)...)
		}
		words = append(words, say(kind, endings))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Extensions lists the endings of files that can be read, in order.
func Extensions() []string {
	var all []string
	for _, f := range Formats() {
		all = append(all, f.endings()...)
	}
	slices.Sort(all)
	return all
}

// Cut describes how texts of the format are cut into chunks by default, or "" if by headings and length.
func (f Format) Cut() string {
	switch f.Unit {
	case domain.UnitSlide, domain.UnitRecord, domain.UnitMessage:
		return "one " + string(f.Unit) + " each"
	case domain.UnitRow, domain.UnitLine:
		return "some " + string(f.Unit) + "s each"
	}
	return ""
}

// Markdown returns the text of docs/formats.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Formats of files\n\nWritten by `make docs` from the table in `internal/read/parse/formats.go`. A citation names the place in the text by its unit; any format may have headings.\n\n" +
		"| format | endings | media types | unit | shown by the browser |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range Formats() {
		shown := "downloaded"
		if f.Shown != "" {
			shown = "shown"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.Label, strings.Join(f.endings(), " "), strings.Join(strings.Fields(f.Types), ", "), cmp.Or(string(f.Unit), "page or heading"), shown)
	}
	return b.String()
}

// Detect returns the format of a file from its name and its first bytes, of which 4 KB suffice. If the two disagree,
// the error is Invalid and names the format that the file appears to have; if the format cannot be read, it is
// Unsupported and names those that can. The format of a name without an extension is decided by the content.
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
		advice = "A graph is a CSV file whose first line names the columns source and target, a GraphML file, or JSON with lists of entities and relations."
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
	office bool // a file of Word, Excel or PowerPoint: its beginning does not show which
	folder bool // an archive, unless declared to be such a file
}

// agrees reports whether a file of the promised format may look like found.
func (f Format) agrees(found likeness) bool {
	inOffice := slices.ContainsFunc(f.marks, isFolder)
	return f.ID == found.ID || slices.Contains(f.like, found.ID) || found.office && inOffice || found.folder && f.ID == domain.FormatArchive
}

// isFolder reports whether a mark is a folder, which distinguishes Office files.
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
	{"RIFF", "a sound or a video"},
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
	if looksLikeImage(h) {
		return likeness{Format: Of(domain.FormatImage)}
	}
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

// lookInZip distinguishes zip files by the names of their first entries.
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
		return likeness{Format: Format{Name: "an OpenDocument file other than a text"}}
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
