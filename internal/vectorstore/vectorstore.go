// Package vectorstore is the contract of the store that finds text by words
// and by vectors. Like the graph it is a projection of the ledger and only the
// projector writes to it.
package vectorstore

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Collection names one kind of thing that can be found.
type Collection string

// The collections.
const (
	Chunks    Collection = "chunks"    // ids are chunk ids
	Sentences Collection = "sentences" // ids are chunk ids with "#" and the sentence's number in the chunk
	Entities  Collection = "entities"  // ids are entity ids
	Relations Collection = "relations" // ids are relation ids
)

// Store can be searched and projected into.
type Store interface {
	Reader
	Writer
	Close() error
}

// Writer takes the projector's batches.
type Writer interface {
	// Apply writes b in one transaction and moves the workspace's cursor from
	// b.After to b.Cursor. A batch whose cursor is not beyond the stored one
	// changes nothing. A batch that is beyond it but was worked out from
	// another cursor than the stored one is an error of kind Conflict. A
	// vector of another dimension than those its collection holds is an error
	// of kind Invalid.
	Apply(ctx context.Context, w domain.WorkspaceID, b Batch) error

	// Reset removes everything of the workspace and sets its cursor to 0.
	Reset(ctx context.Context, w domain.WorkspaceID) error
}

// Batch is a set of changes. Within a batch deletes come before upserts.
type Batch struct {
	After  int64 // the cursor of the store that this batch was worked out from
	Cursor int64 // the ledger's change sequence this batch brings the store to

	DeleteDocuments []domain.DocumentID // every point of those documents, in all collections
	Delete          []Ref
	Upsert          []Point
}

// Ref names one point.
type Ref struct {
	Collection Collection
	ID         string
}

// Point is one thing that can be found. It replaces the stored point of the
// same collection and id.
type Point struct {
	Ref
	Document domain.DocumentID // "" for entities and relations, which belong to no single document
	Title    string            // searched together with Text
	Text     string
	Vector   []float32 // unit length; nil when nothing embedded it
}

// Reader searches. Every method is confined to one workspace. A limit of 0 or
// less finds nothing.
type Reader interface {
	// Cursor is the ledger change the workspace's points have been brought to.
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)

	// IDs lists what a collection holds, by id.
	IDs(ctx context.Context, w domain.WorkspaceID, c Collection) ([]string, error)

	// Lexical ranks points by BM25 over title and text: best first, ties by
	// id. Words are compared by their stems; stop words and a word that no
	// point holds are ignored. A query without any usable word finds nothing.
	Lexical(ctx context.Context, w domain.WorkspaceID, q LexicalQuery) ([]Hit, error)

	// Dense ranks points by cosine with a vector: best first, ties by id. A
	// vector of another dimension than the stored ones is an error of kind
	// Invalid that names both.
	Dense(ctx context.Context, w domain.WorkspaceID, q DenseQuery) ([]Hit, error)

	// Capabilities says what this store can do.
	Capabilities() Capabilities
}

// Capabilities are a store's abilities, asked for instead of tried.
type Capabilities struct {
	Lexical bool
	Dense   bool
	Exact   bool // dense search compares every vector
}

// LexicalQuery asks for points by words.
type LexicalQuery struct {
	Collection Collection
	Text       string
	Limit      int
	Documents  []domain.DocumentID // only points of these documents; empty means all
}

// DenseQuery asks for points by vector.
type DenseQuery struct {
	Collection Collection
	Vector     []float32
	Limit      int
	Documents  []domain.DocumentID
}

// Hit is a point that was found. Scores are comparable within one answer only.
type Hit struct {
	ID    string
	Score float64
}
