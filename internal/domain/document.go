package domain

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Format is a document's kind of file.
type Format string

// Formats that other packages than parse refer to. parse.Formats lists all.
const (
	FormatPDF      Format = "pdf"
	FormatDOCX     Format = "docx"
	FormatMarkdown Format = "markdown"
	FormatHTML     Format = "html"
	FormatText     Format = "text"
	FormatGraph    Format = "graph" // entities and relations, each a line of the text

	FormatTable      Format = "csv" // and TSV
	FormatSheets     Format = "xlsx"
	FormatSlides     Format = "pptx"
	FormatRecords    Format = "json" // and JSON Lines
	FormatMail       Format = "eml"
	FormatMailbox    Format = "mbox"
	FormatBook       Format = "epub"
	FormatODT        Format = "odt"
	FormatRTF        Format = "rtf"
	FormatNotebook   Format = "ipynb"
	FormatTranscript Format = "srt" // and WebVTT
	FormatCode       Format = "code"
	FormatImage      Format = "image"
	FormatArchive    Format = "zip" // never the format of a document: only of the files inside it
)

// DocumentStatus is a document's progress from upload to use.
type DocumentStatus string

// The states of a document. Empty is a document that was read to its end and has
// no entity.
const (
	DocumentWaiting DocumentStatus = "waiting"
	DocumentWorking DocumentStatus = "working"
	DocumentReady   DocumentStatus = "ready"
	DocumentEmpty   DocumentStatus = "empty"
	DocumentFailed  DocumentStatus = "failed"
	DocumentStopped DocumentStatus = "stopped"
)

// Settled reports whether no run is going to change the document.
func (s DocumentStatus) Settled() bool {
	return s != DocumentWaiting && s != DocumentWorking
}

// A Document is an uploaded file with the state of its processing.
type Document struct {
	Workspace WorkspaceID    `json:"workspace"`
	ID        DocumentID     `json:"id"`
	Name      string         `json:"name"`  // the file's name, made safe to print
	Title     string         `json:"title"` // from the document, or the name without its extension
	Format    Format         `json:"format"`
	Size      int64          `json:"size"` // bytes
	Hash      string         `json:"hash"` // lower-case hexadecimal SHA-256 of the bytes
	Source    Source         `json:"source,omitempty"`
	Index     int            `json:"index,omitempty"`  // place within its source, from 1; 0 if it has none
	GoneAt    time.Time      `json:"gone_at,omitzero"` // when its link was found to be dead
	LinkTag   string         `json:"-"`                // identifies to its server the version that was fetched
	Status    DocumentStatus `json:"status"`
	Stage     string         `json:"stage"` // the ingest node at work, while Working
	Pages     int            `json:"pages"` // 0 if the format has none
	Chars     int            `json:"chars"` // code points of the stored text
	Pictures  int            `json:"pictures,omitempty"`

	Chunks     int `json:"chunks"`
	ChunksDone int `json:"chunks_done"` // chunks with a recorded contribution
	Entities   int `json:"entities"`    // distinct entities its chunks contribute to
	Relations  int `json:"relations"`   // distinct relations its chunks contribute to
	Dropped    int `json:"dropped"`     // items that were mined from its chunks and left out of the graph

	Reader   string   `json:"reader"`            // the extractor that read it, for instance "builtin/1"
	Schema   int64    `json:"schema,omitempty"`  // number of the schema version that guided it; 0 if there is none
	Chunking Chunking `json:"chunking,omitzero"` // how it is cut into chunks
	Chosen   string   `json:"chosen,omitempty"`  // name of its chosen schema; "" for its tags' or the library's
	Warnings []string `json:"warnings,omitempty"`
	Problem  string   `json:"problem,omitempty"` // why it failed, in a sentence that helps a person act

	Version   int        `json:"version,omitempty"`    // of its file, from 0; people count from 1
	VersionAt time.Time  `json:"version_at,omitzero"`  // when it got this version; zero if that was when it was added
	VersionOf DocumentID `json:"version_of,omitempty"` // the document that it becomes the next version of once read; "" if none

	Deaths    int           `json:"deaths,omitempty"`   // how often reading it killed the process that read it
	Run       RunID         `json:"run,omitempty"`      // its latest ingest run
	AddedBy   string        `json:"added_by,omitempty"` // as returned by PersonOf; "" if nobody signed in
	Limited   bool          `json:"limited,omitempty"`  // only its readers may see it
	CreatedAt time.Time     `json:"created_at"`
	UpdatedAt time.Time     `json:"updated_at"`
	Took      time.Duration `json:"took"` // of the latest ingest, so far or in total
	SortKey   string        `json:"-"`    // of the field that a list is sorted by

	Facts
}

