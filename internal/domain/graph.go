package domain

// UnknownLabel is the label of a node whose kind could not be told. A node
// without a known kind joins the node of the same name that has one.
const UnknownLabel = "Entity"

// GraphDocument is what was mined from one chunk: its contribution to the
// graph. It depends on the chunk and its document alone.
type GraphDocument struct {
	Nodes         []GraphNode         `json:"nodes"`
	Relationships []GraphRelationship `json:"relationships"`
}

// GraphNode is an entity as one chunk shows it. Spans lie in the document's
// stored text.
type GraphNode struct {
	Name       string     `json:"name"`  // as written in the source, the most complete form
	Label      string     `json:"label"` // PascalCase, or UnknownLabel
	Aliases    []string   `json:"aliases,omitempty"`
	Properties Properties `json:"properties,omitempty"`
	Spans      []Span     `json:"spans"` // where the chunk names it, in order
}

// GraphRelationship is a relation as one chunk states it. Source and Target
// are indices into the graph document's nodes.
type GraphRelationship struct {
	Source     int        `json:"source"`
	Target     int        `json:"target"`
	Type       string     `json:"type"`          // UPPER_SNAKE
	Raw        string     `json:"raw,omitempty"` // the words of the source, or of the model, that gave the type
	Properties Properties `json:"properties,omitempty"`
	Spans      []Span     `json:"spans"` // the sentences that state it
}

// Properties are the named values of a node or relation, in the order in
// which they were found.
type Properties []Property

// Property is one named value.
type Property struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Entity is a node of the knowledge graph: what all contributions that name
// it fold to.
type Entity struct {
	ID         EntityID   `json:"id"`
	Label      string     `json:"label"`
	Key        string     `json:"key"`  // normalised name, its identity beside the label
	Name       string     `json:"name"` // the form shown
	Aliases    []string   `json:"aliases,omitempty"`
	Properties Properties `json:"properties,omitempty"`
	Mentions   int        `json:"mentions"`  // spans that name it
	Chunks     int        `json:"chunks"`    // chunks that contribute to it
	Documents  int        `json:"documents"` // documents that contribute to it
	Relations  int        `json:"relations"` // relations it is an end of
}

// Relation is an edge of the knowledge graph with all that supports it.
type Relation struct {
	ID       RelationID `json:"id"`
	Source   EntityID   `json:"source"`
	Target   EntityID   `json:"target"`
	Type     string     `json:"type"`
	Evidence []Evidence `json:"evidence"` // at least one
}

// Evidence points at the characters of one chunk that state or name something.
type Evidence struct {
	Chunk    ChunkID    `json:"chunk"`
	Document DocumentID `json:"document"`
	Spans    []Span     `json:"spans"`
}
