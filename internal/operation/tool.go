package operation

import "strings"

// A Tool is an operation as models call it: with few fields, some of them under names that models know.
type Tool struct {
	Name, Title, About string
	Fields             string // names of the fields that it takes, separated by spaces; "query=question" takes question as query
	Destroys           bool   // a call may lose something
}

// Names returns what the tool calls the fields that it takes, by their names.
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

// Keeps reports whether what needs the scope leaves a workspace as it is, so that it may be done in an archived one.
func (s Scope) Keeps() bool { return s == Read || s == Metrics || s == Install || s == Any }

// Writes reports whether what needs the scope changes the library.
func (s Scope) Writes() bool { return s != Read && s != Ask && s != Metrics }
