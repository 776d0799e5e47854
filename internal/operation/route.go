package operation

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// A Route is an address of the API.
type Route struct {
	Method string
	Path   string   // with names of fields in braces
	Names  []string // the names in it
}

// ParseRoute parses a method and a path such as "GET /documents/{document}".
func ParseRoute(text string) Route {
	method, path, _ := strings.Cut(text, " ")
	r := Route{Method: method, Path: path}
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			r.Names = append(r.Names, strings.TrimSuffix(name, "}"))
		}
	}
	return r
}

// HasBody reports whether fields outside the path are sent as a JSON body instead of in the query.
func (r Route) HasBody() bool {
	return r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch
}

// A Target is a request to the API.
type Target struct {
	Method string
	Path   string         // escaped
	Query  url.Values     // of a request without a body
	Body   map[string]any // fields by their JSON names; nil without a body
	Files  map[string][]File
}

// Target returns the request that carries out an operation with an input. in points to an operation's input struct.
// Fields with the value they have when omitted are not sent.
func (r Route) Target(in any) Target {
	t := Target{Method: r.Method, Path: r.Path, Query: url.Values{}, Files: map[string][]File{}}
	if r.HasBody() {
		t.Body = map[string]any{}
	}
	from := reflect.ValueOf(in).Elem()
	for _, f := range Fields(from.Type()) {
		v := from.FieldByIndex(f.Index)
		if f.To {
			continue
		}
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				continue
			}
			v = v.Elem()
		}
		switch files := v.Interface().(type) {
		case File:
			if files.Open != nil {
				t.Files[f.Name] = []File{files}
			}
			continue
		case []File:
			t.Files[f.Name] = files
			continue
		}
		given := texts(v)
		switch {
		case slices.Contains(r.Names, f.Name):
			for i := range given {
				given[i] = url.PathEscape(given[i])
			}
			t.Path = strings.ReplaceAll(t.Path, "{"+f.Name+"}", strings.Join(given, ","))
		case f.Type.Kind() != reflect.Pointer && !f.Needed && (len(given) == 0 || len(given) == 1 && given[0] == f.Default || f.Default == "" && v.IsZero()):
		case t.Body != nil:
			t.Body[f.Name] = v.Interface()
		default:
			t.Query[f.Name] = given
		}
	}
	return t
}

// Form returns the fields of the body as a form sends them.
func (t Target) Form() url.Values {
	form := url.Values{}
	for name, v := range t.Body {
		form[name] = texts(reflect.ValueOf(v))
	}
	return form
}

// texts returns the values of a field in the form that Field.Set reads.
func texts(v reflect.Value) []string {
	if v.Kind() != reflect.Slice {
		return []string{fmt.Sprint(v.Interface())}
	}
	list := make([]string, v.Len())
	for i := range list {
		list[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return list
}

// A Tool is an operation as models call it: with few fields, some of them under names that models know.
type Tool struct {
	Name, Title, About string
	Fields             string // names of its fields, separated by spaces; "query=question" takes question as query
	Destroys           bool   // a call may lose data
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
