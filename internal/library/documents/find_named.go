package documents

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// maxListed is how many documents an error lists.
const maxListed = 10

// Find returns the documents that a person names, in order and each once: by id, by the whole name, or by the end of the
// name after a slash if no other document's name ends so. A name spelled exactly, but for the Unicode normal form, goes before
// one in another case. The error is NotFound for a name that no document has, and Invalid, listing the documents, for a name
// that fits several.
func (s *Service) Find(ctx context.Context, w domain.WorkspaceID, names []string) ([]domain.DocumentID, error) {
	var book nameBook
	var ids []domain.DocumentID
	for _, name := range names {
		id, err := s.known(ctx, w, name)
		if err != nil {
			return nil, err
		}
		if id == "" {
			if book == nil {
				if book, err = s.nameBook(ctx, w); err != nil {
					return nil, err
				}
			}
			if id, err = book.find(name); err != nil {
				return nil, err
			}
		}
		ids = lists.AppendOnce(ids, id)
	}
	return ids, nil
}

// known returns name if it is the id of a document and no other document is called so, without reading all names.
func (s *Service) known(ctx context.Context, w domain.WorkspaceID, name string) (domain.DocumentID, error) {
	found, err := s.Ledger.DocumentsByID(ctx, w, []domain.DocumentID{domain.DocumentID(name)})
	if err != nil || len(found) == 0 {
		return "", err
	}
	called, err := s.Ledger.DocumentsNamed(ctx, w, norm.NFC.String(name))
	if err != nil || slices.ContainsFunc(called, func(d domain.Document) bool { return d.ID != found[0].ID }) {
		return "", err
	}
	return found[0].ID, nil
}

// A nameBook holds the names of a workspace's documents.
type nameBook []bookName

type bookName struct {
	ledger.DocumentName
	exact, folded string
}

func (s *Service) nameBook(ctx context.Context, w domain.WorkspaceID) (nameBook, error) {
	all, err := s.Ledger.DocumentNames(ctx, w)
	book := make(nameBook, len(all))
	for i, d := range all {
		exact := cleanName(d.Name)
		book[i] = bookName{d, exact, foldName(exact)}
	}
	return book, err
}

// cleanName returns the form in which names are compared: that of a stored name.
func cleanName(name string) string {
	if safe, err := SafePath(name); err == nil {
		return safe
	}
	return norm.NFC.String(name)
}

// foldName returns a name without regard to case, see "canonical caseless matching" in Unicode.
func foldName(name string) string {
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
}

// find returns the document that name names. A version that waits to be read is named by its id alone: its name is that of
// its document.
func (b nameBook) find(name string) (domain.DocumentID, error) {
	if strings.TrimSpace(name) == "" {
		return "", domain.Errorf(domain.Invalid, "The name of a document is empty. Write its name or id; clew documents list shows them.")
	}
	exact := cleanName(name)
	folded := foldName(exact)
	for _, fits := range []func(d bookName) bool{
		func(d bookName) bool { return string(d.ID) == name || d.VersionOf == "" && d.exact == exact },
		func(d bookName) bool { return d.VersionOf == "" && d.folded == folded },
		func(d bookName) bool { return d.VersionOf == "" && strings.HasSuffix(d.folded, "/"+folded) },
	} {
		found := b.those(fits)
		switch {
		case len(found) == 1:
			return found[0].ID, nil
		case len(found) > 1:
			return "", domain.Errorf(domain.Invalid, "%q matches %d documents: %s. Write the full name of one, or its id.", shown(name), len(found), found.list())
		}
	}
	base := path.Base(folded)
	like := b.those(func(d bookName) bool { return d.VersionOf == "" && path.Base(d.folded) == base })
	if len(like) == 0 {
		return "", domain.Errorf(domain.NotFound, "There is no document called %q. It may have been deleted.", shown(name))
	}
	return "", domain.Errorf(domain.NotFound, "There is no document called %q, but there is %s. Write one of these names, or the id.", shown(name), like.list())
}

// shown shortens a person's input for an error message.
func shown(name string) string { return domain.Cut(name, maxName) }

func (b nameBook) those(fits func(bookName) bool) (found nameBook) {
	return lists.Filter(b, fits)
}

// list returns the names of documents with their ids.
func (b nameBook) list() string {
	parts := lists.Map(b[:min(len(b), maxListed)], func(d bookName) string { return fmt.Sprintf("%s (%s)", d.Name, d.ID) })
	if more := len(b) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}
