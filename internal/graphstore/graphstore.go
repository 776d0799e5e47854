// Package graphstore is the contract of the store for the entity graph:
// entities, the relations between them, and the links from entities to the
// chunks that mention them. The graph is a projection of the ledger. It can be
// discarded and rebuilt, and only the projector writes to it.
package graphstore

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// A Store can be read and projected into.
type Store interface {
	Reader
	Writer

	// Claim makes the workspace belong to owner, the identity of a ledger: from then on this store
	// refuses to read its cursor, to apply to it and to reset it while it belongs to another ledger,
	// with an error that wraps domain.ErrForeign. A workspace without an owner is claimed at once, a
	// workspace that was never written to with its first batch. The error wraps domain.ErrForeign if
	// the workspace belongs to another ledger, unless takeOver is set: then it is emptied, its tokens
	// are forgotten, and owner gets it.
	Claim(ctx context.Context, w domain.WorkspaceID, owner string, takeOver bool) error

	Close() error
}

// A Writer applies the projector's batches.
type Writer interface {
	// Apply writes b in one transaction and moves the workspace's cursor from
	// b.After to b.Cursor.
	//
	// It returns a Conflict error, and changes nothing, if b was overtaken: if the store has seen a
	// higher token than b's, or if its cursor is not at b.After, even if it is at b.Cursor or beyond.
	// The caller then computes b again from the new cursor. Only the last applied batch succeeds a
	// second time, and changes nothing, because its acknowledgement may have been lost: the batch with
	// the same Token, After and Cursor.
	Apply(ctx context.Context, w domain.WorkspaceID, b Batch) error

	// Keyed returns the entities whose own key is in keys, with their tallies and without their links,
	// in the order of ByKey. It leaves Relations 0, like ByKey.
	Keyed(ctx context.Context, w domain.WorkspaceID, keys []string) ([]Entity, error)

	// Linked returns the result of InDocument for each of documents, including unlisted entities.
	// Documents without entities are left out.
	Linked(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]Entity, error)

	// Notes returns the stored notes about the given documents.
	Notes(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]byte, error)

	// MaxChanges returns the maximum number of ledger changes in a batch.
	// Larger batches are faster but take more memory, in the projector and in
	// the store.
	MaxChanges() int

	// Reset removes the workspace's data and sets its cursor to 0. It returns a
	// Conflict error if the store has seen a higher token.
	Reset(ctx context.Context, w domain.WorkspaceID, token int64) error
}

// A Batch is a set of changes. Within a batch, deletes precede upserts.
type Batch struct {
	Token  int64 // of the lease under which the batch was computed, see package lease
	After  int64 // the store's cursor when the batch was computed
	Cursor int64 // the ledger change up to which this batch brings the store

	DeleteDocuments []domain.DocumentID // with their chunks and the chunks' links
	DeleteEntities  []domain.EntityID   // with their links and relations
	DeleteRelations []RelationRef

	Documents []Document
	Entities  []Entity          // without repeats; each replaces the stored entity and, unless Grown, all its links
	Relations []domain.Relation // each replaces the stored relation and its evidence; skipped if an end is missing
}

// RelationRef names a stored relation by its id and its ends, for stores that
// keep relations with their ends.
type RelationRef struct {
	ID             domain.RelationID
	Source, Target domain.EntityID
}

// Document is a document's node and its chunks in reading order. It replaces
// the stored document; chunks that stay keep their links.
type Document struct {
	ID     domain.DocumentID
	Name   string
	Title  string
	Chunks []Chunk
	Notes  []byte // the projector's private notes, see Writer.Notes
}

// Chunk is a chunk's node.
type Chunk struct {
	ID      domain.ChunkID
	Ordinal int
	Page    int
	Span    domain.Span
	Text    string // for people who inspect the store with its own tools; optional for stores
}

