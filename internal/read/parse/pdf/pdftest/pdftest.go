// Package pdftest writes small PDF files for tests.
package pdftest

import (
	"fmt"
	"strings"
)

// File returns a PDF of objects, numbered from 1, of which the first is the
// catalogue. entries are added to the trailer.
func File(entries string, objects ...string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, entries, start)
	return b.String()
}

// Stream returns a stream object whose dictionary holds the length and entries.
func Stream(entries, data string) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(data), entries, data)
}

// Pages returns a PDF with a page for each content. The font /F1 is Helvetica.
// The objects of extra are numbered from 4; the first is also the font /F2, and
// resources may name others.
func Pages(contents []string, resources string, extra ...string) string {
	first := 4 + len(extra)
	kids := make([]string, len(contents))
	objects := append([]string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"}, extra...)
	for i, content := range contents {
		page := first + 2*i
		kids[i] = fmt.Sprintf("%d 0 R", page)
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>", page+1), Stream("", content))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /MediaBox [0 0 600 800] /Kids [%s] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> %s >> >>",
		len(contents), strings.Join(kids, " "), resources)
	return File("", objects...)
}

// Lines returns content that shows lines of text from x, y downwards.
func Lines(x, y, size int, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT /F1 %d Tf %d TL %d %d Td\n", size, size*6/5, x, y)
	for _, line := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line))
	}
	b.WriteString("ET\n")
	return b.String()
}
