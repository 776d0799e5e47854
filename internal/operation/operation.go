// Package operation describes everything a person or a program can do with a library, each action
// once: as a typed function with its input struct and its result. Commands, routes of the API and
// tools of models are made from these descriptions.
//
// The tags of an operation's input struct define how its fields are given:
//
//	json     name of the field and, with dashes, of the flag
//	doc      its meaning; for a [Wait], the thing waited for
//	default  value if none is given
//	arg      it is a positional argument, shown so: NAME, [NAME] if optional, NAME... and [NAME…] for several
//	words    all arguments, with spaces between them
//	file     it is read from a file with at most this number of bytes
//	at       =@ in a value of a list precedes the name of a file, with at most this number of bytes, instead of a text
//	flag     name of its flag, if it is not the name of the field with dashes
//	letter   letter of its short flag
//	blank    it may be blank although it is an argument that must be given
//	missing  sentence shown if the only argument of a command is missing
//	wrong    sentence for an invalid number
//	secret   it is typed, and never shown
//	whole    each value of a list is given separately, and may contain commas
//	to       it names the file to which a command writes its output, - for standard output; programs don't give it
//	with     name of a group of fields that are given together
//	xor      name of a group of fields of which at most one is given
//	trail    its value is recorded in the trail, which must never contain words of documents or questions; "name" records only what
//	         precedes the =, and "how" records it as a detail of the operation instead of its object
package operation

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A Scope is a kind of access to a library. A program has the scopes of its token; whoever runs commands on the library
// has all.
type Scope string

// The scopes.
const (
	Read            Scope = "read"             // look at the library
	Ask             Scope = "ask"              // ask questions, keep conversations, begin and stop runs
	Summarize       Scope = "summarize"        // have summaries written
	WriteDocuments  Scope = "documents:write"  // add and change documents
	DeleteDocuments Scope = "documents:delete" // delete documents and their versions
	WriteGraph      Scope = "graph:write"      // change entities and relations
	WriteSchema     Scope = "schema:write"     // change the guides of extraction
	Evaluate        Scope = "evaluate"         // keep questions, and run evaluations
	Admin           Scope = "admin"            // manage the workspace: its members, tokens, settings and costs
	Install         Scope = "install"          // manage the installation: its accounts, health, backups and workspaces
	Metrics         Scope = "metrics"          // read metrics of the program

	Any Scope = "any" // for operations that every token allows
)

// Scopes returns all scopes that a token can have.
func Scopes() []Scope {
	return []Scope{Read, Ask, Summarize, WriteDocuments, DeleteDocuments, WriteGraph, WriteSchema, Evaluate, Admin, Install, Metrics}
}

// abouts say what a program with a scope may do.
var abouts = map[Scope]string{
	Read:            "look at documents, passages, the graph, answers and runs",
	Ask:             "ask questions, keep conversations, begin and stop runs",
	Summarize:       "write summaries",
	WriteDocuments:  "add and change documents",
	DeleteDocuments: "delete documents, and earlier versions of them",
	WriteGraph:      "merge, split and edit entities and relations",
	WriteSchema:     "change the schema and the prompts that guide extraction",
	Evaluate:        "keep questions for evaluations, and run these",
	Admin:           "manage the workspace: its members, tokens, webhooks and costs",
	Install:         "manage the installation: its models, settings, accounts, workspaces, health and backups",
	Metrics:         "read the program's metrics, which cover all workspaces",
}

// About describes what a program with the scope may do.
func (s Scope) About() string { return abouts[s] }

// Role returns the lowest role that has the scope.
func (s Scope) Role() domain.Role {
	switch s {
	case Read, Ask, Any:
		return domain.Reader
	case Summarize, WriteDocuments:
		return domain.Contributor
	case DeleteDocuments, WriteGraph, WriteSchema, Evaluate:
		return domain.Curator
	case Admin:
		return domain.Admin
	}
	return domain.Owner
}

// Check fails with kind Forbidden if a member with the role lacks the scope, and with kind NotFound for a stranger. Without
// accounts, the role is "" and has all scopes.
func (s Scope) Check(role domain.Role) error { return CheckRole(role, s.Role()) }

// CheckRole fails like [Scope.Check] unless a role is at least another one.
func CheckRole(role, least domain.Role) error {
	switch {
	case role == "" || role.Includes(least):
		return nil
	case !role.Includes(domain.Reader):
		return domain.Errorf(domain.NotFound, "There is no such workspace, or you are not a member of it.")
	case least == domain.Owner:
		return domain.Errorf(domain.Forbidden, "As %s you may not do that: it is for owners of this installation.", role)
	}
	return domain.Errorf(domain.Forbidden, "As %s you may not do that: it is for the role %s and above. Ask an admin of this workspace.", role, least)
}

// Access reports what the caller of a context may do.
type Access interface {
	May(ctx context.Context, s Scope) error
}