// Entity is an entity and its links. Stores ignore Relations in batches and
// count the relations they hold when asked.
type Entity struct {
	domain.Entity
	AliasKeys []string // normal forms of Aliases, without Key; only in batches
	Links     []Link   // ordered by document, then ordinal; at most one per chunk
	Grown     bool     // Links adds to the stored links, and has none of the chunks in them; only in batches
	Tally     string   // the projector's private notes, in batches and from Keyed
}

// LinkKind describes why an entity is linked to a chunk. Kinds combine.
type LinkKind uint8

// The kinds of link.
const (
	LinkMention LinkKind = 1 << iota // the chunk's contribution mentions the entity
	LinkTitle                        // the entity is the title of the chunk's document
	LinkTitled                       // the entity is the title of another document, and the chunk's text contains it
)

// A Link connects an entity to a chunk. Stores skip links to chunks they don't
// hold.
type Link struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Kind     LinkKind
	Spans    []domain.Span // where the chunk mentions the entity; may be empty for LinkTitle
}

// A Reader serves retrieval and the pages. Every method is confined to one
// workspace. A limit of 0 or less means no limit.
//
// Unlisted entities are there for retrieval alone. ByKey, Named, Links and Adjacency
// return them, marked, and Near and Spelt return them; the other methods neither return
// nor count them. They have no relations.
type Reader interface {
	// Cursor returns the last ledger change applied to the workspace, or 0 if none. Readers use it as a generation to
	// detect stale copies.
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)

	// Stats counts the contents of the workspace.
	Stats(ctx context.Context, w domain.WorkspaceID) (Stats, error)

	// Entity returns one entity, or a NotFound error.
	Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.Entity, error)

	// Entities returns one page of entities in the query's order, and the total count.
	Entities(ctx context.Context, w domain.WorkspaceID, q EntityQuery) ([]domain.Entity, int, error)

	// Labels counts the entities of each label, largest count first, then by
	// label.
	Labels(ctx context.Context, w domain.WorkspaceID) ([]LabelCount, error)

	// Types counts the relations of each type, largest count first, then by type.
	Types(ctx context.Context, w domain.WorkspaceID) ([]TypeCount, error)

	// ByKey returns the entities whose key, or the key of an alias, is in keys, ordered by key, then
	// mentions descending, then id. It leaves Relations 0, because counting them is expensive for
	// entities with many.
	ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error)

	// Named returns the entities of the given ids that exist, ordered by id. It
	// leaves Relations 0, like ByKey.
	Named(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID) ([]domain.Entity, error)

	// Relations returns the relations of an entity, most evidence first, then
	// by id, with the entities at both ends.
	Relations(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]Edge, error)

	// Around returns the relations of several entities, each once, most
	// evidence first, then by id, with the entities at both ends. It leaves
	// their Relations 0, like ByKey.
	Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, limit int) ([]Edge, error)

	// Stated returns the relations of the given ids and ends that exist, ordered
	// by id, with the entities at both ends. It leaves their Relations 0, like
	// ByKey.
	Stated(ctx context.Context, w domain.WorkspaceID, relations []RelationRef) ([]Edge, error)

	// Links returns an entity's links by document, then ordinal.
	Links(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, limit int) ([]Link, error)

	// InDocument returns the entities linked to a document's chunks, with those
	// links, by first span, then id; entities without a span come last. It
	// leaves Relations 0, like ByKey.
	InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]Entity, error)

	// CountIn returns how many entities the text of each of documents names; documents that name none
	// are left out. An entity linked to chunks without a span is not counted.
	CountIn(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID]int, error)

	// Chunks returns those chunks of a query that are in the store, by id.
	Chunks(ctx context.Context, w domain.WorkspaceID, q ChunkQuery) ([]AdjacentChunk, error)

	// Near returns the neighbours of names and chunks, for a walk that reads only what it touches: the
	// names by key, then entity, the chunks by id. Those that are not in the store are left out.
	Near(ctx context.Context, w domain.WorkspaceID, q NearQuery) (Near, error)

	// Spelt returns, in order, words of names and aliases: the given ones that exist and, for each of
	// the others, those that are one letter apart, see OneLetterApart. Words are parts of keys. A
	// store may leave out some of hundreds.
	Spelt(ctx context.Context, w domain.WorkspaceID, words []string) ([]string, error)

	// Adjacent returns a part of the graph in a compact form. It reads only that part.
	Adjacent(ctx context.Context, w domain.WorkspaceID, q AdjacentQuery) (*Adjacency, error)

	// Adjacency returns the workspace's graph in a compact form.
	Adjacency(ctx context.Context, w domain.WorkspaceID) (*Adjacency, error)
}

