package qdrant

import (
	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/vectorstore"
)

// The fields of a point's payload. Texts are left out: what is deleted from the
// ledger must not stay in a server's files.
const (
	fieldID        = "id"
	fieldWorkspace = "workspace_id"
	fieldDocument  = "document_id"
	fieldTitle     = "title"
	fieldNumber    = "number" // of the batch that wrote it
)

// More fields of the cursors' point, see position.
const (
	fieldOwner  = "owner"
	fieldCursor = "cursor"
	fieldToken  = "token"
	fieldBegan  = "began"
	fieldBatch  = "batch"
	fieldOpen   = "open"
	fieldLateBy = "late_by"
	fieldPoints = "points_of_" // with a collection, see lengths
	fieldWords  = "words_of_"
)

// space is the namespace of point ids, which are name-based UUIDs.
var space = uuid.MustParse("a3f0c2a5-7a0e-5b6f-9a52-0f4c5d1f6f1e")

// pointID returns the server's id of a point: Qdrant accepts only numbers and
// UUIDs.
func pointID(w domain.WorkspaceID, id string) *qdrant.PointId {
	return qdrant.NewIDUUID(uuid.NewSHA1(space, []byte(string(w)+"\x00"+id)).String())
}

// of returns a filter for the points of a workspace that meet more conditions.
func of(w domain.WorkspaceID, more ...*qdrant.Condition) *qdrant.Filter {
	return &qdrant.Filter{Must: append([]*qdrant.Condition{qdrant.NewMatchKeyword(fieldWorkspace, string(w))}, more...)}
}

// inDocuments returns a condition for points of documents, or none without any
// documents.
func inDocuments(ids []domain.DocumentID) []*qdrant.Condition {
	if len(ids) == 0 {
		return nil
	}
	keywords := lists.Map(ids, func(id domain.DocumentID) string { return string(id) })
	return []*qdrant.Condition{qdrant.NewMatchKeywords(fieldDocument, keywords...)}
}

// before returns a filter for the points of a workspace that batches below a
// number wrote and that meet more conditions. Earlier versions wrote points
// without a number.
func before(number int64, w domain.WorkspaceID, more ...*qdrant.Condition) *qdrant.Filter {
	f := of(w, more...)
	f.MustNot = []*qdrant.Condition{qdrant.NewRange(fieldNumber, &qdrant.Range{Gte: new(float64(number))})}
	return f
}

// encode returns p in the form that the server stores.
func (b *batch) encode(p vectorstore.Point) (*qdrant.PointStruct, error) {
	fields := map[string]any{fieldID: p.ID, fieldWorkspace: string(b.workspace), fieldDocument: string(p.Document), fieldNumber: b.number}
	if p.Title != "" {
		fields[fieldTitle] = p.Title
	}
	// NewValueMap would panic here.
	payload, err := qdrant.TryValueMap(fields)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The point %q can't be stored: %v.", p.ID, err)
	}
	vectors := map[string]*qdrant.Vector{}
	if len(p.Vector) > 0 {
		vectors[dense] = qdrant.NewVectorDense(p.Vector)
	}
	if indices, values := b.weigh(p.Ref); len(indices) > 0 {
		vectors[bm25] = qdrant.NewVectorSparse(indices, values)
	}
	return &qdrant.PointStruct{Id: pointID(b.workspace, p.ID), Payload: payload, Vectors: qdrant.NewVectorsMap(vectors)}, nil
}
