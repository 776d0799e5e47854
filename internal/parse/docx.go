package parse

import (
	"context"
	"encoding/xml"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// readDOCX reads a Word document (ECMA-376, part 1, section 17): the body, then footnotes and
// endnotes. It leaves out headers, footers, comments, deleted text and tables of contents.
func readDOCX(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "Word document", maxExpanded)
	if err != nil {
		return err
	}
	main := files.mainPart("word/document.xml")
	if !files.has(main) {
		return domain.Errorf(domain.Invalid, "This file is a ZIP archive, but there is no Word document in it.")
	}
	title, err := coreTitle(files)
	if err != nil {
		return err
	}
	w.name(title)
	folder := main[:strings.LastIndex(main, "/")+1]
	styles, err := readStyles(files, folder+"styles.xml")
	if err != nil {
		return err
	}
	for _, part := range []string{main, folder + "footnotes.xml", folder + "endnotes.xml"} {
		r := docxReader{w: w, styles: styles}
		if err := files.each(ctx, part, r.token); err != nil {
			return err
		}
		r.flushList()
	}
	return nil
}

// coreTitle returns the title in the document's properties, unless a program made it up.
func coreTitle(files *zipPackage) (string, error) {
	var title strings.Builder
	inside := false
	err := files.each(context.Background(), "docprops/core.xml", func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			inside = t.Name.Local == "title"
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside && title.Len() < 4*maxTitle {
				title.Write(t)
			}
		}
		return nil
	})
	name := tidyLine(title.String())
	if strings.HasPrefix(name, "Microsoft Word - ") || name == "Word Document" {
		return "", err
	}
	return name, err
}
