// Package retrieve finds the passages that answer a question: by words, by
// vectors, and by a walk over the graph of names and passages that starts at
// the names of the question, the best sentences and the best passages.
//
// The walk is a personalised PageRank (Haveliwala 2002, "Topic-sensitive
// PageRank") over entities and passages together, as in HippoRAG 2 (Gutiérrez
// et al. 2025, section 3), without a model choosing where it starts.
package retrieve
