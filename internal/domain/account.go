package domain

import "slices"

// A Role determines what an account may do.
type Role string

// The roles in a workspace, each of which includes those before it, and Owner, which includes all in every workspace.
const (
	Stranger    Role = "stranger"    // not a member: may do nothing
	Reader      Role = "reader"      // ask, and read documents and the graph
	Contributor Role = "contributor" // add documents, and have them summarised
	Curator     Role = "curator"     // change the graph, the schema, prompts and evaluations
	Admin       Role = "admin"       // members, tokens, settings and costs
	Owner       Role = "owner"       // health, backups and workspaces
)

// Member is the role of an account that is not an owner. Its memberships determine what it may do.
const Member Role = "member"

// Roles returns the roles that a member of a workspace can have, from the lowest.
func Roles() []Role { return []Role{Reader, Contributor, Curator, Admin} }

// Includes reports whether who has the role may do all that is for another one.
func (r Role) Includes(other Role) bool {
	order := append(Roles(), Owner)
	at := slices.Index(order, r)
	return at >= 0 && at >= slices.Index(order, other)
}

// About describes what the role allows.
func (r Role) About() string {
	switch r {
	case Reader:
		return "asks, reads documents and sees the graph"
	case Contributor:
		return "also adds documents and has them summarised"
	case Curator:
		return "also corrects the graph, the schema and prompts"
	case Admin:
		return "also members, tokens, settings and costs"
	case Owner:
		return "everything in all workspaces, with health and backups"
	case Stranger, Member:
	}
	return "not a member of this workspace"
}
