// Package schemas keeps the schemas that guide extraction: a person's labels,
// relation types, triples and properties, with instructions and examples for a
// model.
//
// The library can have a schema, and so can a tag and a document; only the narrowest one guides the
// reading of a document. Every save is a new version, versions never change, and each document records
// the one it was read with. A schema is exported and imported as YAML, begins as a template, or is
// proposed from the contents of the library. It can be tried before it is saved, see Trials.
package schemas
