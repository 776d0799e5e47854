// Package schemas keeps the schemas that guide extraction: a person's labels,
// relation types, triples and properties, with instructions and examples for a
// model.
//
// The library has a schema, and so may a tag and a document; the narrowest one
// guides the reading of a document, alone. Every save is a new version, none is
// ever changed, and each document says with which one it was read. A schema goes
// out and comes in as YAML, begins as a template, or is proposed from what the
// library holds. Before it is saved it can be tried, see Trials.
package schemas