// Stats holds the counts of a workspace.
type Stats struct {
	Documents, Chunks, Entities, Relations int
}

// LabelCount is the number of entities with a label.
type LabelCount struct {
	Label string
	Count int
}

// TypeCount is the number of relations of a type.
type TypeCount struct {
	Type  string
	Count int
}

// EntityOrder is the order of a list of entities.
type EntityOrder string

// The orders of entities. Ties are broken by name, then id.
const (
	ByMentions EntityOrder = "mentions" // most mentioned first
	ByName     EntityOrder = "name"
)

// MaxWords is the maximum number of words of an EntityQuery that count; the rest is ignored.
const MaxWords = 64

// EntityQuery selects entities.
type EntityQuery struct {
	Text   string      // each of the first MaxWords words must be a prefix of a word in the name or an alias, ignoring case and accents; "" selects all
	Labels []string    // any of them; empty selects all
	Order  EntityOrder // ByMentions if empty
	Limit  int
	Offset int
}

// ChunkQuery selects chunks: those of IDs, or those of Documents, or all where both are empty.
type ChunkQuery struct {
	IDs       []domain.ChunkID
	Documents []domain.DocumentID
	Limit     int
}

// NearQuery asks for the neighbours of names and chunks.
type NearQuery struct {
	Keys   []string // of names; each selects all entities with that key
	Chunks []domain.ChunkID
	AsOf   domain.Day // leave out relations that do not hold then; the zero Day leaves out none
	Most   int        // names with more chunks are returned without neighbours, the others with at most one more related name
}

// Near holds the neighbours of names and chunks.
type Near struct {
	Names  []NearName
	Chunks []NearChunk
}

// NearName is an entity with its neighbours.
type NearName struct {
	Entity   domain.EntityID
	Key      string
	Name     string
	Passages int        // number of chunks that are linked to it
	Links    []NearLink // by chunk
	Related  []string   // keys of entities, one for each relation, in order
}

// NearLink is a link of a name.
type NearLink struct {
	AdjacentChunk
	Kind LinkKind
}

// NearChunk is a chunk with the entities that are linked to it.
type NearChunk struct {
	AdjacentChunk
	Links []NamedLink // by key, then passages
}

// NamedLink is a link of a chunk.
type NamedLink struct {
	Key       string
	AliasKeys []string
	Passages  int // number of chunks that are linked to the entity
	Kind      LinkKind
}

// AdjacentQuery selects a part of a graph: entities and the chunks linked to them, their relations and the entities at the
// other ends, and chunks with all entities linked to these.
type AdjacentQuery struct {
	Entities  []domain.EntityID
	Chunks    []domain.ChunkID
	Documents []domain.DocumentID // all of whose chunks are selected
	Relations int                 // maximum from and to each entity of Entities, those with the most evidence; 0 for none
	Passages  int                 // entities of Entities with at most this many chunks include them; 0 for none
	Counted   bool                // count the chunks of the workspace
}

// Edge is a relation with the entities at both ends.
type Edge struct {
	domain.Relation
	From, To domain.Entity
}

