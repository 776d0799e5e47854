// Package vectorstore is the contract of the store that finds text by words
// and by vectors. Like the graph it is a projection of the ledger and only the
// projector writes to it.
package vectorstore

import (
	"context"
	"slices"

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

// Collections are all there are, in the order that stores go through them.
func Collections() []Collection {
	return []Collection{Chunks, Sentences, Entities, Relations}
}

// Check reports a collection that does not exist, as an error of kind Invalid.
func (c Collection) Check() error {
	if slices.Contains(Collections(), c) {
		return nil
	}
	return domain.Errorf(domain.Invalid, "There is no collection %q.", c)
}

// Embedding says where the vectors of an index come from. Vectors of two models
// can't be compared, even where their dimensions are the same.
type Embedding struct {
	Model     string // "" when nothing embeds
	Dimension int    // of every vector; 0 while it is not known
}

// Index can be searched and projected into.
type Index interface {
	Reader
	Writer
}

// Store is the index that answers, the live one. It is opened for one
// embedding model, that of the vectors it is given and asked with.
type Store interface {
	Index

	// Build begins an index beside the live one, for vectors of e, or goes on
	// with one that was begun for the same model and neither switched to nor
	// discarded; one that was begun for another model is discarded. The live
	// index answers and takes batches as before. There is one build at a time
	// for the whole store, with all its workspaces; the cursors of a new one
	// are 0.
	//
	// To change the embedding model: build, bring every workspace of the build
	// to the ledger's head (a projector over the build does it, as mending an
	// empty index), switch, and open the store anew for the model.
	Build(ctx context.Context, e Embedding) (Build, error)

	Close() error
}

// Build is an index that nobody is answered from yet.
type Build interface {
	Index

	// Switch makes the build the live index, at once for all workspaces and
	// processes, and removes the one before. A workspace that was never
	// written to the build is empty afterwards, with its cursor at 0. A store
	// that is open for the model before refuses vectors from then on, see
	// Writer and Reader.Dense. The build must not be used any more.
	Switch(ctx context.Context) error

	// Discard removes the build.
	Discard(ctx context.Context) error
}

// Writer takes the projector's batches.
type Writer interface {
	// Apply writes b in one transaction and moves the workspace's cursor from
	// b.After to b.Cursor. A batch whose cursor is not beyond the stored one
	// changes nothing. A batch that is beyond it but was worked out from
	// another cursor than the stored one is an error of kind Conflict. A
	// vector of another model or dimension than those the index holds is an
	// error of kind Invalid. One that holds no vectors takes those of any
	// model; it may begin anew for them, with all cursors at 0, which then is
	// a conflict like any other.
	//
	// A store without transactions may show a part of b before the cursor
	// moves. When Apply fails, the same batch can be applied again.
	Apply(ctx context.Context, w domain.WorkspaceID, b Batch) error

	// Fill is Apply for what is too much for one batch. It calls pieces with a
	// function that writes a part of it, each in one transaction, and moves the
	// workspace's cursor from after to cursor once pieces has come back
	// without an error. The cursors of the parts are not looked at. Until the
	// cursor moves, a search may find some of what was written.
	//
	// A store whose cursor is at cursor or beyond calls nothing. One that is
	// elsewhere than at after, or gets there while the parts are written, is an
	// error of kind Conflict; its cursor may then have gone back. So is another
	// Fill from after to a later cursor, begun meanwhile. Two to the same cursor
	// may go on side by side: they write the same.
	//
	// What a Fill that fails has written stays, and is for the next one to
	// write again or delete: it has to look for what it must delete while it
	// writes, not before.
	Fill(ctx context.Context, w domain.WorkspaceID, after, cursor int64, pieces func(write func(Batch) error) error) error

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
	Label    string            // of an entity, or the type of a relation: for those who look at a server's points with other tools
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
	// Invalid that names both; so is one of another model.
	Dense(ctx context.Context, w domain.WorkspaceID, q DenseQuery) ([]Hit, error)

	// Hybrid ranks points by reciprocal rank fusion, with the constant 60, of
	// the Candidates that Lexical and Dense put first, in one request. It is an
	// error of kind Unsupported where Capabilities say so: then the caller
	// fuses what both find.
	Hybrid(ctx context.Context, w domain.WorkspaceID, q HybridQuery) ([]Hit, error)

	// Embedding is where the stored vectors of all workspaces come from; zero
	// while there are none, whatever the index was made for or held before.
	Embedding(ctx context.Context) (Embedding, error)

	// Capabilities says what this store can do.
	Capabilities() Capabilities
}

// Capabilities are a store's abilities, asked for instead of tried.
type Capabilities struct {
	Lexical bool
	Dense   bool
	Exact   bool // dense search compares every vector
	Fusion  bool // Hybrid is one request
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

// HybridQuery asks for points by words and vector together.
type HybridQuery struct {
	Collection Collection
	Text       string
	Vector     []float32
	Candidates int // most points that each way gives to the fusion
	Limit      int
	Documents  []domain.DocumentID
}

// Hit is a point that was found. Scores are comparable within one answer only.
type Hit struct {
	ID    string
	Score float64
}
