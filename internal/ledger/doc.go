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
// DeleteDocument removes a document's words from every table. Its text,
// chunks, contributions, the ingest runs and their events, and the model calls
// that the document owns are removed. A run that has read the document, known
// by the ids in its events, keeps its row and loses its result, its events and
// its model calls; if it is still going it is asked to stop. Answers keep
// their text; their citations of the document keep the place and lose the
// quotation. Embeddings stay: they are numbers under a hash, shared by every
// document that holds the same text. What is written on the document's behalf
// afterwards, by a run that has not noticed yet, is refused.
package ledger
