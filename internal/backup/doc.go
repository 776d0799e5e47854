// Package backup writes all that a library holds into one archive and reads it
// back, into the same kind of database or another.
//
// An archive is a tar under zstd:
//
//	clew-backup.json             the header: format, schema number, tables with their columns
//	tables/documents/000001.jsonl   rows, one JSON array a line, in parts of a few megabytes
//	files/64656661756c74/9f86…   uploaded files under their workspace and hash
//	clew-end.json                how many rows and files there are
//	SHA256SUMS                   of every entry before it
//
// It says nothing of the database it was taken from: which tables and columns
// there are is read from the schema itself, parents before children. All rows
// are of one snapshot, so that the library may be used meanwhile. The graph and
// the search index are not in it: they are filled again from the ledger.
//
// Whatever reads an archive takes it for hostile: names, sizes, checksums and
// the ratio of packing are checked before a byte is used, and the reader holds
// no more than one row at a time.
package backup

import (
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Format is the number of the archive's format. A newer one is refused.
const Format = 1

// The names of an archive's own entries.
const (
	headEntry = "clew-backup.json"
	endEntry  = "clew-end.json"
	sumsEntry = "SHA256SUMS"
)

// Header is what an archive says of itself before anything else.
type Header struct {
	Format  int       `json:"format"`
	Schema  int64     `json:"schema"`  // number of the last migration
	Program string    `json:"program"` // version that wrote it
	Made    time.Time `json:"made"`
	Tables  []Table   `json:"tables"` // parents before children
}

// End is what an archive says once everything is in it.
type End struct {
	Rows  map[string]int64 `json:"rows"` // by table
	Files int              `json:"files"`

	// Gone are the documents that were deleted while the archive was written:
	// their rows are in it and their files are not. Restoring deletes them.
	Gone []Ref `json:"gone"`
	// Lost are the documents whose file was missing though nobody had deleted
	// them. All else of them is in the archive.
	Lost []Ref `json:"lost"`
}

// Ref names a document.
type Ref struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
}

// Summary is an archive in numbers.
type Summary struct {
	Header
	End

	Bytes  int64  // that its entries hold
	Packed int64  // that the archive takes
	Sum    string // SHA-256 of its list of checksums, in hexadecimal: two archives of one sum hold the same
}

// Count is how many rows of a table there are.
func (s Summary) Count(table string) int64 { return s.Rows[table] }

// leftOut are the tables that no archive holds: the schema's number stands in
// the header, processes and sessions end with the machine, files have entries
// of their own, and the index of titles is made again.
var leftOut = []string{"goose_db_version", "workers", "sessions", "uploads", "upload_parts", "uploaded_files", "chunk_words", "title_forms"}

// unmarked are the columns that no archive holds: they say of a row that the
// index of titles has it.
var unmarked = map[string]string{"chunks": "number", "documents": "titled"}

// LeftOut reports whether archives hold nothing of a table, on purpose.
func LeftOut(table string) bool { return slices.Contains(leftOut, table) }
