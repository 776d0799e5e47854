package documents

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// Limiting says who alone may read the chosen documents.
type Limiting struct {
	Chosen
	To []string `json:"to" doc:"accounts that may read them besides whoever added them, and groups as group:NAME; can be repeated"`
}

// ReadableBy says who may read a document.
type ReadableBy struct {
	ID      domain.DocumentID `json:"id"`
	Name    string            `json:"name"`
	Limited bool              `json:"limited"`
	Readers []ledger.Reader   `json:"readers"` // if it is limited
	AddedBy string            `json:"added_by,omitempty"`
	May     bool              `json:"may_change"` // who asks may change that
}

func (r ReadableBy) String() string {
	if !r.Limited {
		return r.Name + " can be read by every member."
	}
	return r.Name + " can be read by " + r.Who() + "."
}

// Who returns the names of the readers.
func (r ReadableBy) Who() string {
	if len(r.Readers) == 0 {
		return "nobody"
	}
	names := make([]string, len(r.Readers))
	for i, one := range r.Readers {
		names[i] = one.String()
	}
	return strings.Join(names, ", ")
}

// Limit is the operation that limits documents to some readers.
var Limit = operation.Op[*Service, Limiting, Changed]{
	Name: "documents limit", Short: "Limit documents to some accounts and groups", Scope: operation.WriteDocuments, Routes: []string{"POST /documents/limit"},
	Long: `Limit documents, those named or those that match the flags, to some accounts and
groups, and to whoever added them. For everybody else they are not there: not in
lists and counts, not in answers, and not in the graph, which is as it would be
without them. Who adds a document can limit it, and so can admins; an admin who is
not named does not see it either, except in clew documents limited.`,
	Example: `  clew documents limit minutes.docx --to maud,group:board
  clew documents limit --tag payroll --to group:office`,
	Do: (*Service).limit,
}

// Unlimit is the operation that has every member read documents.
var Unlimit = operation.Op[*Service, Chosen, Changed]{
	Name: "documents unlimit", Short: "Let every member read documents that were limited", Scope: operation.WriteDocuments, Routes: []string{"POST /documents/unlimit"},
	Example: "  clew documents unlimit minutes.docx",
	Do: func(s *Service, ctx context.Context, in Chosen) (Changed, error) {
		n, err := s.setReaders(ctx, in, false, nil)
		return Changed{Documents: n, did: "No longer limited:"}, err
	},
}

// Readers is the operation that tells who may read a document.
var Readers = operation.Op[*Service, One, ReadableBy]{
	Name: "documents readers", Short: "Print who may read a document", Scope: operation.Read, Routes: []string{"GET /documents/{document}/readers"},
	Do: func(s *Service, ctx context.Context, in One) (ReadableBy, error) {
		d, err := s.named(ctx, in.Name)
		if err != nil {
			return ReadableBy{}, err
		}
		return s.ReadableBy(ctx, d)
	},
}

// Limited is the operation that lists limited documents.
var Limited = operation.Op[*Service, struct{}, []ReadableBy]{
	Name: "documents limited", Short: "List the documents that not every member may read, with their readers", Scope: operation.Admin, Routes: []string{"GET /limited"},
	Do: func(s *Service, ctx context.Context, _ struct{}) ([]ReadableBy, error) {
		all, err := s.Ledger.LimitedDocuments(ctx, domain.WorkspaceOf(ctx))
		list := []ReadableBy{}
		for _, d := range all {
			list = append(list, ReadableBy{ID: d.ID, Name: d.Name, Limited: true, Readers: d.Readers, AddedBy: d.AddedBy, May: true})
		}
		return list, err
	},
	Text: operation.Table("DOCUMENT\tREADERS\tADDED BY\tID", "No document is limited.", func(r ReadableBy) []any {
		return []any{r.Name, r.Who(), r.AddedBy, r.ID}
	}),
}

func limiting() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{Limit, Unlimit, Readers, Limited}
}

func (s *Service) limit(ctx context.Context, in Limiting) (Changed, error) {
	readers, err := s.ReadersNamed(ctx, domain.WorkspaceOf(ctx), in.To)
	if err != nil {
		return Changed{}, err
	}
	n, err := s.setReaders(ctx, in.Chosen, true, readers)
	return Changed{Documents: n, did: "Limited"}, err
}

