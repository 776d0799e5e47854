package documents

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/link"
)

// OfPictures selects pictures of a document.
type OfPictures struct {
	One
	Number int `json:"picture" doc:"only the picture of this number, with its bytes: written to the standard output unless with --json"`
}

// A Picture is a picture of a document.
type Picture struct {
	domain.Picture
	Place string `json:"place,omitempty"` // where the number of a page does not say it
	Text  string `json:"text,omitempty"`  // its words in the text of the document
	Link  string `json:"link"`            // to where it stands in the document
	File  []byte `json:"file,omitempty"`  // its bytes, if one was asked for
}

// Pictures are the pictures of a document.
type Pictures struct {
	Document domain.Document
	Pictures []Picture

	one bool
}

// Array returns the pictures.
func (p Pictures) Array() any { return p.Pictures }

// pictures is the operation on the pictures of a document.
func pictures() operation.Operation[*Service] {
	return operation.Op[*Service, OfPictures, Pictures]{
		Name: "documents pictures", Short: "List the pictures of a document, or print one", Scope: operation.Read, Routes: []string{"GET /documents/{document}/pictures"},
		Tool: operation.Tool{Name: "read_pictures", Title: "Read pictures", Fields: "document",
			About: "List the pictures of a document: the page and the place of each, its caption, and what the file or a model says of it."},
		Long: `List the pictures of a document, given by name or id: figures of PDF, Word,
PowerPoint, web pages and e-books, and images themselves. --picture writes the bytes
of one, a PNG or a JPEG; with --json, they are in Base64 in the field file.`,
		Example: `  clew documents pictures manual.pdf
  clew documents pictures manual.pdf --picture 3 > pump.png
  clew documents pictures manual.pdf --json | jq -r '.[].caption'`,
		Do: (*Service).PicturesOf, Text: printPictures,
	}
}

// PicturesOf returns the pictures of a document. The error is NotFound for a picture that it does not have.
func (s *Service) PicturesOf(ctx context.Context, in OfPictures) (out Pictures, err error) {
	if out.Document, err = s.named(ctx, in.Name); err != nil {
		return out, err
	}
	found, err := s.Ledger.Pictures(ctx, out.Document.Workspace, out.Document.ID)
	if err != nil {
		return out, err
	}
	out.Pictures, out.one = []Picture{}, in.Number != 0
	if in.Number < 0 || in.Number > len(found) {
		return out, domain.Errorf(domain.NotFound, "%s has no picture %d. It has %s.", out.Document.Name, in.Number, domain.Counted(len(found), "picture", "pictures"))
	}
	var text domain.Text
	if len(found) > 0 {
		if _, text, err = s.Read(ctx, out.Document.Workspace, out.Document.ID); err != nil {
			return out, err
		}
	}
	for i, p := range found {
		if in.Number == 0 || in.Number == i+1 {
			out.Pictures = append(out.Pictures, Picture{Picture: p, Place: text.Place(p.At), Text: p.At.Slice(text.Content), Link: link.At(ctx, link.Passage(out.Document.ID, p.At))})
		}
	}
	if out.one {
		out.Pictures[0].File, err = s.Files.Read(ctx, out.Document.Workspace, out.Pictures[0].Hash)
	}
	return out, err
}

// Picture returns a picture of a document with a reader of its bytes. It fails with kind NotFound for an unknown one.
func (s *Service) Picture(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, number int) (p domain.Picture, file io.ReadSeekCloser, err error) {
	doc, err := s.Ledger.Document(ctx, w, id) // which the person may read
	if err != nil {
		return p, nil, err
	}
	all, err := s.Ledger.Pictures(ctx, w, id)
	if err != nil {
		return p, nil, err
	}
	if number < 1 || number > len(all) {
		return p, nil, domain.Errorf(domain.NotFound, "%s has no picture %d.", doc.Name, number)
	}
	file, _, err = s.Files.Open(ctx, w, all[number-1].Hash)
	return all[number-1], file, err
}

func printPictures(w io.Writer, p Pictures) error {
	if p.one {
		_, err := w.Write(p.Pictures[0].File)
		return err
	}
	return operation.Table("PICTURE\tPIXELS\tWHERE\tCAPTION", fmt.Sprintf("%s has no pictures.", p.Document.Name), func(p Picture) []any {
		return []any{p.Number, fmt.Sprintf("%d × %d", p.Width, p.Height), strings.TrimPrefix(domain.Where("", p.Page, p.Place), ", "), domain.Cut(p.Says(), 80)}
	})(w, p.Pictures)
}
