package domain

// A SchemaScope is the set of documents that a schema applies to: those with a tag, those for which its name was chosen,
// one document, or, when zero, the library.
type SchemaScope struct {
	Tag      string
	Name     string
	Document DocumentID
}
