// Package workspaces keeps the libraries of an installation apart: it lists them and their members.
package workspaces

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// The longest name in bytes, and the longest title and description in characters.
const (
	MaxName  = 40
	MaxTitle = 100
	MaxAbout = 300
)

// undoFor is how long the deletion of a workspace can be undone.
const undoFor = 24 * time.Hour

// remembered is how long a workspace is taken to be as it was last read. Another process may have changed it.
const remembered = time.Second

// Params configure a Service. All are required.
type Params struct {
	Ledger *ledger.Ledger
	Stores Stores
	Random io.Reader // for ids
	Now    domain.Clock
	Log    *slog.Logger
}

// Stores are the stores that documents of workspaces are projected into.
type Stores interface {
	// Claim makes the stores of a new workspace belong to this installation.
	Claim(ctx context.Context, w domain.WorkspaceID) error
}

// Service keeps workspaces. It is safe for concurrent use.
type Service struct {
	Params

	mu      sync.Mutex
	all     []domain.Workspace
	members []domain.Membership
	read    time.Time // when both were read
}

// New returns a Service.
func New(p Params) *Service { return &Service{Params: p} }

// All returns all workspaces by title, without those that are being deleted.
func (s *Service) All(ctx context.Context) ([]domain.Workspace, error) {
	all, _, err := s.look(ctx)
	return all, err
}

// Mine returns the workspaces that an account may open, by title: an owner all, as well as everybody without accounts.
func (s *Service) Mine(ctx context.Context, account string, role domain.Role) ([]domain.Workspace, error) {
	all, members, err := s.look(ctx)
	if role == "" || role == domain.Owner {
		return all, err
	}
	return lists.Filter(all, func(w domain.Workspace) bool {
		return slices.ContainsFunc(members, func(m domain.Membership) bool { return m.Workspace == w.ID && m.Account == account })
	}), err
}

// look returns the workspaces and their members as they were at most a moment ago, or before the ledger went away: a page that
// says so is in a workspace too.
func (s *Service) look(ctx context.Context) ([]domain.Workspace, []domain.Membership, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.Now(); s.all == nil || now.Sub(s.read) >= remembered {
		all, err := s.Ledger.Workspaces(ctx)
		var members []domain.Membership
		if err == nil {
			members, err = s.Ledger.AllMemberships(ctx)
		}
		switch {
		case err != nil && s.all != nil && domain.KindOf(err) == domain.Unavailable:
			return s.all, s.members, nil
		case err != nil:
			return nil, nil, err
		}
		s.members = members
		s.all, s.read = slices.DeleteFunc(all, func(w domain.Workspace) bool { return !w.DeleteAt.IsZero() }), now
	}
	return s.all, s.members, nil
}

// Find returns the workspace of a name, or an error of kind NotFound.
func (s *Service) Find(ctx context.Context, name string) (domain.Workspace, error) {
	all, err := s.All(ctx)
	if err != nil {
		return domain.Workspace{}, err
	}
	if i := slices.IndexFunc(all, func(w domain.Workspace) bool { return w.Name == name }); i >= 0 {
		return all[i], nil
	}
	return domain.Workspace{}, unknown(name)
}

// Choose returns the workspace of a name, for who may open all. The error of kind NotFound lists their names.
func (s *Service) Choose(ctx context.Context, name string) (domain.Workspace, error) {
	w, err := s.Find(ctx, name)
	if domain.KindOf(err) != domain.NotFound {
		return w, err
	}
	all, err := s.All(ctx)
	if err != nil {
		return w, err
	}
	names := lists.Map(all[:min(len(all), maxNamed)], func(one domain.Workspace) string { return one.Name })
	if len(all) > maxNamed {
		names = append(names, "…")
	}
	return w, domain.Errorf(domain.NotFound, "There is no workspace %q. The workspaces are %s.", name, strings.Join(names, ", "))
}

// maxNamed is how many workspaces an error names.
const maxNamed = 20

func unknown(name string) error {
	return domain.Errorf(domain.NotFound, "There is no workspace %q, or you are not a member of it.", name)
}

// Forget has All read the workspaces again.
func (s *Service) Forget() {
	s.mu.Lock()
	s.all = nil
	s.mu.Unlock()
}

// Role returns the role of an account in a workspace: Stranger unless it is a member. Owners may do everything.
func Role(account ledger.Account, memberships []domain.Membership, ws domain.WorkspaceID) domain.Role {
	if account.Role == domain.Owner {
		return domain.Owner
	}
	for _, m := range memberships {
		if m.Workspace == ws {
			return m.Role
		}
	}
	return domain.Stranger
}

// NameOf derives a workspace's name from its title: "Letters of the Museum" becomes letters-of-the-museum. It is "" for a
// title without a letter or digit of ASCII.
func NameOf(title string) string {
	var name strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLower(r) || unicode.IsDigit(r)):
			name.WriteRune(r)
		case name.Len() > 0 && !strings.HasSuffix(name.String(), "-"):
			name.WriteByte('-')
		}
		if name.Len() == MaxName {
			break
		}
	}
	return strings.Trim(name.String(), "-")
}

// CheckName returns an error of kind Invalid unless a name can be part of addresses.
func CheckName(name string) error {
	if name == "" || len(name) > MaxName || NameOf(name) != name {
		return domain.Errorf(domain.Invalid, "A workspace needs a name of 1 to %d small letters, digits and single dashes, such as county-archive.", MaxName)
	}
	return nil
}

// Home returns the name of the workspace that an account begins in: the one of the given name if it may open that, otherwise
// the first by title. The error is of kind NotFound if it belongs to none. Without an account it may open all.
func (s *Service) Home(ctx context.Context, account, last string) (string, error) {
	role, err := s.roles(ctx, account)
	if err != nil {
		return "", err
	}
	all, err := s.All(ctx)
	if err != nil {
		return "", err
	}
	may := slices.DeleteFunc(slices.Clone(all), func(w domain.Workspace) bool { return role(w.ID) == domain.Stranger })
	if len(may) == 0 {
		return "", domain.Errorf(domain.NotFound, "You are not a member of any workspace yet. Ask an owner to add you to one.")
	}
	i := slices.IndexFunc(may, func(w domain.Workspace) bool { return w.Name == last })
	if i < 0 {
		i = max(0, slices.IndexFunc(may, func(w domain.Workspace) bool { return w.ID == domain.DefaultWorkspace }))
	}
	return may[i].Name, nil
}
