package domain

// A Role says what an account may do.
type Role string

// The roles.
const (
	Owner  Role = "owner"  // everything
	Member Role = "member" // everything but backups, checks, rebuilds, settings and other accounts
)
