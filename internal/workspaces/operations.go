package workspaces

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// Listed is a workspace in a list, with the role of the requesting person.
type Listed struct {
	Name      string      `json:"name" trail:""`
	Title     string      `json:"title"`
	About     string      `json:"about,omitempty"`
	Role      domain.Role `json:"role,omitempty"` // of the person asking; "" if there are no accounts
	Members   int         `json:"members"`        // including owners
	Documents int         `json:"documents"`
	Bytes     int64       `json:"bytes"`          // of the documents' files
	Asked     time.Time   `json:"asked,omitzero"` // when a question was last asked
	Created   time.Time   `json:"created,omitzero"`
	Archived  time.Time   `json:"archived,omitzero"`
	Deleted   time.Time   `json:"deleted,omitzero"` // when it is permanently deleted
}

func (l Listed) state() string {
	switch {
	case !l.Deleted.IsZero():
		return "deleted, can be restored until " + l.Deleted.Format(time.DateTime)
	case !l.Archived.IsZero():
		return "archived"
	}
	return ""
}

func (l Listed) String() string { return strings.TrimSpace(l.Name + "  " + l.Title + "  " + l.state()) }

type (
	// Wanted is a workspace to be made.
	Wanted struct {
		Title string `json:"title" arg:"TITLE" doc:"what people call it"`
		Name  string `json:"name" doc:"name in addresses and commands (default made of the title)"`
		About string `json:"about" doc:"what is in it, in a sentence"`
		Like  string `json:"schema_of" trail:"" doc:"workspace with whose schema it begins, by {NAME}"`
		Texts bool   `json:"prompts" trail:"" doc:"begin with the prompts of that workspace, too"`
	}
	// Named names a workspace.
	Named struct {
		Name string `json:"name" arg:"NAME" trail:"" doc:"name of a workspace"`
	}
	// Retitled is the new title of a workspace.
	Retitled struct {
		Named
		Title string `json:"title" arg:"TITLE" doc:"what people call it from now on"`
		About string `json:"about" doc:"what is in it, in a sentence (default: as before)"`
	}
)