// Becomes returns the id of the document that d is or will become a version of.
func (d Document) Becomes() DocumentID {
	return cmp.Or(d.VersionOf, d.ID)
}

// VersionSince returns the time at which d's current version was added.
func (d Document) VersionSince() time.Time {
	if d.VersionAt.IsZero() {
		return d.CreatedAt
	}
	return d.VersionAt
}

// LeftOut returns how many chunks of a document that was read could not be mined.
func (d Document) LeftOut() int {
	if d.Status != DocumentReady && d.Status != DocumentEmpty {
		return 0
	}
	return max(0, d.Chunks-d.ChunksDone)
}

// A Text is a document's stored text with its pages and headings.
type Text struct {
	Title    string    `json:"title,omitempty"` // from the document; "" if it has none
	Content  string    `json:"content"`         // NFC, lines end in \n, a blank line between paragraphs
	Pages    []Page    `json:"pages,omitempty"` // in order, without overlap; none if the format has none
	Headings []Heading `json:"headings,omitempty"`
	Warnings []string  `json:"warnings,omitempty"` // about parts that could not be read
	Facts    Facts     `json:"facts,omitzero"`     // as the file states them; not stored with the text

	Properties map[string][]string `json:"properties,omitempty"` // stated by the file, by names in lower case; stored separately
	Pictures   []Picture           `json:"-"`                    // in order; stored separately
}

// PageCount returns the number of pages or slides.
func (t Text) PageCount() int {
	n := 0
	for _, p := range t.Pages {
		if p.Unit == UnitPage || p.Unit == UnitSlide {
			n++
		}
	}
	return n
}

// PageOf returns the number of the page or slide on which a span of the text begins, or 0 if the file has neither.
func (t Text) PageOf(span Span) int { return PageOf(t.Pages, span) }

// Place describes where a span of the text lies in the file, or returns "" if its page number suffices.
func (t Text) Place(span Span) string { return PlaceOf(t.Pages, t.Content, 0, span) }

// A Heading is a heading line of a text.
type Heading struct {
	Level int    `json:"level"` // 1 is the outermost
	Text  string `json:"text"`
	Span  Span   `json:"span"` // of the heading line itself
}

// A Chunk is a piece of a document's text, small enough to mine and to rank.
type Chunk struct {
	ID       ChunkID    `json:"id"`
	Document DocumentID `json:"document"`
	Ordinal  int        `json:"ordinal"` // from 0, in reading order
	Span     Span       `json:"span"`
	Page     int        `json:"page"`     // of its first character; 0 if there are no pages
	Headings []string   `json:"headings"` // outermost first, then the first row of a table that began earlier
	Text     string     `json:"text"`     // exactly the characters of Span
	Tokens   int        `json:"tokens"`
	Places   []Page     `json:"places,omitempty"` // parts of pages within Span
}

// CellBar separates the cells of a row in the text of a document.
const CellBar = " | "

// IsRow reports whether a line of a document's text is a row of a table.
func IsRow(line string) bool { return strings.Contains(line, CellBar) }

// TableHead returns the first row of a table that begins before the chunk and continues in it, or "".
func (c Chunk) TableHead() string {
	if n := len(c.Headings); n > 0 && IsRow(c.Headings[n-1]) {
		return c.Headings[n-1]
	}
	return ""
}

// PageOf returns the number of the page or slide on which a span of the chunk begins, or 0 if the file has neither.
func (c Chunk) PageOf(span Span) int { return cmp.Or(PageOf(c.Places, span), c.Page) }

// PagesOf returns the page or slide numbers of a span of the chunk, such as "3" or "3–4", or "" if there are none.
func (c Chunk) PagesOf(span Span) string {
	first, last := c.PageOf(span), c.PageOf(Span{Start: span.End - 1})
	switch {
	case first == 0:
		return ""
	case last <= first:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}

// Place describes where a span of the chunk lies in the file, or returns "" if its page number suffices.
func (c Chunk) Place(span Span) string { return PlaceOf(c.Places, c.Text, c.Span.Start, span) }

// A Passage is a chunk as evidence, with the names of its document.
type Passage struct {
	Chunk
	Name    string `json:"name"`              // of the document's file
	Title   string `json:"title"`             // of the document
	Version int    `json:"version,omitempty"` // of the document

	Web WebPage `json:"web,omitzero"` // that it is from; zero for a passage of the library
}

// Graded returns the passage as one that was graded.
func (p Passage) Graded(g Grade) Grading {
	return Grading{Chunk: p.ID, Document: p.Document, Name: p.Name, Page: p.Page, Place: p.Place(p.Span), Grade: g}
}