// Adjacency is a workspace's graph for ranking and drawing. Links and Relations refer to
// Entities and Chunks by index.
type Adjacency struct {
	Cursor    int64
	Entities  []AdjacentEntity   // ordered by id
	Chunks    []AdjacentChunk    // ordered by document id, then ordinal
	Links     []AdjacentLink     // ordered by chunk, then entity
	Relations []AdjacentRelation // ordered by source, target, then type
	All       int                // chunks in the workspace, if the Adjacency is a part for which they were counted
}

// AdjacentEntity is an entity in an Adjacency.
type AdjacentEntity struct {
	ID        domain.EntityID
	Label     string
	Key       string
	Name      string
	AliasKeys []string
	Several   []string // keys of properties with several values, in order
	Unlisted  bool     // see domain.Entity

	// If the Adjacency is a part of a graph: the numbers for the entity in the whole graph. Relations
	// are counted for the requested entities and for the ends of their relations. Key, AliasKeys and
	// Several are left out.
	Passages, Documents, Relations int32
}

// Listed returns the graph without unlisted entities and their links: the same graph if
// it has none.
func (a *Adjacency) Listed() *Adjacency {
	if !slices.ContainsFunc(a.Entities, func(e AdjacentEntity) bool { return e.Unlisted }) {
		return a
	}
	out := &Adjacency{Cursor: a.Cursor, Chunks: a.Chunks}
	at := make([]int32, len(a.Entities)) // in out; -1 for unlisted ones
	for i, e := range a.Entities {
		at[i] = -1
		if !e.Unlisted {
			at[i] = int32(len(out.Entities))
			out.Entities = append(out.Entities, e)
		}
	}
	for _, l := range a.Links {
		if l.Entity = at[l.Entity]; l.Entity >= 0 {
			out.Links = append(out.Links, l)
		}
	}
	for _, r := range a.Relations {
		if r.Source, r.Target = at[r.Source], at[r.Target]; r.Source >= 0 && r.Target >= 0 {
			out.Relations = append(out.Relations, r)
		}
	}
	return out
}

// Listed returns the entities of a list that are not unlisted.
func Listed(list []domain.Entity) []domain.Entity {
	return slices.DeleteFunc(slices.Clone(list), func(e domain.Entity) bool { return e.Unlisted })
}

// AdjacentChunk is a chunk in an Adjacency.
type AdjacentChunk struct {
	ID       domain.ChunkID
	Document domain.DocumentID
}

// AdjacentLink connects an entity to a chunk in an Adjacency.
type AdjacentLink struct {
	Chunk, Entity int32
	Kind          LinkKind
}

// AdjacentRelation connects two entities in an Adjacency.
type AdjacentRelation struct {
	Source, Target int32
	Type           string
	Evidence       int32   // number of chunks that state it
	Confidence     float32 // for a relation that one chunk states, see domain.Properties; 0 if unknown
	Periods        string  // for which it holds, see domain.Relation.Dating
}

// A VectorStore is a graph store that also keeps the vectors of chunks, for other programs that search the graph. Clew
// searches the index.
type VectorStore interface {
	// Vectors returns the model of the workspace's chunk vectors and up to which change they follow the ledger,
	// without Chunks.
	Vectors(ctx context.Context, w domain.WorkspaceID) (Vectors, error)

	// PutVectors writes v. Chunks that are not in the graph are skipped. If v has another model than
	// the stored vectors, it replaces all of them. The error is Conflict if the store has seen a
	// higher token.
	PutVectors(ctx context.Context, w domain.WorkspaceID, v Vectors) error
}

// Vectors are vectors of chunks, made by one embedding model.
type Vectors struct {
	Token     int64 // of the lease under which they were read, see package lease
	Cursor    int64 // the ledger change up to which they are complete
	Model     string
	Dimension int
	Chunks    []ChunkVector
}

// ChunkVector is the vector of a chunk.
type ChunkVector struct {
	Chunk  domain.ChunkID
	Vector []float32
}
