// Package backup writes a whole library, or one of its workspaces, to one archive and restores it,
// into the same kind of database or another.
//
// An archive is a tar under zstd:
//
//	clew-backup.json             the header: format, schema number, tables with their columns
//	tables/documents/000001.jsonl   rows, one JSON array a line, in parts of a few megabytes
//	files/64656661756c74/9f86…   uploaded files under their workspace and hash
//	clew-end.json                how many rows and files there are
//	SHA256SUMS                   of every entry before it
//
// An archive is independent of its database: tables and columns come from the schema, parents before
// children. All rows are from one snapshot, so the library may be used meanwhile. The graph and the
// search index are left out: they are filled again from the ledger.
//
// An archive of one workspace has its rows and files, without those of the installation: accounts,
// tokens, connected models, secrets. Join adds it to a library with other workspaces, where its
// sources are paused.
//
// Readers treat an archive as hostile: they check names, sizes, checksums and the compression ratio,
// and that all files that rows refer to are present. They keep at most one row, a megabyte of others
// and the names of the files in memory.
package backup

import (
	"slices"
	"time"
)

// Format is the number of the newest format of archives. A newer one is refused.
const Format = 2

// formatOfAll is the format of an archive of all workspaces. One of a single workspace has a newer format, so that programs
// which know whole archives alone refuse it.
const formatOfAll = 1

// The names of an archive's own entries.
const (
	headEntry = "clew-backup.json"
	endEntry  = "clew-end.json"
	sumsEntry = "SHA256SUMS"
)

// A Header is the first entry of an archive.
type Header struct {
	Format  int       `json:"format"`
	Schema  int64     `json:"schema"`  // number of the last migration
	Program string    `json:"program"` // version of the program that wrote it
	Made    time.Time `json:"made"`
	Tables  []Table   `json:"tables"` // parents before children

	Workspace *One `json:"workspace,omitempty"` // the only one in it; nil for a whole library
}

// End is the entry behind all rows and files.
type End struct {
	Rows  map[string]int64 `json:"rows"` // by table
	Files int              `json:"files"`

	// Gone are the documents and versions that were removed while the archive was written: it has
	// their rows but not their files. Restoring removes them.
	Gone []Ref `json:"gone"`
	// Lost are those with a missing file that were not removed. The archive has the rest of them.
	Lost []Ref `json:"lost"`
}

// A Summary holds the figures of an archive.
type Summary struct {
	Header
	End

	Bytes  int64  // of all entries
	Packed int64  // of the archive
	Sum    string // hexadecimal SHA-256 of the list of checksums: archives with the same sum have the same content

	Missing []Use // files missing from an archive that was read as a partial one
}

// Count returns the number of a table's rows.
func (s Summary) Count(table string) int64 { return s.Rows[table] }

// leftOut are the tables that are not archived: the schema's number is in the
// header, processes, their leases and sessions end with the machine, tokens and links
// that were revoked or used must not come back, a copy tells no webhook, files are separate entries,
// and the index of titles and what graphs are divided into is built again.
var leftOut = []string{"goose_db_version", "workers", "store_leases", "sessions", "tokens", "invitations", "passes", "webhooks", "webhook_deliveries", "uploads", "upload_parts", "uploaded_files", "chunk_words", "title_forms", "divisions"}

// unmarked are the columns that are not archived: they mark rows that are in the
// index of titles.
var unmarked = map[string]string{"chunks": "number", "documents": "titled"}

// LeftOut reports whether a table is not archived.
func LeftOut(table string) bool { return slices.Contains(leftOut, table) }
