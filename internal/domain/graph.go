package domain

import "strconv"

// UnknownLabel is the label of a node of unknown kind. Such a node joins the node
// of the same name with a known label.
const UnknownLabel = "Entity"

// A GraphDocument is one chunk's contribution to the graph. It depends on the
// chunk and its document alone.
type GraphDocument struct {
	Nodes         []GraphNode         `json:"nodes"`
	Relationships []GraphRelationship `json:"relationships"`

	// Names are the names that rules find in addition to the entities listed by a model or by rules.
	// They lead retrieval to the chunk but appear in no list of the graph, see Entity.Unlisted.
	Names []GraphNode `json:"names,omitempty"`
}

// A GraphNode is an entity as one chunk mentions it.
type GraphNode struct {
	Name       string     `json:"name"`  // the most complete form in the text
	Label      string     `json:"label"` // PascalCase, or UnknownLabel
	Aliases    []string   `json:"aliases,omitempty"`
	Properties Properties `json:"properties,omitempty"`
	Spans      []Span     `json:"spans"` // where the chunk names it, in order
}

// A GraphRelationship is a relation as one chunk states it. Source and Target are
// indices into the graph document's nodes.
type GraphRelationship struct {
	Source     int        `json:"source"`
	Target     int        `json:"target"`
	Type       string     `json:"type"`          // UPPER_SNAKE
	Raw        string     `json:"raw,omitempty"` // the words of the text, or of the model, behind the type
	Properties Properties `json:"properties,omitempty"`
	Spans      []Span     `json:"spans"` // the sentences that state it
	Periods    []Period   `json:"periods,omitempty"`
}

// Properties are the named values of a node or relation, in the order found.
type Properties []Property

// ConfidenceKey is the key of the property that holds the confidence in a relation, from 0 to 1. Models, imported graphs
// and the built-in mode set it.
const ConfidenceKey = "confidence"

// Confidence returns the highest confidence among the properties, or 0 if none has one.
func (p Properties) Confidence() float64 {
	highest := 0.0
	for _, one := range p {
		if c, err := strconv.ParseFloat(one.Value, 64); one.Key == ConfidenceKey && err == nil && c > 0 && c <= 1 {
			highest = max(highest, c)
		}
	}
	return highest
}

// A Property is one named value.
type Property struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// An Entity is a node of the knowledge graph, folded from the contributions that
// name it.
type Entity struct {
	ID         EntityID   `json:"id"`
	Label      string     `json:"label"`
	Key        string     `json:"key"`  // normalised name, its identity together with the label
	Name       string     `json:"name"` // the form shown
	Aliases    []string   `json:"aliases,omitempty"`
	Properties Properties `json:"properties,omitempty"`
	Mentions   int        `json:"mentions"`  // spans that name it
	Chunks     int        `json:"chunks"`    // chunks that contribute to it
	Documents  int        `json:"documents"` // documents that contribute to it
	Relations  int        `json:"relations"` // relations with it at an end

	// Unlisted reports that only GraphDocument.Names contains the entity: retrieval finds passages by
	// it, but it is not shown.
	Unlisted bool `json:"unlisted,omitempty"`
}

// A Relation is an edge of the knowledge graph with its evidence.
type Relation struct {
	ID         RelationID `json:"id"`
	Source     EntityID   `json:"source"`
	Target     EntityID   `json:"target"`
	Type       string     `json:"type"`
	Properties Properties `json:"properties,omitempty"`
	Evidence   []Evidence `json:"evidence"` // none if a curator added it without a source
}

// Evidence points to the characters of one chunk that state or name something.
type Evidence struct {
	Chunk    ChunkID    `json:"chunk"`
	Document DocumentID `json:"document"`
	Spans    []Span     `json:"spans"`
	Periods  []Period   `json:"periods,omitempty"` // that the spans state for a relation
}
