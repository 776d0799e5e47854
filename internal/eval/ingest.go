package eval

import (
	"context"
	"fmt"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/retrieve"
)

// EmbeddingModel is the name under which a folder's vectors are recorded.
const EmbeddingModel = "replayed"

// workspace is where the passages go.
const workspace = domain.DefaultWorkspace

// Ledger is where passages are put. See the methods of ledger.Ledger.
type Ledger interface {
	AddDocument(ctx context.Context, d domain.Document) (domain.Document, bool, error)
	SaveText(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, t domain.Text) error
	SaveChunks(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, chunks []domain.Chunk) error
	RecordContribution(ctx context.Context, w domain.WorkspaceID, c ledger.Contribution) error
	SaveEmbeddings(ctx context.Context, model string, vectors map[string][]float32) error
	Publish(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (int64, error)
	retrieve.Texts
}

// Miner reads a chunk without a model.
type Miner interface {
	Mine(title string, chunk domain.Chunk) domain.GraphDocument
}

// Stores are a fresh and empty library with its projections.
type Stores struct {
	Ledger  Ledger
	Project func(ctx context.Context, w domain.WorkspaceID) error // brings both stores to the ledger's head
	Graph   retrieve.Graph
	Index   retrieve.Index
}

// library is the passages in the stores.
type library struct {
	Stores
	passage map[domain.ChunkID]string // ids of the folder
}

// ingest puts each passage into the stores as a document of one chunk. The ids
// that it gives depend on the passages' words alone, not on their ids or order.
func ingest(ctx context.Context, p Params, c Corpus) (*library, error) {
	l := &library{Stores: p.Stores, passage: make(map[domain.ChunkID]string, len(c.Passages))}
	if err := l.embed(ctx, c); err != nil {
		return nil, fmt.Errorf("replay embeddings: %w", err)
	}
	seen := map[string]int{}
	for _, one := range c.Passages {
		text := one.Title + "\n" + one.Text
		if err := l.add(ctx, p.Miner, one, domain.Hash([]byte(text+"\n"+strconv.Itoa(seen[text])))); err != nil {
			return nil, fmt.Errorf("ingest passage %s: %w", one.ID, err)
		}
		seen[text]++
	}
	return l, p.Stores.Project(ctx, workspace)
}

func (l *library) add(ctx context.Context, m Miner, p Passage, hash string) error {
	d := domain.Document{
		Workspace: workspace, ID: domain.NewDocumentID(workspace, hash), Name: p.Title, Title: p.Title,
		Format: domain.FormatText, Size: int64(len(p.Text)), Hash: hash, Status: domain.DocumentReady,
	}
	length := domain.Runes(p.Text)
	chunk := domain.Chunk{
		ID: domain.NewChunkID(d.ID, domain.Hash([]byte(p.Text)), 0), Document: d.ID,
		Span: domain.Span{Start: 0, End: length}, Text: p.Text,
	}
	l.passage[chunk.ID] = p.ID
	if _, _, err := l.Ledger.AddDocument(ctx, d); err != nil {
		return err
	}
	if err := l.Ledger.SaveText(ctx, workspace, d.ID, domain.Text{Title: p.Title, Content: p.Text}); err != nil {
		return err
	}
	if err := l.Ledger.SaveChunks(ctx, workspace, d.ID, []domain.Chunk{chunk}); err != nil {
		return err
	}
	contribution := ledger.Contribution{Chunk: chunk.ID, Document: d.ID, Reader: "builtin", Graph: m.Mine(p.Title, chunk)}
	if err := l.Ledger.RecordContribution(ctx, workspace, contribution); err != nil {
		return err
	}
	_, err := l.Ledger.Publish(ctx, workspace, d.ID)
	return err
}

// embed records the vectors of the corpus under the texts that they are of.
func (l *library) embed(ctx context.Context, c Corpus) error {
	vectors := map[string][]float32{}
	title := make(map[string]string, len(c.Passages))
	for _, p := range c.Passages {
		title[p.ID] = p.Title
		if p.Vector != nil {
			vectors[domain.Hash([]byte(projection.ChunkText(p.Title, p.Text)))] = p.Vector
		}
	}
	for _, s := range c.Sentences {
		if s.Vector != nil {
			vectors[domain.Hash([]byte(projection.SentenceText(title[s.Passage], s.Text)))] = s.Vector
		}
	}
	if len(vectors) == 0 {
		return nil
	}
	return l.Ledger.SaveEmbeddings(ctx, EmbeddingModel, vectors)
}
