package maintenance

// Problem is a kind of difference.
type Problem string

// The problems.
const (
	GraphBehind      Problem = "graph-behind"
	GraphAhead       Problem = "graph-ahead"
	EntityMissing    Problem = "entity-missing"
	EntityExtra      Problem = "entity-extra"
	EntityDiffers    Problem = "entity-differs"
	RelationMissing  Problem = "relation-missing"
	RelationExtra    Problem = "relation-extra"
	RelationDiffers  Problem = "relation-differs"
	LinkMissing      Problem = "link-missing"
	LinkExtra        Problem = "link-extra"
	LinkDiffers      Problem = "link-differs"
	ChunkMissing     Problem = "chunk-missing"
	ChunkExtra       Problem = "chunk-extra"
	NodesDiffer      Problem = "documents-differ"
	GraphDamaged     Problem = "graph-damaged"
	VectorsDamaged   Problem = "vectors-damaged"
	VectorsBehind    Problem = "vectors-behind"
	VectorsAhead     Problem = "vectors-ahead"
	PointMissing     Problem = "point-missing"
	PointExtra       Problem = "point-extra"
	PointDiffers     Problem = "point-differs"
	ChunksMiscounted Problem = "chunks-miscounted"
	DocumentStranded Problem = "document-stranded"
	DocumentUnheard  Problem = "document-unheard"
	ThreadWithoutRun Problem = "thread-without-run"
	RowWithoutParent Problem = "row-without-parent"
	TableDamaged     Problem = "table-damaged"
	TrailBroken      Problem = "trail-broken"
	FileMissing      Problem = "file-missing"
	FileChanged      Problem = "file-changed"
	FileWithoutOwner Problem = "file-without-owner"
)

// StoreName is a store that can have problems.
type StoreName string

// The stores.
const (
	InFiles   StoreName = "Files"
	InGraph   StoreName = "Graph"
	InLedger  StoreName = "Ledger"
	InVectors StoreName = "Search index"
)

// kinds describes the problems.
var kinds = map[Problem]struct {
	store     StoreName
	one, many string
	mendable  bool
}{
	GraphDamaged:     {InGraph, "its file is damaged: it can be rebuilt", "its file is damaged in %s places: it can be rebuilt", true},
	VectorsDamaged:   {InVectors, "its file is damaged: it can be rebuilt", "its file is damaged in %s places: it can be rebuilt", true},
	GraphBehind:      {InGraph, "it is behind the ledger by a change", "it is behind the ledger by %s changes", true},
	GraphAhead:       {InGraph, "it claims a change that the ledger doesn't have", "it claims %s changes that the ledger doesn't have", true},
	EntityMissing:    {InGraph, "an entity is missing", "%s entities are missing", true},
	EntityExtra:      {InGraph, "there is an entity that nothing supports", "there are %s entities that nothing supports", true},
	EntityDiffers:    {InGraph, "an entity differs from the ledger", "%s entities differ from the ledger", true},
	RelationMissing:  {InGraph, "a relation is missing", "%s relations are missing", true},
	RelationExtra:    {InGraph, "there is a relation that nothing supports", "there are %s relations that nothing supports", true},
	RelationDiffers:  {InGraph, "a relation has other evidence than in the ledger", "%s relations have other evidence than in the ledger", true},
	LinkMissing:      {InGraph, "a link from an entity to a chunk is missing", "%s links from entities to chunks are missing", true},
	LinkExtra:        {InGraph, "there is a link from an entity to a chunk that nothing supports", "there are %s links from entities to chunks that nothing supports", true},
	LinkDiffers:      {InGraph, "a link from an entity to a chunk has the wrong kind", "%s links from entities to chunks have the wrong kind", true},
	ChunkMissing:     {InGraph, "a linked chunk is missing", "%s linked chunks are missing", true},
	ChunkExtra:       {InGraph, "there is a chunk that no document has", "there are %s chunks that no document has", true},
	NodesDiffer:      {InGraph, "the number of documents or chunks is wrong", "the number of documents or chunks is wrong", true},
	VectorsBehind:    {InVectors, "it is behind the ledger by a change", "it is behind the ledger by %s changes", true},
	VectorsAhead:     {InVectors, "it claims a change that the ledger doesn't have", "it claims %s changes that the ledger doesn't have", true},
	PointMissing:     {InVectors, "a point is missing", "%s points are missing", true},
	PointExtra:       {InVectors, "there is a point that nothing supports", "there are %s points that nothing supports", true},
	PointDiffers:     {InVectors, "a point has other words or lacks its vector", "%s points have other words or lack their vectors", true},
	ChunksMiscounted: {InLedger, "a document has a wrong chunk count", "%s documents have wrong chunk counts", false},
	DocumentStranded: {InLedger, "a document waits for a run that does not exist", "%s documents wait for runs that do not exist", true},
	DocumentUnheard:  {InLedger, "a published document was never sent to the stores", "%s published documents were never sent to the stores", true},
	ThreadWithoutRun: {InLedger, "the thread of a deleted run is left over", "the threads of %s deleted runs are left over", true},
	TableDamaged:     {InLedger, "a table of the database contradicts its indexes: restore a backup", "tables of the database contradict their indexes in %s places: restore a backup", false},
	RowWithoutParent: {InLedger, "a row refers to a deleted row", "%s rows refer to deleted rows", false},
	TrailBroken:      {InLedger, "the trail of who did what was changed outside of Clew", "the trail of who did what was changed outside of Clew", false},
	FileMissing:      {InFiles, "the uploaded file of a document is missing: its text is kept, but it can't be read again", "the uploaded files of %s documents are missing: their text is kept, but they can't be read again", false},
	FileChanged:      {InFiles, "an uploaded file has changed: restore it from a backup", "%s uploaded files have changed: restore them from a backup", false},
	FileWithoutOwner: {InFiles, "a file belongs to no document", "%s files belong to no document", true},
}

// Store returns the store that has the problem.
func (p Problem) Store() StoreName { return kinds[p].store }

// Mendable reports whether a repair fixes the problem.
func (p Problem) Mendable() bool { return kinds[p].mendable }
