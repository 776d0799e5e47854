// Package eval measures the product on question sets whose answers are known.
//
// Finding and judging are apart: retrieval is handed the text and the vector
// of a question and nothing else; which passages are right is read afterwards,
// by the function that scores.
package eval