// What can be done with workspaces.
var (
	List = operation.Op[*Service, struct{}, []Listed]{
		Name: "workspace list", Short: "List the workspaces that you belong to", Scope: operation.Read, Routes: []string{"GET /workspaces"},
		Do: func(s *Service, ctx context.Context, _ struct{}) ([]Listed, error) {
			return s.list(ctx, domain.PersonOf(ctx))
		},
		Text: operation.Table("NAME\tTITLE\tROLE\tMEMBERS\tDOCUMENTS\t", "", func(l Listed) []any {
			return []any{l.Name, l.Title, cmp.Or(l.Role, "-"), l.Members, l.Documents, l.state()}
		}),
	}
	Add = operation.Op[*Service, Wanted, Listed]{
		Name: "workspace add", Short: "Make a workspace", Scope: operation.Install, Routes: []string{"POST /workspaces"},
		Long: `Make a workspace: a library with documents, a graph, conversations and members of
its own. Workspaces know nothing of each other. Its name stands in addresses and
after --workspace, and stays the same when the title is changed.`,
		Example: `  clew workspace add "County archive" --about "Minutes and newspapers, 1812 to 1931"
  clew workspace add "Port of Ansel" --schema-of county-archive --prompts
  clew --workspace county-archive ingest minutes.docx`,
		Do: (*Service).add,
	}
	Rename = operation.Op[*Service, Retitled, Listed]{
		Name: "workspace rename", Short: "Change the title of a workspace", Scope: operation.Install, Routes: []string{"PATCH /workspaces/{name}"}, Example: `  clew workspace rename county-archive "County archive and library"`,
		Do: func(s *Service, ctx context.Context, in Retitled) (Listed, error) {
			title, about, err := described(in.Title, in.About)
			if err != nil {
				return Listed{}, err
			}
			return s.change(ctx, "renamed", in.Name, func(w *domain.Workspace) error {
				w.Title, w.About = title, cmp.Or(about, w.About)
				return nil
			})
		},
	}
	Archive = operation.Op[*Service, Named, Listed]{
		Name: "workspace archive", Short: "Archive a workspace: it can be read, but not changed or asked", Scope: operation.Install, Routes: []string{"POST /workspaces/{name}/archive"}, Example: "  clew workspace archive county-archive",
		Do: func(s *Service, ctx context.Context, in Named) (Listed, error) {
			return s.change(ctx, "archived", in.Name, func(w *domain.Workspace) error {
				if w.ArchivedAt.IsZero() {
					w.ArchivedAt = s.Now()
				}
				return nil
			})
		},
	}
	Restore = operation.Op[*Service, Named, Listed]{
		Name: "workspace restore", Short: "Bring back a workspace that was archived or deleted", Scope: operation.Install, Routes: []string{"POST /workspaces/{name}/restore"}, Example: "  clew workspace restore county-archive",
		Do: func(s *Service, ctx context.Context, in Named) (Listed, error) {
			return s.change(ctx, "restored", in.Name, func(w *domain.Workspace) error {
				if !w.DeleteAt.IsZero() && !s.Now().Before(w.DeleteAt) {
					return domain.Errorf(domain.Conflict, "The workspace %s can't be restored any more: it is being removed for good.", w.Name)
				}
				w.ArchivedAt, w.DeleteAt = time.Time{}, time.Time{}
				return nil
			})
		},
	}
	Delete = operation.Op[*Service, Named, Listed]{
		Name: "workspace delete", Short: "Delete a workspace with everything in it", Scope: operation.Install, Routes: []string{"DELETE /workspaces/{name}"}, Example: "  clew workspace delete county-archive --yes",
		Long: `Delete a workspace: its documents, graph, conversations, runs and tokens. Nobody
can open it from then on. For a day, clew workspace restore brings it back; then
it is gone for good.`,
		Ask: func(s *Service, ctx context.Context, in Named) (string, error) {
			w, err := s.Ledger.WorkspaceNamed(ctx, in.Name)
			if err != nil {
				return "", err
			}
			counts, err := s.Ledger.CountDocuments(ctx, w.ID, "")
			return "Delete " + w.Title + " with " + domain.Counted(counts.All(), "document", "documents") + "?", err
		},
		Do: func(s *Service, ctx context.Context, in Named) (Listed, error) {
			return s.change(ctx, "deleted", in.Name, func(w *domain.Workspace) error {
				if w.ID == domain.DefaultWorkspace {
					return domain.Errorf(domain.Conflict, "The workspace that the installation began with can't be deleted. Archive it, or delete its documents.")
				}
				if w.DeleteAt.IsZero() {
					w.DeleteAt = s.Now().Add(undoFor)
				}
				return nil
			})
		},
	}
)

// Operations returns the operations on workspaces.
func Operations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{List, Add, Rename, Archive, Restore, Delete}
}

// list returns the workspaces that an account may open, or all if it is "". Owners see those that are being deleted too.
func (s *Service) list(ctx context.Context, person string) ([]Listed, error) {
	role, err := s.roles(ctx, person)
	if err != nil {
		return nil, err
	}
	all, err := s.Ledger.Workspaces(ctx)
	if err != nil {
		return nil, err
	}
	sizes, err := s.Ledger.WorkspaceSizes(ctx)
	if err != nil {
		return nil, err
	}
	list := []Listed{}
	for _, w := range all {
		may := role(w.ID)
		if may == domain.Stranger || !w.DeleteAt.IsZero() && may != domain.Owner && may != "" {
			continue
		}
		list = append(list, listed(w, sizes, may))
	}
	return list, nil
}

// roles returns the role of an account in each workspace. Without accounts, and for whoever runs commands on the
// library, it is "".
func (s *Service) roles(ctx context.Context, person string) (func(domain.WorkspaceID) domain.Role, error) {
	account, err := s.Ledger.Account(ctx, person)
	if domain.KindOf(err) == domain.NotFound {
		return func(domain.WorkspaceID) domain.Role { return "" }, nil
	}
	if err != nil {
		return nil, err
	}
	memberships, err := s.Ledger.Memberships(ctx, person)
	return func(ws domain.WorkspaceID) domain.Role { return Role(account, memberships, ws) }, err
}

