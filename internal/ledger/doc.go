// Package ledger stores the truth of the program: documents with their text
// and chunks, the contribution of each chunk, embeddings, recorded model calls,
// events of runs, conversations, users and settings. The entity graph and the
// search index are projections that can be rebuilt from it at any time.
//
// A method sees only the workspace it is given: anything in another one is NotFound. Errors for people
// have a domain kind.
//
// # Publishing
//
// An ingest writes a document's text, chunks and contributions bit by bit; the
// projections see them once Publish has put the document into the outbox.
// Mentions, Statements, TitlesOf and EachChunk read published documents alone.
//
// # Deleting
//
// DeleteDocument removes a document's words from every table: its text, chunks and contributions with
// what was dropped from them, its own schemas, its ingest runs with their events, and the model calls
// it owns. A run whose events name the document or one of its chunks has read its words: it keeps its
// row, loses its events and model calls, and is asked to stop if it is still going. A branch with such
// a run is deleted, and a reply in an evaluation loses its answer. Answers keep what they say in their
// own words: Stub replaces whole sentences of the document in every answer that cites it, or whose run
// has read it, perhaps through earlier answers. Their citations of the document keep the position and
// lose the quotation. A summary loses the lines that were drawn from the document or whose source is
// unknown. Embeddings stay: they are numbers under a hash, shared by all documents with that text.
//
// A run that hasn't noticed the deletion may still write. Whatever it writes
// for the document is refused, its model calls are not recorded, only the last
// of its events is kept, and its citations lose their quotations.
//
// MarkDeleted only hides documents until DeleteMarked deletes them or Undelete restores them.
// Meanwhile they appear in no list, scope, count or passage, and the projections drop them; a run that
// is reading one continues.
//
// # Curating
//
// The curation log contains ids instead of words of documents. The normalised name behind an id, by
// which its mentions are found, is kept next to the log while some document contains it.
package ledger
