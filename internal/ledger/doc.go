// Package ledger is the truth of the program: the documents with their text
// and chunks, what was mined from each chunk, the embeddings and the recorded
// model calls, the events of runs, conversations, users and settings. The
// entity graph and the search index are projections that can be rebuilt from
// it at any time.
//
// Every method is confined to the workspace it is given: what is in another
// one is NotFound. Errors that a person meets are of a domain kind.
//
// # Publishing
//
// An ingest writes a document's text, chunks and contributions bit by bit; the
// projections see them once Publish has put the document into the outbox. The
// folds (Mentions, Statements, Titles, EachChunk) read published documents
// alone.
//
// # Deleting
//
// DeleteDocument removes a document's words from every table: its text, chunks
// and contributions, the runs that read it in with their events, and the model
// calls that it owns. A run whose events name it, or one of its chunks, has
// had its words before it: such a run keeps its row and loses its events and
// its model calls, and if it is still going it is asked to stop. Answers keep
// their text; their citations of the document keep the place and lose the
// quotation. Of a summary the lines that were drawn from the document go, and
// those of which it can't be told; lines drawn from others alone stay.
// Embeddings stay: they are numbers under a hash, shared by every
// document that holds the same text.
//
// A run that has not noticed yet may still write. What it writes on behalf of
// the document is refused; its model calls are not recorded, of its events the
// last one alone is kept, and quotations are left out of its citations.
//
// # Curating
//
// The curation log holds ids in place of the words of documents. The one word
// that goes with an id, the normalised name by which its mentions are found,
// is kept beside the log for as long as some document holds it.
package ledger
