package domain

// A SchemaScope is what a schema is for: the documents with a tag, those for which
// its name was chosen, one document, or the library when it is zero.
type SchemaScope struct {
	Tag      string
	Name     string
	Document DocumentID
}
