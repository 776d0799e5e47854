package documents

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
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
	Readers []ledger.Reader   `json:"readers"`          // if it is limited, for those who may change them
	Nobody  []ledger.Reader   `json:"nobody,omitempty"` // those of Readers that are no longer members
	AddedBy string            `json:"added_by,omitempty"`
	May     bool              `json:"may_change"` // the person asking may change it
}

func (r ReadableBy) String() string {
	if !r.Limited {
		return r.Name + " can be read by every member."
	}
	return r.Name + " can be read by " + r.Who() + "."
}

// Who returns the names of the readers, as far as they are told.
func (r ReadableBy) Who() string {
	switch {
	case !r.May:
		return "some members"
	case len(r.Readers) == 0:
		return "nobody"
	}
	return r.Names()
}

// Names returns the names of the readers as Limit takes them.
func (r ReadableBy) Names() string {
	return strings.Join(lists.Map(r.Readers, ledger.Reader.String), ", ")
}

// Gone says which of the readers nobody is, or "".
func (r ReadableBy) Gone() string {
	var lost []string
	for _, one := range r.Nobody {
		if one.Kind == ledger.ReaderGroup {
			lost = append(lost, "no member is in the group "+one.Name)
		} else {
			lost = append(lost, one.Name+" is not a member")
		}
	}
	return strings.Join(lost, ", ")
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
	Name: "documents unlimit", Short: "Let every member read limited documents again", Scope: operation.WriteDocuments, Routes: []string{"POST /documents/unlimit"}, Example: "  clew documents unlimit minutes.docx",
	Do: func(s *Service, ctx context.Context, in Chosen) (Changed, error) {
		n, err := s.setReaders(ctx, in, false, nil)
		return Changed{Documents: n, did: "No longer limited:"}, err
	},
}

// Readers is the operation that tells who may read a document.
var Readers = operation.Op[*Service, One, ReadableBy]{
	Name: "documents readers", Short: "Print who may read a document", Scope: operation.Read, Routes: []string{"GET /documents/{document}/readers"}, Example: "  clew documents readers minutes.docx",
	Do: func(s *Service, ctx context.Context, in One) (ReadableBy, error) {
		d, err := s.named(ctx, in.Name)
		if err != nil {
			return ReadableBy{}, err
		}
		admin, err := s.admins(ctx, d.Workspace)
		if err != nil {
			return ReadableBy{}, err
		}
		return s.ReadableBy(ctx, d, admin)
	},
}