// ReadersNamed returns the accounts and groups that a person names, separated by commas. It fails with kind Invalid for those that the
// workspace does not have.
func (s *Service) ReadersNamed(ctx context.Context, w domain.WorkspaceID, names []string) ([]ledger.Reader, error) {
	if n, err := s.Ledger.CountAccounts(ctx); err != nil {
		return nil, err
	} else if n == 0 {
		return nil, domain.Errorf(domain.Conflict, "Documents are limited to accounts, and there are none yet. Make an account first.")
	}
	groups, err := s.Ledger.AllGroups(ctx)
	if err != nil {
		return nil, err
	}
	var readers []ledger.Reader
	for name := range strings.SplitSeq(strings.Join(names, ","), ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		one := ledger.Reader{Kind: ledger.ReaderAccount, Name: strings.ToLower(name)}
		group, isGroup := strings.CutPrefix(name, ledger.ReaderGroup+":")
		switch {
		case isGroup:
			one = ledger.Reader{Kind: ledger.ReaderGroup, Name: strings.TrimSpace(group)}
			if !slices.Contains(groups, one.Name) {
				return nil, domain.Errorf(domain.Invalid, "No account is in the group %s.", one.Name)
			}
		default:
			account, err := s.Ledger.AccountIn(ctx, w, one.Name)
			if err != nil && domain.KindOf(err) != domain.NotFound {
				return nil, err
			}
			if err != nil || !account.Role.Includes(domain.Reader) {
				return nil, domain.Errorf(domain.Invalid, "%s is no member of this workspace. Name a member, or a group as group:NAME.", name)
			}
		}
		if !slices.Contains(readers, one) {
			readers = append(readers, one)
		}
	}
	return readers, nil
}

// setReaders changes who may read the chosen documents, and returns their number. It changes none of them if the person may not
// change one.
func (s *Service) setReaders(ctx context.Context, chosen Chosen, limited bool, readers []ledger.Reader) (int, error) {
	w := domain.WorkspaceOf(ctx)
	admin, err := s.admins(ctx, w)
	if err != nil {
		return 0, err
	}
	finding := ctx
	if admin && len(chosen.Names) > 0 { // of what an admin names, also what is hidden from them
		finding = domain.WithReader(ctx, "")
	}
	q, err := s.query(finding, chosen)
	if err != nil {
		return 0, err
	}
	docs, err := s.Ledger.ListDocuments(finding, w, q)
	if err != nil {
		return 0, err
	}
	return s.haveRead(ctx, docs, admin, limited, readers)
}

// SetReaders limits the documents that a query selects to some readers, or has every member read them if limited is not set, and
// returns their number. It changes none of them if the person may not change one.
func (s *Service) SetReaders(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery, limited bool, readers []ledger.Reader) (int, error) {
	admin, err := s.admins(ctx, w)
	if err != nil {
		return 0, err
	}
	docs, err := s.Ledger.ListDocuments(ctx, w, q)
	if err != nil {
		return 0, err
	}
	return s.haveRead(domain.WithWorkspace(ctx, w), docs, admin, limited, readers)
}

func (s *Service) haveRead(ctx context.Context, docs []domain.Document, admin, limited bool, readers []ledger.Reader) (int, error) {
	w := domain.WorkspaceOf(ctx)
	ids := make([]domain.DocumentID, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
		switch {
		case !admin && !adds(ctx, d):
			return 0, domain.Errorf(domain.Forbidden, "Who may read %s is for whoever added it, or for an admin of this workspace.", d.Name)
		case limited && len(readers) == 0 && (d.AddedBy == "" || d.AddedBy == domain.Operator):
			return 0, domain.Errorf(domain.Invalid, "Nobody could read %s, because no account added it. Name at least one account or group.", d.Name)
		}
	}
	if err := s.Ledger.Limit(ctx, w, ids, limited, readers); err != nil {
		return 0, err
	}
	s.Log.InfoContext(ctx, "readers of documents changed", "documents", ids, "limited", limited, "readers", readers, "by", domain.PersonOf(ctx))
	return len(ids), s.gone(ctx, w)
}

// MayRead lists the accounts and groups that documents of a workspace can be limited to. There are none without accounts.
func (s *Service) MayRead(ctx context.Context, w domain.WorkspaceID) ([]ledger.Reader, error) {
	return s.Ledger.PossibleReaders(ctx, w)
}

// admins reports whether the person who asks may change who reads what others have added.
func (s *Service) admins(ctx context.Context, w domain.WorkspaceID) (bool, error) {
	viewer := domain.ReaderOf(ctx)
	if viewer == "" {
		return true, nil
	}
	account, err := s.Ledger.AccountIn(ctx, w, viewer)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	return account.Role.Includes(domain.Admin), err
}

// adds reports whether the person who asks added a document.
func adds(ctx context.Context, d domain.Document) bool {
	return d.AddedBy != "" && d.AddedBy == domain.PersonOf(ctx)
}

// ReadableBy returns who may read a document, and whether the person who asks may change that.
func (s *Service) ReadableBy(ctx context.Context, d domain.Document) (ReadableBy, error) {
	by := ReadableBy{ID: d.ID, Name: d.Name, Limited: d.Limited, AddedBy: d.AddedBy, Readers: []ledger.Reader{}}
	admin, err := s.admins(ctx, d.Workspace)
	if err != nil {
		return by, err
	}
	by.May = admin || adds(ctx, d)
	if d.Limited {
		by.Readers, err = s.Ledger.Readers(ctx, d.Workspace, d.ID)
	}
	return by, err
}
