package connections

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

// Title names a role on pages and in commands.
func (r Role) Title() string {
	switch r {
	case Answer:
		return "Answers, and every task without its own model"
	case Extract:
		return "Reading documents"
	case Grade:
		return "Grading and checking"
	case Rewrite:
		return "Rewriting questions"
	case Summary:
		return "Summaries"
	case Describe:
		return "Describing pictures"
	case Embed:
		return "Search by meaning"
	}
	return ""
}

// Settings returns the prefix of the role's settings.
func (r Role) Settings() string {
	switch r {
	case Answer:
		return "LLM"
	case Extract:
		return "EXTRACT"
	case Grade:
		return "GRADE"
	case Rewrite:
		return "REWRITE"
	case Summary:
		return "SUMMARY"
	case Describe:
		return "DESCRIBE"
	}
	return "EMBED"
}
