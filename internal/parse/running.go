package parse

import (
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// runningText gathers what stands above and below every page. It is no part of the text, but
// a warning names what stands there alone.
type runningText struct {
	open  strings.Builder
	lines []string
}

// The bounds of what a warning quotes: lines, and code points of each.
const (
	maxRunning     = 5
	maxRunningLine = 80
)

func (r *runningText) add(s string) {
	if r.open.Len() < maxLevelText*4 {
		r.open.WriteString(s)
	}
}

// end ends a line.
func (r *runningText) end() {
	line := strings.Trim(tidyLine(r.open.String()), " –—-|·/")
	r.open.Reset()
	if countsPages(line) || slices.Contains(r.lines, line) || len(r.lines) > 10*maxRunning {
		return
	}
	r.lines = append(r.lines, line)
}

// countsPages reports whether a line says nothing but the number of a page.
func countsPages(line string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(line)) {
		switch strings.Trim(word, ".,:()/–-0123456789") {
		case "", "page", "of", "seite", "von", "p", "side", "af", "av", "sida", "página", "de", "pagina", "di":
		default:
			return false
		}
	}
	return true
}

// warn warns of what does not stand in the text.
func (r *runningText) warn(w *writer, kind string) {
	text := w.text.String()
	var left []string
	for _, line := range r.lines {
		if !strings.Contains(text, line) && line != w.title {
			left = append(left, "“"+shorten(line, maxRunningLine)+"”")
		}
	}
	if len(left) > 0 {
		w.warn(fmt.Sprintf("The page headers and footers of this %s were left out: %s.", kind, strings.Join(left[:min(len(left), maxRunning)], ", ")))
	}
}

// ofWord reads the headers and footers to which the text of a Word document refers.
func (r *runningText) ofWord(ctx context.Context, files *zipPackage, main string) error {
	related, err := files.related(ctx, main)
	if err != nil {
		return err
	}
	var parts []string
	for _, of := range related {
		if (of.kind == "header" || of.kind == "footer") && files.has(of.part) && len(parts) < 10*maxRunning {
			parts = append(parts, of.part)
		}
	}
	slices.Sort(parts)
	for _, part := range parts {
		of := wordRunning{to: r}
		if err := files.each(ctx, part, of.token); err != nil {
			return err
		}
	}
	return nil
}

// A wordRunning reads a header or a footer of Word. Fields in it number pages.
type wordRunning struct {
	to     *runningText
	text   bool
	fields int // open
}

func (w *wordRunning) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		switch kind := attr(t, "fldCharType"); {
		case kind == "begin" || t.Name.Local == "fldSimple":
			w.fields++
		case kind == "end":
			w.fields = max(0, w.fields-1)
		}
		w.text = t.Name.Local == "t" && t.Name.Space == "w"
		if t.Name.Local == "tab" {
			w.to.add(" ")
		}
	case xml.EndElement:
		w.text = false
		switch t.Name.Local {
		case "fldSimple":
			w.fields = max(0, w.fields-1)
		case "p":
			w.to.end()
		}
	case xml.CharData:
		if w.text && w.fields == 0 {
			w.to.add(string(t))
		}
	}
	return nil
}

// ofODT reads the headers and footers among the styles of an OpenDocument text.
func (r *runningText) ofODT(ctx context.Context, files *zipPackage) error {
	inside, skip := 0, 0
	return files.each(ctx, "styles.xml", func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "header", "footer", "header-left", "footer-left", "header-first", "footer-first":
				if t.Name.Space == "style" {
					inside++
				}
			case "page-number", "page-count", "date", "time":
				skip++
			case "tab", "s":
				r.add(" ")
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "header", "footer", "header-left", "footer-left", "header-first", "footer-first":
				if t.Name.Space == "style" {
					inside = max(0, inside-1)
				}
			case "page-number", "page-count", "date", "time":
				skip = max(0, skip-1)
			case "p":
				if inside > 0 {
					r.end()
				}
			}
		case xml.CharData:
			if inside > 0 && skip == 0 {
				r.add(flow(string(t)))
			}
		}
		return nil
	})
}