// Op is an operation on a service S.
type Op[S, In, Out any] struct {
	Name    string // words of the command, such as "documents rename"
	Short   string // what it does, in a line
	Long    string // the same in detail; Short if ""
	Example string
	JSON    string // the words after "print a JSON object" or "array"
	Scope   Scope
	Routes  []string // methods and paths in the API, such as "GET /documents/{document}", with names of fields of In
	Apart   string   // why it has no route
	Tool    Tool     // for models; they don't get it without a name
	Own     bool     // its command is written by hand: it works and prints at the same time
	Waits   bool     // its command waits until the work it starts has ended, and has no flag for how long
	Trail   Trail    // what is recorded about it in the trail

	Do   func(s S, ctx context.Context, in In) (Out, error)
	Ask  func(s S, ctx context.Context, in In) (question string, err error) // asked before Do; may be nil or return ""
	Text func(w io.Writer, out Out) error                                   // prints for people; nil prints its String
}

// Nothing is the output of an operation that returns nothing.
type Nothing struct{}

// Made is the output of an operation that makes a file. Commands write it to the named file, or to standard output if the
// name is -.
type Made struct {
	Name  string
	Type  string // media type
	Write func(io.Writer) error
}

// Begun is implemented by outputs that describe work which continues after the operation.
type Begun interface {
	At() string // path in the API for following its progress; "" if it has ended
}

// A Wait is how many seconds a caller waits for what an operation begins: from 0 to [MaxWait], which is checked before the
// operation is carried out.
type Wait int

// MaxWait is the longest wait.
const MaxWait Wait = 300

// Duration returns the wait as a duration.
func (w Wait) Duration() time.Duration { return time.Duration(w) * time.Second }

// check fails with kind Invalid if the wait is out of bounds.
func (w Wait) check() error {
	if w < 0 || w > MaxWait {
		return domain.Errorf(domain.Invalid, "You can wait for 0 to %d seconds, not %d.", MaxWait, w)
	}
	return nil
}

// waitOf returns a function that returns the Wait of an input, or 0 if inputs of the type have none.
func waitOf[In any]() func(in *In) Wait {
	for _, f := range Fields(reflect.TypeFor[In]()) {
		if f.Type == reflect.TypeFor[Wait]() {
			return func(in *In) Wait { return Wait(reflect.ValueOf(in).Elem().FieldByIndex(f.Index).Int()) }
		}
	}
	return func(*In) Wait { return 0 }
}

// filled reports whether a field must not be blank.
func (f Field) filled() bool { return f.Needed && !f.Blank && !f.To && f.File == "" }

// counts reports whether a field is a limit or an offset.
func (f Field) counts() bool {
	return (f.Name == "limit" || f.Name == "offset") && f.Type.Kind() == reflect.Int
}

// fitOf returns the check of an input that fails with kind Invalid if a field that is needed is blank, or has a blank value,
// and if a limit or an offset is negative. Files, and texts read from them, are left to the operation.
func fitOf[In any]() func(in *In) error {
	fields := slices.DeleteFunc(Fields(reflect.TypeFor[In]()), func(f Field) bool { return !f.counts() && !f.filled() })
	return func(in *In) error {
		for _, f := range fields {
			value := reflect.ValueOf(in).Elem().FieldByIndex(f.Index)
			blank := value.Kind() == reflect.String && strings.TrimSpace(value.String()) == ""
			for i := 0; value.Kind() == reflect.Slice && i < value.Len(); i++ {
				blank = blank || strings.TrimSpace(value.Index(i).String()) == ""
			}
			switch {
			case blank && f.filled():
				return domain.Errorf(domain.Invalid, "Nothing was given for %s: %s.", strings.ReplaceAll(f.Name, "_", " "), f.Doc)
			case f.counts() && value.Int() < 0:
				return domain.Errorf(domain.Invalid, "The %s is %d, but it can't be less than 0.", f.Name, value.Int())
			}
		}
		return nil
	}
}

// lookEvery is how often work that is waited for is looked at.
const lookEvery = 200 * time.Millisecond

// Await calls look until the work that it returns has ended, at most for the wait, and returns the work as it was last.
func Await[T Begun](ctx context.Context, wait Wait, look func() (T, error)) (T, error) {
	waiting, cancel := context.WithTimeout(ctx, wait.Duration())
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		work, err := look()
		if err != nil || work.At() == "" {
			return work, err
		}
		select {
		case <-waiting.Done():
			return work, ctx.Err()
		case <-tick.C:
		}
	}
}

// Carried is implemented by Begun outputs of runs that a command carries out itself, unless another process does.
type Carried interface {
	Runs() []domain.RunID
}

// Progressing is implemented by Begun outputs that say in a line how far the work is.
type Progressing interface {
	Progress() string
}

// A Finding is an output that may say that something is wrong. Commands print it and fail with its error.
type Finding interface {
	Wrong() error
}

