package ingest

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Files keeps uploaded files, and the pictures in them, by the hash of their bytes.
type Files interface {
	// Open returns the content of a file and its size.
	Open(ctx context.Context, w domain.WorkspaceID, hash string) (io.ReadSeekCloser, int64, error)

	// Keep stores a file.
	Keep(ctx context.Context, w domain.WorkspaceID, hash string, r io.Reader) error

	// Remove deletes a file. Removing a missing file is not an error.
	Remove(ctx context.Context, w domain.WorkspaceID, hash string) error
}

// A Parser turns the bytes of a file into text with positions, and splits the text. When it needs so much memory that
// the machine may suffer, it calls large and continues when large returns nil. If it dies over a file, but the program
// does not, its error is a *parse.DeathError.
type Parser interface {
	Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error)
	Split(ctx context.Context, id domain.DocumentID, t domain.Text, how domain.Chunking, large func() error) ([]domain.Chunk, error)
}

// Schemas guide extraction. A number names a version; 0 means none.
type Schemas interface {
	// NumberFor returns the version that guides the reading of a document.
	NumberFor(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (int64, error)

	// GuideAt returns a version.
	GuideAt(ctx context.Context, w domain.WorkspaceID, number int64) (extract.Guide, error)
}

// Embedding is the embedding model in use. The zero Embedding embeds nothing.
type Embedding struct {
	Embedder llm.Embedder
	Text     func(domain.Document, domain.Chunk) string // returns the text to embed for a chunk
}

// Params configure an ingest. Ledger to Project are required.
type Params struct {
	Ledger     *ledger.Ledger
	Files      Files
	Parser     Parser
	Extractor  extract.Extractor
	Schemas    Schemas                                               // guide the extractor; may be nil
	Prompts    *prompts.Book                                         // texts of the extractor's prompt; nil means the built-in one
	Key        func(name string) string                              // normalises a name
	Project    func(ctx context.Context, w domain.WorkspaceID) error // brings the stores to the ledger's head
	Window     int                                                   // maximum tokens of neighbouring chunks that share a request; 0 means one chunk per request
	Embedding  Embedding
	Describing Describing
	Filling    Filling
	Retry      Retry
	Threads    stategraph.Checkpointer // keeps runs; may be nil
	Codec      state.Codec             // of kept runs; nil means encoding/json
}

// Retry configures how a chunk's extraction is retried within a run after a
// temporary error of the model.
type Retry struct {
	Attempts int           // 0 means 3
	Backoff  time.Duration // before the second attempt; doubles; 0 means 1 s
}

// nodes holds the graph's nodes as methods.
type nodes struct {
	Params
	pauses *costs.Pauses
}

// Graph compiles the graph of an ingest.
func Graph(p Params) (stategraph.Runnable[State], error) {
	n := nodes{p, new(costs.Pauses)}
	b := stategraph.New("ingest", schema)
	reads, writes, retry := stategraph.Reads, stategraph.Writes, stategraph.WithRetry(p.Retry.policy())
	b.Node("parse", n.parse, reads(), writes(into, guided, pinned, pages, chars, warnings))
	b.Node("split", n.split, reads(into, guided, pinned), writes(chunks, windows, asks, mined))
	extractWindow := stategraph.Task(b, "extract", n.extract, writes(mined, warnings), retry)
	embedBatch := stategraph.Task(b, "embed", n.embed, writes(embedded), retry)
	b.Node("resolve", n.resolve, reads(), writes(merged, entities, relations))
	b.Node("fill_in", n.fillIn, reads(guided, pinned), writes(warnings), retry)
	b.Node("project", n.project, reads(into), writes())
	b.Node("report", n.report, reads(into, guided, pinned, chunks, asks, mined, entities, relations, warnings), writes(warnings))

	b.Edge(stategraph.Start, "parse")
	b.Edge("parse", "split")
	b.Branch("split", "chunks", n.sendWindows(extractWindow, embedBatch),
		stategraph.Case{Label: "each window", Target: "extract"},
		stategraph.Case{Label: "each batch", Target: "embed"},
		stategraph.Case{Label: nothingNew, Target: "resolve"},
		stategraph.Case{Label: noText, Target: "project"})
	b.Edge("extract", "resolve")
	b.Edge("embed", "resolve")
	b.Branch("resolve", "asks", askedFor, stategraph.Case{Label: fieldsAsked, Target: "fill_in"}, stategraph.Case{Label: noFields, Target: "project"})
	b.Edge("fill_in", "project")
	b.Edge("project", "report")
	b.Edge("report", stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(p.Threads), stategraph.WithCodec(p.Codec))
}

// The labels of the edges that leave split when no task is sent.
const (
	nothingNew = "all recorded"
	noText     = "no text"
)

func (r Retry) policy() stategraph.Retry {
	return stategraph.Retry{Attempts: cmp.Or(r.Attempts, 3), Backoff: cmp.Or(r.Backoff, time.Second), On: retryable, After: domain.RetryAfter}
}

// maxRetryAfter is the longest pause requested by a server that a node waits for. For longer ones the run is postponed,
// and others use its slot.
const maxRetryAfter = 2 * time.Minute

func retryable(err error) bool {
	return domain.Temporary(err) && domain.RetryAfter(err) <= maxRetryAfter
}

// Begin returns the initial state of a document's ingest.
func Begin(w domain.WorkspaceID, id domain.DocumentID) State {
	return State{Workspace: w, Document: id}
}
