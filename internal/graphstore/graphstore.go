// Package graphstore is the contract of the store that holds the entity graph:
// entities, the relations between them, and the links from entities to the
// chunks that name them. The graph is a projection of the ledger: it can be
// thrown away and rebuilt, and only the projector writes to it.
package graphstore

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Store is a graph that can be read and projected into.
type Store interface {
	Reader
	Writer
	Close() error
}

// Writer takes the projector's batches.
type Writer interface {
	// Apply writes b in one transaction and moves the workspace's cursor from
	// b.After to b.Cursor. A batch whose cursor is not beyond the stored one
	// changes nothing: applying twice is the same as applying once. A batch
	// that is beyond it but was worked out from another cursor than the stored
	// one is an error of kind Conflict and changes nothing either: another
	// projector has been here in between.
	Apply(ctx context.Context, w domain.WorkspaceID, b Batch) error

	// Tallies are what the last batches said in Tally of those of entities that
	// are stored with one.
	Tallies(ctx context.Context, w domain.WorkspaceID, entities []domain.EntityID) (map[domain.EntityID]string, error)

	// MaxChanges is how many of the ledger's changes a batch is made of at most.
	// More at once is faster and takes more memory, here and in the store.
	MaxChanges() int

	// Reset removes everything of the workspace and sets its cursor to 0.
	Reset(ctx context.Context, w domain.WorkspaceID) error
}

// Batch is a set of changes. Within a batch deletes come before upserts.
type Batch struct {
	After  int64 // the cursor of the store that this batch was worked out from
	Cursor int64 // the ledger's change sequence this batch brings the store to

	DeleteDocuments []domain.DocumentID // with their chunks and the links of those
	DeleteEntities  []domain.EntityID   // with their links and relations
	DeleteRelations []RelationRef

	Documents []Document
	Entities  []Entity          // each replaces the stored one together with all its links, but see Grown
	Relations []domain.Relation // each replaces the stored one together with its evidence; left out where an end is not held
}

// RelationRef names a stored relation by its id and its ends: a store that
// keeps relations with their ends finds it by them.
type RelationRef struct {
	ID             domain.RelationID
	Source, Target domain.EntityID
}

// Document is a document's node with its chunks in reading order. It replaces
// what was stored under its id; a chunk that stays keeps its links.
type Document struct {
	ID     domain.DocumentID
	Name   string
	Title  string
	Chunks []Chunk
}

// Chunk is a chunk's node.
type Chunk struct {
	ID      domain.ChunkID
	Ordinal int
	Page    int
	Span    domain.Span
	Text    string // for those who look into the store by its own tools; a store need not keep it
}

// Entity is an entity with its links. What a batch says in Relations is
// ignored: the store counts the relations it holds whenever it is asked.
type Entity struct {
	domain.Entity
	AliasKeys []string // the normal forms of Aliases, without Key; only in batches
	Links     []Link   // ordered by document, then ordinal; at most one a chunk
	Grown     bool     // the links come in addition to those stored, to chunks that it is not tied to; only in batches
	Tally     string   // the projector's own notes, see Tallies; only in batches
}

// LinkKind says why an entity is tied to a chunk. Kinds combine.
type LinkKind uint8

// The kinds of link.
const (
	LinkMention LinkKind = 1 << iota // the chunk's contribution names the entity
	LinkTitle                        // the entity is the title of the chunk's own document
	LinkTitled                       // the chunk's text contains the title of another document, which the entity is
)

// Link ties an entity to a chunk. A link to a chunk that the store does not
// hold is left out.
type Link struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Kind     LinkKind
	Spans    []domain.Span // where the chunk names the entity; may be empty for LinkTitle
}

