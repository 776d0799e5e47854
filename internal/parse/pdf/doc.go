// Package pdf reads the words of a PDF file with the places where they stand,
// and puts them into lines and paragraphs in reading order (ISO 32000-1:
// sections 7 for the file, 9 for text).
//
// It reads what a reader of text needs and no more: objects, cross-reference
// tables and streams (rebuilt from the objects themselves when they are
// damaged), the filters that pack text, fonts as far as they say which
// characters they show and how wide those are, and content streams with the
// forms they draw. Everything is bounded: what a file unpacks to, how deep its
// objects nest, how many characters it shows; references that lead in a circle
// are cut. No size that the file states is believed before memory is spent on
// it.
package pdf
