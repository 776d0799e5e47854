package connections

// A Role is a purpose for which a model can be connected.
type Role string

// The roles. Each but Embed is filled by the model of Answer unless it has its own.
const (
	Answer  Role = "answer"
	Extract Role = "extract"
	Grade   Role = "grade"
	Rewrite Role = "rewrite"
	Summary Role = "summary"
	Embed   Role = "embed"
)

// Roles lists the roles in the order of pages.
func Roles() []Role { return []Role{Answer, Extract, Grade, Rewrite, Summary, Embed} }

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
	}
	return "EMBED"
}