// Limited is the operation that lists limited documents.
var Limited = operation.Op[*Service, struct{}, []ReadableBy]{
	Name: "documents limited", Short: "List the limited documents, with those who may read them", Scope: operation.Admin, Routes: []string{"GET /limited"},
	Do: func(s *Service, ctx context.Context, _ struct{}) ([]ReadableBy, error) {
		all, err := s.Ledger.LimitedDocuments(ctx, domain.WorkspaceOf(ctx))
		if err != nil {
			return nil, err
		}
		possible, err := s.MayRead(ctx, domain.WorkspaceOf(ctx))
		list := make([]ReadableBy, len(all))
		for i, d := range all {
			list[i] = ReadableBy{ID: d.ID, Name: d.Name, Limited: true, Readers: d.Readers, Nobody: beside(d.Readers, possible), AddedBy: d.AddedBy, May: true}
		}
		return list, err
	},
	Text: operation.Table("DOCUMENT\tREADERS\tADDED BY\tID", "No document is limited.", func(r ReadableBy) []any {
		who := r.Who()
		if gone := r.Gone(); gone != "" {
			who += " (" + gone + ")"
		}
		return []any{r.Name, who, r.AddedBy, r.ID}
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

// For says who alone may read what is added.
type For struct {
	Limit []string `json:"limit_to" doc:"limit them to these accounts and groups, as group:NAME, and to whoever adds them; can be repeated"`
}

// Limited limits what is added to the accounts and groups that a person names, if any.
func (s *Service) Limited(ctx context.Context, by How, to []string) (How, error) {
	if len(apart(to)) == 0 {
		return by, nil
	}
	var err error
	by.Limited = true
	by.Readers, err = s.ReadersNamed(ctx, domain.WorkspaceOf(ctx), to)
	return by, err
}

// apart returns the names in texts that have commas between them.
func apart(names []string) []string {
	all := strings.Split(strings.Join(names, ","), ",")
	for i, name := range all {
		all[i] = strings.TrimSpace(name)
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// ReadersNamed returns the accounts and groups that a person names, separated by commas. It fails with kind Invalid for those that the
// workspace does not have.
func (s *Service) ReadersNamed(ctx context.Context, w domain.WorkspaceID, names []string) ([]ledger.Reader, error) {
	possible, err := s.Ledger.PossibleReaders(ctx, w)
	if err != nil {
		return nil, err
	}
	if len(possible) == 0 {
		return nil, domain.Errorf(domain.Conflict, "Documents are limited to accounts, and there are none yet. Make an account first.")
	}
	var readers []ledger.Reader
	for _, name := range apart(names) {
		one := ledger.Reader{Kind: ledger.ReaderAccount, Name: strings.ToLower(name)}
		group, isGroup := strings.CutPrefix(name, ledger.ReaderGroup+":")
		if isGroup {
			one = ledger.Reader{Kind: ledger.ReaderGroup, Name: strings.TrimSpace(group)}
		}
		switch {
		case slices.Contains(readers, one):
		case slices.Contains(possible, one):
			readers = append(readers, one)
		case isGroup:
			return nil, domain.Errorf(domain.Invalid, "No member of this workspace is in the group %s.", domain.Cut(group, maxSaid))
		default:
			return nil, domain.Errorf(domain.Invalid, "%s is not a member of this workspace. Name a member, or a group as group:NAME.", domain.Cut(name, maxSaid))
		}
	}
	return readers, nil
}

// maxSaid is how much of a name that is not known a message repeats.
const maxSaid = 60

// setReaders changes who may read the chosen documents, and returns their number. It changes none of them if the person may not
// change one.
func (s *Service) setReaders(ctx context.Context, chosen Chosen, limited bool, readers []ledger.Reader) (int, error) {
	w := domain.WorkspaceOf(ctx)
	admin, err := s.admins(ctx, w)
	if err != nil {
		return 0, err
	}
	finding := ctx
	if admin && len(chosen.Names) > 0 { // includes named documents that are hidden from the admin
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

// beside returns the readers that are none of the possible ones.
func beside(readers, possible []ledger.Reader) []ledger.Reader {
	return slices.DeleteFunc(slices.Clone(readers), func(r ledger.Reader) bool {
		return slices.Contains(possible, r) || r == ledger.Reader{Kind: ledger.ReaderAccount, Name: domain.Operator}
	})
}

// adds reports whether the person who asks added a document.
func adds(ctx context.Context, d domain.Document) bool {
	return d.AddedBy != "" && d.AddedBy == domain.PersonOf(ctx)
}

// ReadableBy returns who may read a document, and whether the person who asks, perhaps an admin, may change that. A version that is
// still being read has the readers of its document.
func (s *Service) ReadableBy(ctx context.Context, d domain.Document, admin bool) (by ReadableBy, err error) {
	by = ReadableBy{ID: d.ID, Name: d.Name, Limited: d.Limited, AddedBy: d.AddedBy, Readers: []ledger.Reader{}}
	by.May = d.VersionOf == "" && (admin || adds(ctx, d))
	if !d.Limited || !by.May {
		return by, nil
	}
	if by.Readers, err = s.Ledger.Readers(ctx, d.Workspace, d.ID); err != nil {
		return by, err
	}
	possible, err := s.MayRead(ctx, d.Workspace)
	by.Nobody = beside(by.Readers, possible)
	return by, err
}
