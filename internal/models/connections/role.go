package connections

import "strings"

// A Role is a purpose for which a model can be connected.
type Role string

// The roles. Each but Describe and Embed is filled by the model of Answer unless it has its own.
const (
	Answer   Role = "answer"
	Extract  Role = "extract"
	Grade    Role = "grade"
	Rewrite  Role = "rewrite"
	Summary  Role = "summary"
	Describe Role = "describe"
	Embed    Role = "embed"
)

// Roles lists the roles in the order of pages.
func Roles() []Role { return []Role{Answer, Extract, Grade, Rewrite, Summary, Describe, Embed} }

// Shares reports whether the role is filled by the model of Answer where it has none of its own.
func (r Role) Shares() bool { return r != Answer && r != Describe && r != Embed }

// titles name the roles on pages and in commands.
var titles = map[Role]string{
	Answer:   "Answers, and every task without its own model",
	Extract:  "Reading documents",
	Grade:    "Grading and checking",
	Rewrite:  "Rewriting questions",
	Summary:  "Summaries",
	Describe: "Describing pictures",
	Embed:    "Search by meaning",
}

// Title names a role on pages and in commands.
func (r Role) Title() string { return titles[r] }

// Settings returns the prefix of the role's settings.
func (r Role) Settings() string {
	if r == Answer {
		return "LLM"
	}
	return strings.ToUpper(string(r))
}
