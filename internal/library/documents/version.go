package documents

import (
	"context"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
)

// Named says how an added file relates to a document of the same name with different content.
type Named int

// What an added file may be to a document of its name. If several have the name, it is to the one that was added last.
const (
	Apart Named = iota // a separate document
	Next               // its next version
	Skip               // nothing: the file is not added
)

// versionOf returns the document that an added one is a version of, by name or by choice, or none for a separate
// document.
func (s *Service) versionOf(ctx context.Context, d domain.Document, by How) (of domain.Document, err error) {
	if by.Of != "" {
		if of, err = s.Ledger.Document(ctx, d.Workspace, by.Of); err != nil || of.VersionOf == "" {
			return of, err
		}
		return s.Ledger.Document(ctx, d.Workspace, of.VersionOf)
	}
	if by.Named == Apart {
		return of, nil
	}
	named, err := s.Ledger.DocumentsNamed(ctx, d.Workspace, d.Name)
	for _, n := range named {
		if n.VersionOf == "" {
			of = n
		}
	}
	return of, err
}

// freeID returns the id of a document of its own. The one that its content gives is taken where a document began with
// this content and has a later version by now, or is hidden from whoever adds d. One that still has this content was added in
// this moment, and is d. A limited document leaves the id of its content to others, who would learn from another one that it
// is there.
func (s *Service) freeID(ctx context.Context, d domain.Document) (domain.DocumentID, error) {
	first := d.Hash
	if d.Limited {
		first += "/" + d.AddedBy
	}
	for n, hash := 2, first; ; n, hash = n+1, first+"/"+strconv.Itoa(n) {
		id := domain.NewDocumentID(d.Workspace, hash)
		taken, err := s.Ledger.Document(domain.WithReader(ctx, ""), d.Workspace, id)
		if domain.KindOf(err) == domain.NotFound {
			return id, nil
		}
		if err != nil {
			return "", err
		}
		if taken.Hash == d.Hash {
			if _, err = s.Ledger.Document(ctx, d.Workspace, id); domain.KindOf(err) != domain.NotFound {
				return id, err
			}
		}
	}
}

// filesOf returns the hashes of the files of all versions of a document, and of its pictures.
func (s *Service) filesOf(ctx context.Context, d domain.Document) ([]string, error) {
	earlier, err := s.Ledger.Versions(ctx, d.Workspace, d.ID)
	if err != nil {
		return nil, err
	}
	hashes := []string{d.Hash}
	for _, v := range earlier {
		hashes = append(hashes, v.Hash)
	}
	pictures, err := s.Ledger.Pictures(ctx, d.Workspace, d.ID)
	for _, p := range pictures {
		hashes = append(hashes, p.Hash)
	}
	return hashes, err
}

// RemoveVersion removes an earlier version of a document: its text, its file unless something else needs it, and what answers
// and summaries quote of it. Number counts from 0. It fails with kind NotFound for a version that is not kept, the present one
// among them.
func (s *Service) RemoveVersion(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, number int) error {
	hash, err := s.Ledger.RemoveVersion(ctx, w, id, number)
	if err != nil {
		return err
	}
	if err := s.removeFile(ctx, w, hash); err != nil {
		return err
	}
	if err := s.gone(ctx, w); err != nil {
		return err
	}
	s.ScrubDisk(ctx, scrubbedNow)
	return nil
}
