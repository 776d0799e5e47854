package qdrant

import (
	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// The fields of a point's payload. Texts stay in the ledger: what was deleted
// there must not linger in the files of a server.
const (
	fieldID        = "id"
	fieldWorkspace = "workspace_id"
	fieldDocument  = "document_id"
	fieldTitle     = "title"
	fieldCursor    = "cursor" // of the batch that wrote it
	fieldBatch     = "batch"  // the batch itself: two projectors may write to the same cursor
)

// space is where point ids are made in, a name-based UUID of this project.
var space = uuid.MustParse("a3f0c2a5-7a0e-5b6f-9a52-0f4c5d1f6f1e")

// pointID is the id on the server of what has an id in a workspace: servers
// take numbers and UUIDs alone.
func pointID(w domain.WorkspaceID, id string) *qdrant.PointId {
	return qdrant.NewIDUUID(uuid.NewSHA1(space, []byte(string(w)+"\x00"+id)).String())
}

// of confines a request to a workspace, and to more conditions.
func of(w domain.WorkspaceID, more ...*qdrant.Condition) *qdrant.Filter {
	return &qdrant.Filter{Must: append([]*qdrant.Condition{qdrant.NewMatchKeyword(fieldWorkspace, string(w))}, more...)}
}

// inDocuments is a condition on the document, none when there are no
// documents.
func inDocuments(ids []domain.DocumentID) []*qdrant.Condition {
	if len(ids) == 0 {
		return nil
	}
	keywords := make([]string, len(ids))
	for i, id := range ids {
		keywords[i] = string(id)
	}
	return []*qdrant.Condition{qdrant.NewMatchKeywords(fieldDocument, keywords...)}
}

// notLaterThan keeps a batch from touching what a later one wrote.
func notLaterThan(cursor int64) *qdrant.Condition {
	return qdrant.NewRange(fieldCursor, &qdrant.Range{Lte: new(float64(cursor))})
}

// encode is p as the server keeps it.
func (b *batch) encode(p vectorstore.Point) (*qdrant.PointStruct, error) {
	fields := map[string]any{fieldID: p.ID, fieldWorkspace: string(b.workspace), fieldDocument: string(p.Document), fieldCursor: b.Cursor, fieldBatch: b.name}
	if p.Title != "" {
		fields[fieldTitle] = p.Title
	}
	// NewValueMap would panic where this is an error.
	payload, err := qdrant.TryValueMap(fields)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The point %q can't be stored: %v.", p.ID, err)
	}
	vectors := map[string]*qdrant.Vector{}
	if len(p.Vector) > 0 {
		vectors[dense] = qdrant.NewVectorDense(p.Vector)
	}
	if indices, values := weigh(p.Collection, p.Title+"\n"+p.Text); len(indices) > 0 {
		vectors[bm25] = qdrant.NewVectorSparse(indices, values)
	}
	return &qdrant.PointStruct{Id: pointID(b.workspace, p.ID), Payload: payload, Vectors: qdrant.NewVectorsMap(vectors)}, nil
}
