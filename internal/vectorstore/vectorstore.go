// Package vectorstore is the contract of the search index, which finds chunks and sentences by words
// and by vectors. Like the graph, it is a projection of the ledger that only the projector writes to.
package vectorstore

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// Collection is a kind of point.
type Collection string

// The collections.
const (
	Chunks    Collection = "chunks"    // ids are chunk ids
	Sentences Collection = "sentences" // ids are chunk ids with "#" and the sentence's number in the chunk
)

// Collections lists all collections in the order in which stores process them.
func Collections() []Collection { return []Collection{Chunks, Sentences} }

// Check returns an error of kind Invalid for a collection that does not exist.
func (c Collection) Check() error {
	if slices.Contains(Collections(), c) {
		return nil
	}
	return domain.Errorf(domain.Invalid, "There is no collection %q.", c)
}

// Embedding identifies the vectors of an index. Vectors of two models can't be
// compared, even if their dimensions are the same.
type Embedding struct {
	Model     string // "" if there is no embedding model
	Dimension int    // of every vector; 0 if unknown
}

// Index can be searched and written to.
type Index interface {
	Reader
	Writer
}

// Store is the live index, which answers searches. It is opened for one
// embedding model: all vectors written and searched with come from it.
type Store interface {
	Index

	// ForModel returns the same index for vectors of another model, for all later writes and searches;
	// the receiver remains for vectors of its own model. Closing one closes both.
	ForModel(model string) Store

	// Build starts an index next to the live one for vectors of e. A build for the same model and
	// dimension that was neither switched to nor discarded is continued; any other is discarded. The
	// live index keeps working. A store has one build at a time, which covers all workspaces; the
	// cursors of a new build are 0.
	//
	// To change the embedding model, project every workspace into a build, switch, and continue with
	// the store for the new model.
	Build(ctx context.Context, e Embedding) (Build, error)

	// Claim makes the workspace belong to owner, the identity of a ledger: from then on this store
	// refuses to read its cursor, to apply to it and to reset it while it belongs to another ledger,
	// with an error that wraps domain.ErrForeign. A workspace without an owner is claimed at once, a
	// workspace that was never written to with its first batch. The error wraps domain.ErrForeign if
	// the workspace belongs to another ledger, unless takeOver is set: then it is emptied, its tokens
	// are forgotten, and owner gets it.
	Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error

	Close() error
}

// Build is an index that does not answer searches yet.
type Build interface {
	Index

	// Switch makes the build the live index for all workspaces and processes at once and removes the
	// previous one. A workspace that was never written to the build is empty afterwards, with its
	// cursor at 0. A store opened for the previous model then rejects vectors, see Writer and
	// Reader.Dense. The build must not be used afterwards.
	Switch(ctx context.Context) error

	// Discard removes the build.
	Discard(ctx context.Context) error
}

// Writer accepts the projector's batches.
type Writer interface {
	// Apply writes b in one transaction and moves the workspace's cursor from
	// b.After to b.Cursor.
	//
	// It returns an error of kind Conflict if b was overtaken: if the store has seen a higher token
	// than b's, or if its cursor is not at b.After, even if it is at b.Cursor or beyond. The caller
	// then computes b again from the new cursor. Only the last applied batch succeeds a second time,
	// and changes nothing, because its acknowledgement may have been lost: the batch with the same
	// Token, After and Cursor.
	//
	// For vectors with another model or dimension than the stored ones, Apply returns an error of kind
	// Invalid. An index without vectors accepts vectors of any model; it may reset all cursors to 0
	// for them and return a conflict.
	//
	// A store without transactions may show part of b before the cursor moves, and part of an
	// overtaken batch until the cursor is where that batch ended. A failed batch can be applied again.
	Apply(ctx context.Context, w domain.WorkspaceID, b Batch) error

	// Reset removes the workspace's points and sets its cursor to 0. It returns an error of kind
	// Conflict if the store has seen a higher token.
	Reset(ctx context.Context, w domain.WorkspaceID, token int64) error
}

// Batch is a set of changes. Deletes are applied before upserts.
type Batch struct {
	Token  int64 // of the lease under which the batch was computed, see package lease
	After  int64 // the store's cursor when the batch was computed
	Cursor int64 // the ledger change up to which the batch brings the store

	DeleteDocuments []domain.DocumentID // with all their points
	Upsert          []Point
}

// Ref identifies a point.
type Ref struct {
	Collection Collection
	ID         string
}

// Point is a text that can be found. It replaces the stored point of the same
// collection and id.
type Point struct {
	Ref
	Document domain.DocumentID
	Title    string // searched together with Text
	Text     string
	Vector   []float32 // of unit length; nil if not embedded
}

// Reader searches one workspace at a time. A limit of 0 or less finds nothing.
type Reader interface {
	// Cursor returns the last ledger change that the workspace's points
	// include.
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)

	// IDs lists the ids of a collection's points in order.
	IDs(ctx context.Context, w domain.WorkspaceID, c Collection) ([]string, error)

	// Lexical ranks points by BM25 over title and text: best first, ties by
	// id. Words are compared by their stems; stop words and words that no
	// point contains are ignored. A query without any other word finds nothing.
	Lexical(ctx context.Context, w domain.WorkspaceID, q LexicalQuery) ([]Hit, error)

	// Dense ranks points by cosine similarity to a vector: best first, ties by id. For a vector with
	// another dimension or model than the stored ones it returns an error of kind Invalid that names
	// both.
	Dense(ctx context.Context, w domain.WorkspaceID, q DenseQuery) ([]Hit, error)

	// Embedded returns how many points of a collection have a vector, and how many points it has. Both
	// may be estimates during writes.
	Embedded(ctx context.Context, w domain.WorkspaceID, c Collection) (embedded, points int, err error)

	// Embedding identifies the stored vectors of all workspaces. It is zero while there are none,
	// whatever the index contained earlier.
	Embedding(ctx context.Context) (Embedding, error)

	// Exact reports whether Dense compares every vector rather than
	// approximating.
	Exact() bool
}

// LexicalQuery searches by words.
type LexicalQuery struct {
	Collection Collection
	Text       string
	Limit      int
	Documents  []domain.DocumentID // restricts the search to these; empty means all
}

// DenseQuery searches by vector.
type DenseQuery struct {
	Collection Collection
	Vector     []float32
	Limit      int
	Documents  []domain.DocumentID // restricts the search to these; empty means all
}

// Hit is a point found. Scores are comparable only within one result.
type Hit struct {
	ID    string
	Score float64
}

// ModelError returns an Invalid error for vectors of the model got in an index that holds those of want.
func ModelError(got, want string) error {
	return domain.Errorf(domain.Invalid,
		"The search index holds vectors of the model %s and can't be used with those of %s; after a change of the embedding model, rebuild the search index.", want, got)
}
