package parse

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// A Format describes the files of one format. A new format is a row of [Formats] and a file with its reader.
type Format struct {
	ID      domain.Format
	Label   string      // in lists of documents
	Name    string      // with its article, in messages
	Kind    string      // the kind of file as people call it; formats that share one stand together
	Endings string      // usual endings, which messages name
	Also    string      // further endings
	Types   string      // media types
	Unit    domain.Unit // of the places in its text
	Shown   string      // content type under which a browser may show a file; "" if it is only downloaded
	Packs   bool        // the files within one are documents too
	Parts   bool        // a very long one is added in parts

	over  string            // endings of other formats for which content that looks like this one wins
	like  []domain.Format   // further formats that a file may look like, because its ending alone tells it apart
	marks []string          // names in the first bytes of a ZIP archive that tell it apart; the longest decides
	looks func(h head) bool // whether the first bytes are those of this format

	read   func(ctx context.Context, w *writer, data []byte) error
	unpack func(u *unpacker, data []byte) error
}

// Formats returns the table of all formats, in the order in which people are told of them.
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

// Readable says which files can be read, with their usual endings.
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

// Cut says how texts of the format are cut into chunks by default, or "" if by headings and length.
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