func listed(w domain.Workspace, sizes []ledger.WorkspaceSize, role domain.Role) Listed {
	l := Listed{Name: w.Name, Title: w.Title, About: w.About, Role: role, Created: w.CreatedAt, Archived: w.ArchivedAt, Deleted: w.DeleteAt}
	for _, size := range sizes {
		if size.Workspace == w.ID {
			l.Members, l.Documents, l.Bytes, l.Asked = size.Members, size.Documents, size.Bytes, size.AskedAt
		}
	}
	return l
}

func (s *Service) shown(ctx context.Context, w domain.Workspace) (Listed, error) {
	sizes, err := s.Ledger.WorkspaceSizes(ctx)
	return listed(w, sizes, ""), err
}

func (s *Service) add(ctx context.Context, in Wanted) (Listed, error) {
	title, about, err := described(in.Title, in.About)
	if err != nil {
		return Listed{}, err
	}
	name := cmp.Or(in.Name, NameOf(title))
	if err := CheckName(name); err != nil {
		return Listed{}, err
	}
	id, err := domain.IDs{Random: s.Random, Now: s.Now}.Workspace()
	if err != nil {
		return Listed{}, err
	}
	like, err := s.like(ctx, in)
	if err != nil {
		return Listed{}, err
	}
	w := domain.Workspace{ID: id, Name: name, Title: title, About: about, CreatedAt: s.Now()}
	if err := s.Ledger.AddWorkspaceLike(ctx, w, like); err != nil {
		return Listed{}, err
	}
	s.changed(ctx, "added", w)
	if err := s.Stores.Claim(ctx, w.ID); err != nil && domain.KindOf(err) != domain.Unavailable { // the stores are claimed again when the program starts
		return Listed{}, err
	}
	return s.shown(ctx, w)
}

// like returns the contents that a workspace begins with: nothing of a workspace that the person may not read.
func (s *Service) like(ctx context.Context, in Wanted) (ledger.Like, error) {
	if in.Like == "" {
		if in.Texts {
			return ledger.Like{}, domain.Errorf(domain.Invalid, "Say with the schema of which workspace it begins, to begin with its prompts too.")
		}
		return ledger.Like{}, nil
	}
	from, err := s.Find(ctx, in.Like)
	if err != nil {
		return ledger.Like{}, err
	}
	role, err := s.roles(ctx, domain.PersonOf(ctx))
	if err == nil && role(from.ID) == domain.Stranger {
		err = unknown(in.Like)
	}
	return ledger.Like{Workspace: from.ID, Prompts: in.Texts, Note: "as in " + from.Title}, err
}

// described checks and tidies what people write of a workspace.
func described(title, about string) (string, string, error) {
	title, about = domain.OneLine(title), domain.OneLine(about)
	switch {
	case title == "" || len([]rune(title)) > MaxTitle:
		return "", "", domain.Errorf(domain.Invalid, "A workspace needs a title of 1 to %d characters.", MaxTitle)
	case len([]rune(about)) > MaxAbout:
		return "", "", domain.Errorf(domain.Invalid, "The description is too long: use at most %d characters.", MaxAbout)
	}
	return title, about, nil
}

func (s *Service) change(ctx context.Context, how, name string, change func(*domain.Workspace) error) (Listed, error) {
	w, err := s.Ledger.WorkspaceNamed(ctx, name)
	if err == nil {
		w, err = s.Ledger.ChangeWorkspace(ctx, w.ID, change)
	}
	if err != nil {
		return Listed{}, err
	}
	s.changed(ctx, how, w)
	return s.shown(ctx, w)
}

func (s *Service) changed(ctx context.Context, how string, w domain.Workspace) {
	s.Forget()
	s.Log.InfoContext(ctx, "workspace "+how, "name", w.Name, "by", domain.PersonOf(ctx))
}
