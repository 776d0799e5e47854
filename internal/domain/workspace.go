package domain

import "time"

// A Workspace is a closed set of documents with everything made of it. What is in one is unknown in the others.
type Workspace struct {
	ID         WorkspaceID
	Name       string // in addresses and commands: lower-case letters, digits and dashes
	Title      string // as people read it
	About      string // its contents, in a sentence; may be ""
	CreatedAt  time.Time
	ArchivedAt time.Time // zero unless it is read-only
	DeleteAt   time.Time // when it is deleted for good; zero if it stays
}

// Refuse returns an error of kind Conflict if a workspace is archived, for requests that would change it.
func (w Workspace) Refuse() error {
	if w.ArchivedAt.IsZero() {
		return nil
	}
	return Errorf(Conflict, "The workspace %s is archived: it can be read, not changed or asked. Restore it first, on the page Workspaces or with clew workspace restore.", w.Title)
}

// A Membership is the role of an account in a workspace.
type Membership struct {
	Workspace WorkspaceID
	Account   string
	Role      Role
	BySignOn  bool // given by a sign-on provider, which takes it away again
	AddedAt   time.Time
}
