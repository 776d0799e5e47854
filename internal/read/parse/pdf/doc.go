// Package pdf extracts the text of a PDF file as paragraphs in reading order.
// Section numbers in comments refer to ISO 32000-1.
//
// It reads only what text needs: objects, cross-reference tables and streams
// (rebuilt by scanning if they are damaged), text filters, the encodings and
// widths of fonts, and content streams with the forms they draw. Files are
// untrusted: decoded bytes, nesting and glyphs are bounded, cycles are cut,
// and no size that a file states is trusted when memory is allocated.
package pdf
