// Package domain defines the product's nouns: documents, their chunks, what each
// chunk contributes to the graph, entities, relations, passages, answers, and the
// events of runs. It defines the errors for people and what the log shows of them.
// It imports only the standard library.
//
// A Span is a half-open range of Unicode code points in a document's stored text,
// which is normalised to NFC.
package domain