// A Page is part of a list. Commands print only its items as JSON.
type Page[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// Array returns the items.
func (p Page[T]) Array() any { return p.Items }

// Operation is an Op on a service S with its input and output types erased.
type Operation[S any] interface {
	Row() Row[S]
}

// Row is an Op without its type parameters. In its functions, in points to a value of the type In, and out has the type
// Out.
type Row[S any] struct {
	Name, Short, Long, Example, JSON string
	Scope                            Scope
	Routes                           []string
	Apart                            string
	Tool                             Tool
	Own, Waits                       bool
	Trail                            Trail

	In, Out reflect.Type
	Do      func(ctx context.Context, s S, in any) (out any, err error)
	Ask     func(ctx context.Context, s S, in any) (string, error) // nil if it asks nothing
	Text    func(w io.Writer, out any) error
}

// Row implements Operation.
func (o Op[S, In, Out]) Row() Row[S] {
	wait, fit := waitOf[In](), fitOf[In]()
	r := Row[S]{
		Name: o.Name, Short: o.Short, Long: o.Long, Example: o.Example, JSON: o.JSON, Scope: o.Scope, Routes: o.Routes, Apart: o.Apart, Tool: o.Tool, Own: o.Own, Waits: o.Waits, Trail: o.Trail,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Do: func(ctx context.Context, s S, in any) (any, error) {
			if err := cmp.Or(wait(in.(*In)).check(), fit(in.(*In))); err != nil {
				return nil, err
			}
			return o.Do(s, ctx, *in.(*In))
		},
		Text: func(w io.Writer, out any) error {
			if o.Text != nil {
				return o.Text(w, out.(Out))
			}
			if text, ok := out.(fmt.Stringer); ok {
				_, err := fmt.Fprintln(w, text)
				return err
			}
			return nil
		},
	}
	if o.Ask != nil {
		r.Ask = func(ctx context.Context, s S, in any) (string, error) { return o.Ask(s, ctx, *in.(*In)) }
	}
	return r
}

// On adapts operations on a service S to a T that holds the service.
func On[T, S any](service func(T) S, all []Operation[S]) []Row[T] {
	return lists.Map(all, func(o Operation[S]) Row[T] { return over(o.Row(), service) })
}

// Bind returns r with its service filled in.
func Bind[S any](service S, r Row[S]) Row[struct{}] {
	return over(r, func(struct{}) S { return service })
}

func over[T, S any](r Row[S], service func(T) S) Row[T] {
	row := Row[T]{
		Name: r.Name, Short: r.Short, Long: r.Long, Example: r.Example, JSON: r.JSON, Scope: r.Scope, Routes: r.Routes, Apart: r.Apart, Tool: r.Tool, Own: r.Own, Waits: r.Waits, Trail: r.Trail, In: r.In, Out: r.Out, Text: r.Text,
		Do: func(ctx context.Context, t T, in any) (any, error) { return r.Do(ctx, service(t), in) },
	}
	if r.Ask != nil {
		row.Ask = func(ctx context.Context, t T, in any) (string, error) { return r.Ask(ctx, service(t), in) }
	}
	return row
}

// Lists reports whether the operation returns a list, which is an array in JSON.
func (r Row[S]) Lists() bool {
	page := r.Out.Implements(reflect.TypeFor[interface{ Array() any }]())
	return page || r.Out.Kind() == reflect.Slice
}

// Begins reports whether the output may describe work that continues.
func (r Row[S]) Begins() bool { return r.Out.Implements(reflect.TypeFor[Begun]()) }

// Table returns a Text that prints one line per element, in columns, below head, whose names are separated by tabs; head
// is omitted if "". For an empty list it prints only none, unless that is "".
func Table[T any](head, none string, row func(T) []any) func(io.Writer, []T) error {
	return func(w io.Writer, list []T) error {
		if len(list) == 0 && none != "" {
			_, err := fmt.Fprintln(w, none)
			return err
		}
		return Columns(w, head, func(line func(...any)) {
			for _, one := range list {
				line(row(one)...)
			}
		})
	}
}

// TableOf returns a Text like that of Table whose columns are the fields of T with a tag column, in their order: the tag is the heading.
func TableOf[T any](none string) func(io.Writer, []T) error {
	var heads []string
	var fields []int
	for i, t := 0, reflect.TypeFor[T](); i < t.NumField(); i++ {
		if head := t.Field(i).Tag.Get("column"); head != "" {
			heads, fields = append(heads, head), append(fields, i)
		}
	}
	return Table(strings.Join(heads, "\t"), none, func(one T) []any {
		return lists.Map(fields, func(field int) any { return cell(reflect.ValueOf(one).Field(field).Interface()) })
	})
}

// cell returns a value as a table shows it.
func cell(v any) any {
	switch v := v.(type) {
	case []string:
		return strings.Join(v, ", ")
	case time.Time:
		return v.Format(time.DateOnly)
	}
	return v
}

// Columns prints lines in columns below a heading, which is omitted if "".
func Columns(w io.Writer, head string, lines func(line func(cells ...any))) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if head != "" {
		fmt.Fprintln(table, head)
	}
	lines(func(cells ...any) {
		fmt.Fprintf(table, strings.Repeat("%v\t", len(cells)-1)+"%v\n", cells...)
	})
	return table.Flush()
}

// Line returns a Text that prints say's result on a line, or nothing for "".
func Line[T any](say func(T) string) func(io.Writer, T) error {
	return func(w io.Writer, out T) error {
		line := say(out)
		if line == "" {
			return nil
		}
		_, err := fmt.Fprintln(w, line)
		return err
	}
}
