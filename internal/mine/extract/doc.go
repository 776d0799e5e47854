// Package extract finds the entities that a chunk of text names and the relations between them, each
// with the characters that support it.
//
// A language model answers in one of three modes: by calling a tool, in JSON of a given schema, or in
// plain text. Its answer is parsed leniently. If an answer can't be parsed, it is requested once more;
// a truncated one keeps its complete items; and items that the text does not name are dropped with a
// warning.
package extract
