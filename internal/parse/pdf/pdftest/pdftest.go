// Package pdftest writes small PDF files for tests.
package pdftest

import (
	"fmt"
	"strings"
)

// File is a PDF of objects, which are numbered from 1; the first is the
// catalogue. entries are further entries of the trailer.
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

// Stream is a stream object of data, whose dictionary holds entries besides
// the length.
func Stream(entries, data string) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(data), entries, data)
}

// Pages is a PDF with a page of each content, which may show text in the font
// /F1, Helvetica, and use what extra holds: objects numbered from 4, of which
// the first is /F2 where it is a font, and which the entries of resources may
// name otherwise.
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

// Lines is content that shows lines of text of a size from a place on the
// page downwards.
func Lines(x, y, size int, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT /F1 %d Tf %d TL %d %d Td\n", size, size*6/5, x, y)
	for _, line := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line))
	}
	b.WriteString("ET\n")
	return b.String()
}
