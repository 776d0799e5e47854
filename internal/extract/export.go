package extract

import "github.com/clewhq/clew/internal/domain"

// Exported is a graph document in the form in which other programs take it:
// nodes with id, type and properties, relationships by their ends' ids, and
// the source.
type Exported struct {
	Nodes         []ExportedNode         `json:"nodes"`
	Relationships []ExportedRelationship `json:"relationships"`
	Source        ExportedSource         `json:"source"`
}

// ExportedEnd names a node.
type ExportedEnd struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// ExportedNode is an entity.
type ExportedNode struct {
	ExportedEnd
	Properties map[string]string `json:"properties"`
}

// ExportedRelationship is a relation.
type ExportedRelationship struct {
	Source     ExportedEnd       `json:"source"`
	Target     ExportedEnd       `json:"target"`
	Type       string            `json:"type"`
	Properties map[string]string `json:"properties"`
}

// ExportedSource is the chunk that a graph document was mined from.
type ExportedSource struct {
	Document domain.DocumentID `json:"document_id"`
	Chunk    domain.ChunkID    `json:"chunk_id"`
	Hash     string            `json:"content_hash"` // SHA-256 of the text
	Metadata map[string]any    `json:"metadata"`
	Text     string            `json:"text"` // exactly as stored
}

// Export writes a graph document mined from p for other programs. Of a
// property that has several values the first is written.
func Export(g domain.GraphDocument, p domain.Passage) Exported {
	out := Exported{
		Nodes:         make([]ExportedNode, len(g.Nodes)),
		Relationships: make([]ExportedRelationship, len(g.Relationships)),
		Source: ExportedSource{
			Document: p.Document, Chunk: p.ID, Hash: domain.Hash([]byte(p.Text)), Text: p.Text,
			Metadata: map[string]any{
				"name": p.Name, "title": p.Title, "page": p.Page, "headings": p.Headings,
				"ordinal": p.Ordinal, "start": p.Span.Start, "end": p.Span.End,
			},
		},
	}
	for i, n := range g.Nodes {
		out.Nodes[i] = ExportedNode{ExportedEnd{n.Name, n.Label}, values(n.Properties)}
	}
	for i, r := range g.Relationships {
		out.Relationships[i] = ExportedRelationship{
			Source: out.Nodes[r.Source].ExportedEnd, Target: out.Nodes[r.Target].ExportedEnd,
			Type: r.Type, Properties: values(r.Properties),
		}
	}
	return out
}

func values(p domain.Properties) map[string]string {
	out := make(map[string]string, len(p))
	for _, v := range p {
		if _, ok := out[v.Key]; !ok {
			out[v.Key] = v.Value
		}
	}
	return out
}
