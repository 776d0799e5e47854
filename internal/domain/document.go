package domain

import "time"

// Format is a document's kind of file.
type Format string

// The supported formats.
const (
	FormatPDF      Format = "pdf"
	FormatDOCX     Format = "docx"
	FormatMarkdown Format = "markdown"
	FormatHTML     Format = "html"
	FormatText     Format = "text"
	FormatGraph    Format = "graph" // entities and relations, each a line of the text
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
	Title     string         `json:"title"` // from the document; else the name without its extension
	Format    Format         `json:"format"`
	Size      int64          `json:"size"` // bytes
	Hash      string         `json:"hash"` // lower-case hexadecimal SHA-256 of the bytes
	Status    DocumentStatus `json:"status"`
	Stage     string         `json:"stage"` // the ingest node at work, while Working
	Pages     int            `json:"pages"` // 0 where the format has none
	Chars     int            `json:"chars"` // code points of the stored text

	Chunks     int `json:"chunks"`
	ChunksDone int `json:"chunks_done"` // chunks with a recorded contribution
	Entities   int `json:"entities"`    // distinct entities its chunks contribute to
	Relations  int `json:"relations"`   // distinct relations its chunks contribute to
	Dropped    int `json:"dropped"`     // items that were mined from its chunks and left out of the graph

	Reader   string   `json:"reader"`           // the extractor that read it, for instance "builtin/1"
	Schema   int64    `json:"schema,omitempty"` // number of the version of a schema that guided it; 0 for none
	Chosen   string   `json:"chosen,omitempty"` // name of the schema chosen for it; "" for that of its tags or the library
	Warnings []string `json:"warnings,omitempty"`
	Problem  string   `json:"problem,omitempty"` // why it failed, in a sentence a person can act on

	Deaths    int           `json:"deaths,omitempty"` // times that reading it ended the process that read it
	Run       RunID         `json:"run,omitempty"`    // its latest ingest run
	CreatedAt time.Time     `json:"created_at"`
	UpdatedAt time.Time     `json:"updated_at"`
	Took      time.Duration `json:"took"` // of the latest ingest, so far or in all
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
	Title    string    `json:"title,omitempty"` // from the document; "" when it has none
	Content  string    `json:"content"`         // NFC, lines end in \n, a blank line between paragraphs
	Pages    []Page    `json:"pages,omitempty"` // in order, without overlap; none where the format has no pages
	Headings []Heading `json:"headings,omitempty"`
	Warnings []string  `json:"warnings,omitempty"` // about parts that could not be read
}

// A Page is the part of a text on one page.
type Page struct {
	Number int  `json:"number"` // from 1
	Span   Span `json:"span"`
}

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
	Page     int        `json:"page"`     // of its first character; 0 where there are no pages
	Headings []string   `json:"headings"` // outermost first
	Text     string     `json:"text"`     // exactly the characters of Span
	Tokens   int        `json:"tokens"`
}

// A Passage is a chunk as evidence, with the names of its document.
type Passage struct {
	Chunk
	Name  string `json:"name"`  // of the document's file
	Title string `json:"title"` // of the document
}
