package measure

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// EmbeddingModel names the model under which a folder's vectors are stored.
const EmbeddingModel = "replayed"

const workspace = domain.DefaultWorkspace

// Stores are an empty ledger and its projections. All are required except Vectors.
type Stores struct {
	Ledger  *ledger.Ledger
	Project func(ctx context.Context, w domain.WorkspaceID) error // updates both projections
	Graph   graphstore.Reader
	Index   retrieve.Index
	Vectors llm.Embedder // one of Stored, which embeds what is read and asked; nil: the vectors are those of the folder
}

// library is the stores with the passages of a folder.
type library struct {
	Stores
	passage map[domain.ChunkID]string // ids of the folder's passages
}

// ingest adds each passage as a document of one chunk, whose id depends on the
// passage's text and not on its id or position.
func ingest(ctx context.Context, p Params, c Corpus) (*library, error) {
	l := &library{Stores: p.Stores, passage: make(map[domain.ChunkID]string, len(c.Passages))}
	if l.Vectors == nil {
		if err := l.embed(ctx, c); err != nil {
			return nil, fmt.Errorf("replay embeddings: %w", err)
		}
	}
	seen := map[string]int{}
	for _, passage := range c.Passages {
		text := passage.Title + "\n" + passage.Text
		if err := l.add(ctx, p.Mine, passage, domain.Hash([]byte(text+"\n"+strconv.Itoa(seen[text])))); err != nil {
			return nil, fmt.Errorf("ingest passage %s: %w", passage.ID, err)
		}
		seen[text]++
	}
	return l, p.Stores.Project(ctx, workspace)
}

func (l *library) add(ctx context.Context, mine func(string, domain.Chunk) domain.GraphDocument, p Passage, hash string) error {
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
	return l.publish(ctx, mine, d, domain.Text{Title: p.Title, Content: p.Text}, []domain.Chunk{chunk})
}

// Stored returns e with its vectors stored in a library that is measured, under the
// model that its index knows.
func Stored(e llm.Embedder, s llm.EmbeddingStore) llm.Embedder {
	return llm.RecordEmbedder(renamed{e}, s)
}

type renamed struct{ llm.Embedder }

// Model implements llm.Embedder.
func (renamed) Model() string { return EmbeddingModel }

// replayed makes no vectors: those of the folder are stored.
type replayed struct{}

var errNotStored = errors.New("the folder has no vector of this text")

// Model implements llm.Embedder.
func (replayed) Model() string { return EmbeddingModel }

// Embed implements llm.Embedder.
func (replayed) Embed(context.Context, []string) ([][]float32, error) { return nil, errNotStored }

// publish stores a document as it is after reading, with the vectors of its texts if
// something makes them.
func (l *library) publish(ctx context.Context, mine func(string, domain.Chunk) domain.GraphDocument, d domain.Document, t domain.Text, chunks []domain.Chunk) error {
	if _, _, err := l.Ledger.AddDocument(ctx, d); err != nil {
		return err
	}
	if err := l.Ledger.SaveText(ctx, workspace, d.ID, t); err != nil {
		return err
	}
	if l.Vectors != nil {
		var texts []string // of all chunks at once: small batches leave processors idle
		for _, c := range chunks {
			texts = append(texts, projection.EmbeddedTexts(d.Title, c.Text, prose.Sentences)...)
		}
		if _, err := l.Vectors.Embed(ctx, texts); err != nil {
			return err
		}
	}
	if err := l.Ledger.SaveChunks(ctx, workspace, d.ID, chunks); err != nil {
		return err
	}
	for _, c := range chunks {
		contribution := ledger.Contribution{Chunk: c.ID, Document: d.ID, Reader: "builtin", Graph: mine(d.Title, c)}
		if err := l.Ledger.RecordContribution(ctx, workspace, contribution); err != nil {
			return err
		}
	}
	_, err := l.Ledger.Publish(ctx, workspace, d.ID)
	return err
}

// embedAsked stores the vectors of the questions.
func (l *library) embedAsked(ctx context.Context, questions []Question) error {
	vectors := map[string][]float32{}
	for _, q := range questions {
		if q.Vector != nil {
			vectors[domain.Hash([]byte(q.Text))] = q.Vector
		}
	}
	return l.Ledger.SaveEmbeddings(ctx, EmbeddingModel, vectors)
}

// embed stores the vectors of the corpus under the hashes of their texts.
func (l *library) embed(ctx context.Context, c Corpus) error {
	vectors := map[string][]float32{}
	title := make(map[string]string, len(c.Passages))
	for _, p := range c.Passages {
		title[p.ID] = p.Title
		if p.Vector != nil {
			vectors[domain.Hash([]byte(nearest.PassageText(p.Title, p.Text)))] = p.Vector
		}
	}
	for _, s := range c.Sentences {
		if s.Vector != nil {
			vectors[domain.Hash([]byte(nearest.SentenceText(title[s.Passage], s.Text)))] = s.Vector
		}
	}
	return l.Ledger.SaveEmbeddings(ctx, EmbeddingModel, vectors)
}
