package parse

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// readDOCX reads a Word document (ECMA-376, part 1, section 17): the body, then footnotes and
// endnotes behind their marks. It leaves out headers, footers, comments, deleted text and tables of contents.
func readDOCX(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "Word document", maxExpanded)
	if err != nil {
		return err
	}
	main := files.mainPart("word/document.xml")
	if !files.has(main) {
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive, but there is no Word document in it.")
	}
	if err := nameByCore(ctx, w, files, "Word Document"); err != nil {
		return err
	}
	folder := main[:strings.LastIndex(main, "/")+1]
	styles, err := readStyles(files, folder+"styles.xml")
	if err != nil {
		return err
	}
	numbers, err := readNumbers(ctx, files, folder+"numbering.xml")
	if err != nil {
		return err
	}
	notes := newDocxNotes()
	for _, part := range []string{main, folder + "footnotes.xml", folder + "endnotes.xml"} {
		r := docxReader{blocks: blocks{w: w}, styles: styles, numbers: numbers, notes: notes, ctx: ctx}
		if r.objects, err = openObjects(ctx, w, files, part); err != nil {
			return err
		}
		if err := files.each(ctx, part, r.token); err != nil {
			return err
		}
		r.flushJoined()
		r.flushList()
		if err := r.objects.write(ctx, &r.noted); err != nil {
			return err
		}
	}
	running := runningText{}
	if err := running.ofWord(ctx, files, main); err != nil {
		return err
	}
	running.warn(w, "Word document")
	return nil
}

// nameByCore takes the title from the document's properties, unless a program made
// it up, and facts.
func nameByCore(ctx context.Context, w *writer, files *zipPackage, madeUp string) error {
	p := newProperties()
	err := files.each(ctx, "docprops/core.xml", p.token)
	if title := p.title(); !strings.HasPrefix(title, "Microsoft Word - ") && title != madeUp {
		w.name(title)
	}
	w.know(p.facts())
	return err
}
