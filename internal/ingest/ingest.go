package ingest

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/extract"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Ledger is where an ingest keeps what it finds.
type Ledger interface {
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
	UpdateDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, change func(*domain.Document)) (domain.Document, error)
	SaveText(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, t domain.Text) error
	Text(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Text, error)
	SaveChunks(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, chunks []domain.Chunk) error
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
	RecordContribution(ctx context.Context, w domain.WorkspaceID, c ledger.Contribution) error
	Contributions(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]ledger.Contribution, error)
	Embeddings(ctx context.Context, model string, hashes []string) (map[string][]float32, error)
	SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error
	Publish(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (int64, error)
}

// Files gives the bytes of an uploaded file by their hash.
type Files interface {
	Read(ctx context.Context, w domain.WorkspaceID, hash string) ([]byte, error)
}

// Parser turns bytes into text with positions.
type Parser interface {
	Parse(ctx context.Context, name string, format domain.Format, data []byte) (domain.Text, error)
}

// Projector brings the stores up to date with the ledger.
type Projector interface {
	Apply(ctx context.Context, w domain.WorkspaceID) error
}

// Embedding is the embedding model in use. A zero Embedding means that there
// is none: dense search is off and no vector is made.
type Embedding struct {
	Embedder llm.Embedder
	Text     func(domain.Document, domain.Chunk) string // what is embedded of a chunk
}

// Params are what an ingest works with. All but Embedding are required.
type Params struct {
	Ledger    Ledger
	Files     Files
	Parser    Parser
	Split     func(domain.DocumentID, domain.Text) []domain.Chunk
	Extractor extract.Extractor
	Key       func(name string) string // normal form of a name
	Projector Projector
	Embedding Embedding
	Retry     Retry
	Threads   stategraph.Checkpointer // keeps runs; nil: they are not kept
	Codec     state.Codec             // of what is kept; nil: encoding/json
}

// Retry says how often one chunk's extraction is tried within a run, when the
// model is at fault and may recover.
type Retry struct {
	Attempts int           // 3 when zero
	Backoff  time.Duration // before the second attempt; doubles; 1 s when zero
}

// nodes are the graph's nodes, methods over what they work with.
type nodes struct{ Params }

// Graph compiles the extraction graph.
func Graph(p Params) (*stategraph.Graph[State], error) {
	n := nodes{p}
	b := stategraph.New("ingest", schema)
	reads, writes, retry := stategraph.Reads, stategraph.Writes, stategraph.WithRetry(p.Retry.policy())
	b.Node("parse", n.parse, reads(), writes(pages, chars, warnings))
	b.Node("split", n.split, reads(), writes(chunks, mined))
	extractChunk := stategraph.Task(b, "extract", n.extract, writes(mined, warnings), retry)
	embedBatch := stategraph.Task(b, "embed", n.embed, writes(embedded), retry)
	b.Node("resolve", n.resolve, reads(), writes(merged, entities, relations))
	b.Node("project", n.project, reads(), writes())
	b.Node("report", n.report, reads(chunks, mined, entities, relations, warnings), writes(warnings))

	b.Edge(stategraph.Start, "parse")
	b.Edge("parse", "split")
	b.Branch("split", "chunks", n.fan(extractChunk, embedBatch),
		stategraph.Case{Label: "each chunk", Target: "extract"},
		stategraph.Case{Label: "each batch", Target: "embed"},
		stategraph.Case{Label: nothingNew, Target: "resolve"},
		stategraph.Case{Label: noText, Target: "project"})
	b.Edge("extract", "resolve")
	b.Edge("embed", "resolve")
	b.Edge("resolve", "project")
	b.Edge("project", "report")
	b.Edge("report", stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(p.Threads), stategraph.WithCodec(p.Codec))
}

// The labels of the edges out of split that are chosen and not sent.
const (
	nothingNew = "all recorded"
	noText     = "no text"
)

func (r Retry) policy() stategraph.Retry {
	attempts, backoff := r.Attempts, r.Backoff
	if attempts == 0 {
		attempts = 3
	}
	if backoff == 0 {
		backoff = time.Second
	}
	return stategraph.Retry{Attempts: attempts, Backoff: backoff, On: soon, After: domain.RetryAfter}
}

// patience is the longest that a node waits for a server that asks for it. For
// longer, the run is put off, and others have its place.
const patience = 2 * time.Minute

// soon reports whether the same call may succeed in a while.
func soon(err error) bool {
	return domain.Temporary(err) && domain.RetryAfter(err) <= patience
}

// Begin is the state that an ingest of one document starts from.
func Begin(w domain.WorkspaceID, id domain.DocumentID) State {
	return State{Workspace: w, Document: id}
}
