// Package measure measures retrieval and answers on question sets with known
// answers, and extraction on labelled passages.
//
// Retrieval and the roles see only the text and the vector of a question. The
// scoring functions alone read which passages and answers are right.
package measure
