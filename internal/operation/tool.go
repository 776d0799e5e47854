package operation

import "strings"

// A Tool is an operation as models call it: with few fields, some of them under names that models know.
type Tool struct {
	Name, Title, About string
	Fields             string // names of the fields that it takes, separated by spaces; "query=question" takes question as query
	Destroys           bool   // a call may lose something
}

// Names returns the tool's names for its fields, by the names of the fields.
func (t Tool) Names() map[string]string {
	names := map[string]string{}
	for field := range strings.FieldsSeq(t.Fields) {
		as, name, renamed := strings.Cut(field, "=")
		if !renamed {
			name = as
		}
		names[name] = as
	}
	return names
}

// Keeps reports whether operations with the scope leave a workspace as it is, so that they are allowed in an archived
// one.
func (s Scope) Keeps() bool { return s == Read || s == Metrics || s == Install || s == Any }

// Writes reports whether what needs the scope changes the library.
func (s Scope) Writes() bool { return s != Read && s != Ask && s != Metrics }
