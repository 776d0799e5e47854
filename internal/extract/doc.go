// Package extract mines a chunk of text for the graph that it states: the
// entities it names and the relations between them, each tied to the
// characters that support it.
//
// A language model is asked in one of three ways, by a tool that it must call,
// for JSON of a given schema, or in plain text, and its answer is read with
// patience: what is whole is kept, what is broken is asked for once more, and
// what the text does not name is dropped with a warning.
package extract
