package fsck

import (
	"fmt"
	"strconv"
	"strings"
)

// Place is what has a problem.
type Place string

// The places.
const (
	Files   Place = "Files"
	Graph   Place = "Graph"
	Ledger  Place = "Ledger"
	Vectors Place = "Search index"
)

// kinds says of each problem where it is, how it is told, and whether it can
// be mended.
var kinds = map[Problem]struct {
	place     Place
	one, many string
	mendable  bool
}{
	GraphBehind:      {Graph, "it is behind the ledger by a change", "it is behind the ledger by %s changes", true},
	GraphAhead:       {Graph, "it claims a change that the ledger doesn't have", "it claims %s changes that the ledger doesn't have", true},
	EntityMissing:    {Graph, "an entity is missing", "%s entities are missing", true},
	EntityExtra:      {Graph, "an entity stands there that nothing supports", "%s entities stand there that nothing supports", true},
	EntityDiffers:    {Graph, "an entity is not what the ledger makes of it", "%s entities are not what the ledger makes of them", true},
	RelationMissing:  {Graph, "a relation is missing", "%s relations are missing", true},
	RelationExtra:    {Graph, "a relation stands there that nothing supports", "%s relations stand there that nothing supports", true},
	RelationDiffers:  {Graph, "a relation has other evidence than the ledger", "%s relations have other evidence than the ledger", true},
	LinkMissing:      {Graph, "a link from an entity to a chunk is missing", "%s links from entities to chunks are missing", true},
	LinkExtra:        {Graph, "a link from an entity to a chunk is there without reason", "%s links from entities to chunks are there without reason", true},
	LinkDiffers:      {Graph, "a link from an entity to a chunk is of another kind", "%s links from entities to chunks are of another kind", true},
	ChunkMissing:     {Graph, "a chunk that is linked is missing", "%s chunks that are linked are missing", true},
	ChunkExtra:       {Graph, "a chunk stands there that no document has", "%s chunks stand there that no document has", true},
	NodesDiffer:      {Graph, "it holds another number of documents or chunks", "it holds other numbers of documents and chunks", true},
	VectorsBehind:    {Vectors, "it is behind the ledger by a change", "it is behind the ledger by %s changes", true},
	VectorsAhead:     {Vectors, "it claims a change that the ledger doesn't have", "it claims %s changes that the ledger doesn't have", true},
	PointMissing:     {Vectors, "a point is missing", "%s points are missing", true},
	PointExtra:       {Vectors, "a point stands there that nothing supports", "%s points stand there that nothing supports", true},
	PointDiffers:     {Vectors, "a point has other words, or lacks its vector", "%s points have other words, or lack their vectors", true},
	ChunksMiscounted: {Ledger, "a document has another number of chunks than it says", "%s documents have other numbers of chunks than they say", false},
	DocumentStranded: {Ledger, "a document waits for a run that is not there", "%s documents wait for runs that are not there", true},
	DocumentUnheard:  {Ledger, "a published document was never announced to the stores", "%s published documents were never announced to the stores", true},
	ThreadWithoutRun: {Ledger, "the thread of a run outlived it", "the threads of %s runs outlived them", true},
	RowWithoutParent: {Ledger, "a row refers to one that is gone", "%s rows refer to ones that are gone", false},
	FileMissing:      {Files, "the uploaded file of a document is missing: its text is kept, but it can't be read again", "the uploaded files of %s documents are missing: their text is kept, but they can't be read again", false},
	FileChanged:      {Files, "an uploaded file is not what it was: restore it from a backup", "%s uploaded files are not what they were: restore them from a backup", false},
	FileWithoutOwner: {Files, "a file belongs to no document", "%s files belong to no document", true},
}

// Place is what has the problem.
func (p Problem) Place() Place { return kinds[p].place }

// Mendable reports whether a repair mends it.
func (p Problem) Mendable() bool { return kinds[p].mendable }

// String is the group in words: "Graph: 3 entities are missing (…)."
func (g Group) String() string {
	k := kinds[g.Problem]
	text := k.one
	if g.Count != 1 && strings.Contains(k.many, "%s") {
		text = fmt.Sprintf(k.many, strconv.Itoa(g.Count))
	} else if g.Count != 1 {
		text = k.many
	}
	if len(g.Examples) > 0 && g.Examples[0] != "" {
		text += " (" + strings.Join(g.Examples, ", ")
		if g.Count > len(g.Examples) {
			text += ", …"
		}
		text += ")"
	}
	return string(k.place) + ": " + text + "."
}
