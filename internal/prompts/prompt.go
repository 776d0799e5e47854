// Package prompts keeps the texts that roles send to models: the built-in ones, which are next to the
// code that uses them, and the versions edited in a workspace. In both, texts from outside stay in
// fences.
package prompts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"text/template"

	"github.com/clewhq/clew/internal/domain"
)

// Prompt is a role's message to a model: a text of templates, {{define "system"}}
// and so on, one for each part.
type Prompt struct {
	Role    string // "grade"
	About   string // the role's task, in a sentence
	Version string // of the built-in text: must change with every word, because model calls are recorded under it
	Builtin string // the text
	Parts   []Part
}

// Part is a template of a prompt.
type Part struct {
	Name   string
	About  string // the message it makes
	System bool   // it ends with the explanation of fences, unless its text already has it
	Data   any    // a value of the template's type: a struct whose fields are tagged with about, and with need if a prompt must have them
}

// The parts of a prompt that is one message after instructions.
const (
	SystemPart = "system"
	UserPart   = "user"
)

// Message returns the parts of a prompt that is one message after instructions,
// each with a value of the type that its template gets. about says what the
// message holds.
func Message(system, user any, about string) []Part {
	return []Part{
		{Name: SystemPart, About: "the instructions", System: true, Data: system},
		{Name: UserPart, About: about, Data: user},
	}
}

// maxText bounds the text of a prompt, in bytes.
const maxText = 64 << 10

// functions are the only functions that templates can call, besides comparisons.
var functions = template.FuncMap{
	"join": strings.Join,
	"rule": func() string { return fenceRule },
	"json": func(v any) (string, error) {
		b, err := json.Marshal(v)
		return string(b), err
	},
}

// Text is a prompt that can be filled in.
type Text struct {
	// Version identifies the text. Recorded model calls are kept under it.
	Version string

	prompt    Prompt
	templates *template.Template
	fences    Fences
}

// In returns the text with the fences of a workspace.
func (t *Text) In(w domain.WorkspaceID) (*Text, error) {
	of := *t
	var err error
	of.fences, err = t.fences.In(w)
	return &of, err
}

// Render fills in a part. data is of the part's type.
func (t *Text) Render(part string, data any) (string, error) {
	p, ok := t.prompt.part(part)
	if !ok || reflect.TypeOf(data) != reflect.TypeOf(p.Data) {
		return "", fmt.Errorf("prompts: %s has no part %s with data %T", t.prompt.Role, part, data)
	}
	text, err := t.fill(p, data)
	if err != nil {
		return "", domain.Because(domain.Invalid, err, "The part %s of the prompt %s can't be filled in: %v.", part, t.prompt.Role, err)
	}
	return text, nil
}

func (t *Text) fill(p Part, data any) (string, error) {
	var b bounded
	if err := t.templates.ExecuteTemplate(&b, p.Name, data); err != nil {
		return "", err
	}
	text, err := t.fences.mark(b.String())
	if text = strings.TrimSpace(text); p.System && !strings.Contains(text, fenceRule) {
		text += "\n" + fenceRule
	}
	return text, err
}

// maxMessage bounds a message, in bytes: more than the longest context of a model.
const maxMessage = 16 << 20

// bounded is a builder that refuses too long a text.
type bounded struct{ strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxMessage {
		return 0, fmt.Errorf("the message is longer than %d bytes", maxMessage)
	}
	return b.Builder.Write(p)
}

func (p Prompt) part(name string) (Part, bool) {
	for _, part := range p.Parts {
		if part.Name == name {
			return part, true
		}
	}
	return Part{}, false
}

// Variable is something that a part can say, such as .Passages.Text.
type Variable struct {
	Path    string `json:"name"`
	About   string `json:"about"`
	Needed  bool   `json:"needed,omitempty"`  // a prompt without it is rejected
	Outside bool   `json:"outside,omitempty"` // it is put in a fence
	List    bool   `json:"list,omitempty"`    // for use in {{range}}
}

// Variables lists the variables of a part. Those of a list's items follow it.
func (p Part) Variables() []Variable { return variables("", reflect.TypeOf(p.Data)) }

func variables(path string, t reflect.Type) []Variable {
	var all []Variable
	for f := range t.Fields() {
		v := Variable{
			Path: path + "." + f.Name, About: f.Tag.Get("about"), Needed: f.Tag.Get("need") == "yes",
			Outside: f.Type == outsideType || f.Type == reflect.SliceOf(outsideType), List: f.Type.Kind() == reflect.Slice,
		}
		all = append(all, v)
		if v.List && f.Type.Elem().Kind() == reflect.Struct {
			all = append(all, variables(v.Path, f.Type.Elem())...)
		}
	}
	return all
}

// Use returns the variable as a template writes it. A variable of a list's items has its name within {{range}}.
func (v Variable) Use() string {
	name := v.Path[strings.LastIndex(v.Path, "."):]
	if v.List {
		return "{{range " + name + "}}{{end}}"
	}
	return "{{" + name + "}}"
}

var outsideType = reflect.TypeFor[Outside]()
