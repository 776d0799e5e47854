// Package retrieve finds the passages that answer a question. It searches by
// words and by vectors, then walks the graph of names and passages from the
// names in the question, the best sentences and the best passages.
//
// The walk is a personalised PageRank (Haveliwala 2002, "Topic-sensitive
// PageRank") over entities and passages together, as in HippoRAG 2 (Gutiérrez
// et al. 2025, section 3), except that no model chooses the seeds.
package retrieve
