// Package parse turns the bytes of a file into the text that is stored,
// searched and cited, with the positions of its pages and headings.
//
// Whatever the format, the text keeps these rules:
//
//   - it is valid UTF-8 in normal form C, without control characters but the
//     line feed, and without invisible characters that reorder or pad text;
//   - lines end in \n and carry no space at their end, and one blank line, never
//     more, parts two paragraphs;
//   - a heading is a paragraph of one line; a list is a paragraph whose lines
//     begin with "- " or "1. ", two spaces deeper a level; a table is a paragraph
//     with a row a line and its cells parted by " | ", in which the text of a
//     merged cell stands in each place that it covers, and rows that name columns
//     are one;
//   - what characters say by their look stands in words, by the rule of package
//     script; notes come after the text, behind their marks;
//   - it is the text a reader sees: marks of emphasis, link targets, scripts,
//     navigation and the like are left out;
//   - spans count code points of that text.
//
// A file that is read to its end and holds no text, such as a PDF made of
// scanned images, is no error: its text is empty and a warning says why.
//
// Files come from strangers. Every format is read under limits on size,
// expansion, depth, pages and time, and a reader that panics all the same
// yields an error.
package parse
