// Package domain holds the nouns of the product: documents and the chunks they
// are split into, what was mined from each chunk, the entities and relations
// that follow from it, the passages that answer a question, and the runs that
// did the work. It holds no behaviour beyond what keeps a value valid, and
// imports the standard library alone.
//
// Positions are Unicode code points in a document's stored text (normalised to
// NFC), half-open, wherever the package says Span.
package domain