// Reader answers the questions of retrieval and of the pages. Every method is
// confined to one workspace. A limit of 0 or less means no limit.
type Reader interface {
	// Cursor is the ledger change the workspace's graph has been brought to;
	// 0 for a workspace never written. It serves as the generation that tells
	// a reader whether its copies are stale.
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)

	// Stats counts what the workspace holds.
	Stats(ctx context.Context, w domain.WorkspaceID) (Stats, error)

	// Entity is one entity; an error of kind NotFound when there is none.
	Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.Entity, error)

	// Entities lists entities in the query's order and how many there are in
	// all.
	Entities(ctx context.Context, w domain.WorkspaceID, q EntityQuery) ([]domain.Entity, int, error)

	// Labels counts the entities of each label, most first, then by label.
	Labels(ctx context.Context, w domain.WorkspaceID) ([]LabelCount, error)

	// ByKey finds the entities whose key, or the key of one of whose aliases,
	// is among keys, ordered by key, then mentions descending, then id. Their
	// Relations are 0: to count them is dear where there are many.
	ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error)

	// Relations lists the relations an entity is an end of, most evidence
	// first, then by id, with the entities at both ends.
	Relations(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]Edge, error)

	// Around lists the relations that one of several entities is an end of,
	// most evidence first, then by id, each once, with the entities at both
	// ends, whose Relations are 0 as with ByKey.
	Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]Edge, error)

	// Links lists the chunks an entity is tied to, by document, then ordinal.
	Links(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]Link, error)

	// InDocument lists the entities tied to a document's chunks with the
	// links that tie them, by first span; those without a span come last.
	// Ties are broken by id. Their Relations are 0, as with ByKey.
	InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]Entity, error)

	// Held is those of chunks that the store holds, by id.
	Held(ctx context.Context, w domain.WorkspaceID, chunks []domain.ChunkID) ([]domain.ChunkID, error)

	// Adjacency reads the whole graph of a workspace in the compact form that
	// ranking walks.
	Adjacency(ctx context.Context, w domain.WorkspaceID) (*Adjacency, error)
}

// Stats counts a workspace.
type Stats struct {
	Documents, Chunks, Entities, Relations int
}

// LabelCount says how many entities have a label.
type LabelCount struct {
	Label string
	Count int
}

// EntityOrder is the order of a list of entities.
type EntityOrder string

// The orders of entities. Ties are broken by name, then id.
const (
	ByMentions EntityOrder = "mentions" // most mentioned first
	ByName     EntityOrder = "name"
)

// EntityQuery selects entities.
type EntityQuery struct {
	Text   string      // each of its words must begin a word of the name or an alias, whatever its case and accents; "" selects all
	Label  string      // "" selects all
	Order  EntityOrder // ByMentions when empty
	Limit  int
	Offset int
}

// Edge is a relation with both its ends.
type Edge struct {
	domain.Relation
	From, To domain.Entity
}

// Adjacency is a workspace's graph for ranking. Numbers in Links and Relations
// are positions in Entities and Chunks.
type Adjacency struct {
	Cursor    int64
	Entities  []AdjacentEntity   // ordered by id
	Chunks    []AdjacentChunk    // ordered by document id, then ordinal
	Links     []AdjacentLink     // ordered by chunk, then entity
	Relations []AdjacentRelation // ordered by source, target, then type
}

// AdjacentEntity is an entity in an Adjacency.
type AdjacentEntity struct {
	ID   domain.EntityID
	Key  string
	Name string
	// AliasKeys are the normal forms of its aliases, without Key.
	AliasKeys []string
}

// AdjacentChunk is a chunk in an Adjacency.
type AdjacentChunk struct {
	ID       domain.ChunkID
	Document domain.DocumentID
}

// AdjacentLink ties an entity to a chunk in an Adjacency.
type AdjacentLink struct {
	Chunk, Entity int32
	Kind          LinkKind
}

// AdjacentRelation ties two entities in an Adjacency.
type AdjacentRelation struct {
	Source, Target int32
	Type           string
	Evidence       int32 // how many chunks state it
}
