package operation

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// A File is a file passed to an operation.
type File struct {
	Name string // without folders
	Open func() (io.ReadCloser, error)
}

// A Field is a field of an operation's input struct.
type Field struct {
	Name      string // as in JSON
	Doc       string
	Default   string
	Arg       string // as shown among the arguments; "" for a flag
	With      string // group of fields given together
	Xor       string // group of fields of which one is given
	Words     bool   // all arguments
	Several   bool   // any number of values
	Needed    bool   // a required argument, without a default
	Blank     bool   // it may be blank
	Secret    bool
	Whole     bool
	As        string // name of the flag; "" for the field's own
	Letter    string // of a short flag; "" for none
	Missing   string // sentence shown if a single argument is missing
	Wrong     string // sentence for an invalid number, with %q for it
	File      string // maximum bytes read from the file that it names; "" if it does not name one
	To        bool   // it names the file to which a command writes its output; programs get that as their answer
	At        string // maximum bytes read from the file that a value names after =@; "" if it does not name one
	Trail     bool   // recorded in the trail
	TrailName bool   // for name=value, record only the name
	TrailHow  bool   // recorded as how a thing was done, not as the thing
	Type      reflect.Type
	Index     []int // in the struct, see reflect.Value.FieldByIndex
}

// Flag returns the name of the field's flag.
func (f Field) Flag() string { return cmp.Or(f.As, strings.ReplaceAll(f.Name, "_", "-")) }

// Fields returns the fields of a struct that callers can set: those with a JSON name, including those of embedded
// structs.
func Fields(in reflect.Type) []Field {
	var fields []Field
	for _, f := range reflect.VisibleFields(in) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		arg, words := f.Tag.Get("arg"), f.Tag.Get("words") != ""
		_, secret := f.Tag.Lookup("secret")
		_, whole := f.Tag.Lookup("whole")
		_, to := f.Tag.Lookup("to")
		_, blank := f.Tag.Lookup("blank")
		kept, trail := f.Tag.Lookup("trail")
		doc := f.Tag.Get("doc")
		if f.Type == reflect.TypeFor[Wait]() {
			doc = fmt.Sprintf("how many seconds to wait for %s, at most %d; 0 returns at once", doc, MaxWait)
		}
		fields = append(fields, Field{
			Name: name, Doc: doc, Default: f.Tag.Get("default"), Arg: arg, With: f.Tag.Get("with"), Xor: f.Tag.Get("xor"), Words: words,
			Several: words || f.Type.Kind() == reflect.Slice, Needed: arg != "" && !strings.HasPrefix(arg, "[") && !strings.HasSuffix(arg, "]") && f.Tag.Get("default") == "", Blank: blank, Secret: secret, Whole: whole,
			As: f.Tag.Get("flag"), Letter: f.Tag.Get("letter"), At: f.Tag.Get("at"), To: to,
			Missing: f.Tag.Get("missing"), Wrong: f.Tag.Get("wrong"), File: f.Tag.Get("file"), Trail: trail, TrailName: kept == "name", TrailHow: kept == "how", Type: f.Type, Index: f.Index,
		})
	}
	return fields
}
