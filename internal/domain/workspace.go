package domain

import "time"

// A Workspace is a closed set of documents with everything made of it. What is in one is unknown in the others.
type Workspace struct {
	ID         WorkspaceID
	Name       string // in addresses and commands: small letters, digits and dashes
	Title      string // as people read it
	About      string // what is in it, in a sentence; may be ""
	CreatedAt  time.Time
	ArchivedAt time.Time // zero unless it can only be read
	DeleteAt   time.Time // when it is deleted for good; zero if it stays
}

// A Membership is what an account may do in a workspace.
type Membership struct {
	Workspace WorkspaceID
	Account   string
	Role      Role
	BySignOn  bool // given by a provider of sign-on, which takes it away again
	AddedAt   time.Time
}
