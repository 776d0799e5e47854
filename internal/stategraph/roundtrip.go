package stategraph

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// survives reports what of a type would be lost, in silence or with an error,
// between writing a value as JSON and reading it back.
func survives(t reflect.Type) error {
	w := walker{seen: map[reflect.Type]bool{}}
	w.walk(t, t.String())
	return errors.Join(w.errs...)
}

// walker collects the parts of a type that JSON loses, each type once.
type walker struct {
	seen map[reflect.Type]bool
	errs []error
}

func (w *walker) refuse(path, why string) {
	w.errs = append(w.errs, fmt.Errorf("%s %s", path, why))
}

func (w *walker) walk(t reflect.Type, path string) {
	writes, reads := codec(t)
	if w.seen[t] || writes && reads {
		return
	}
	w.seen[t] = true
	if writes {
		w.refuse(path, "encodes itself and has no method to decode itself")
		return
	}
	switch t.Kind() {
	case reflect.Interface:
		w.refuse(path, "is an interface: its type would be forgotten")
	case reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		w.refuse(path, "is a "+t.Kind().String()+", which JSON can't hold")
	case reflect.Pointer, reflect.Slice, reflect.Array:
		w.walk(t.Elem(), path)
	case reflect.Map:
		w.key(t.Key(), path)
		w.walk(t.Elem(), path)
	case reflect.Struct:
		w.members(t, path, map[string]bool{})
	}
}

// members walks the fields of a struct, those of embedded structs included:
// they become members of one JSON object and must not share names.
func (w *walker) members(t reflect.Type, path string, names map[string]bool) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		within := path + "." + f.Name
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			w.members(f.Type, within, names)
			continue
		case !f.IsExported():
			w.refuse(within, "is not exported")
			continue
		case f.Tag.Get("json") == "-":
			w.refuse(within, "is left out of JSON by its tag")
			continue
		case name == "":
			name = f.Name
		}
		if names[name] {
			w.refuse(within, fmt.Sprintf("has the JSON name %q of another field", name))
		}
		names[name] = true
		w.walk(f.Type, within)
	}
}

func (w *walker) key(t reflect.Type, path string) {
	writes, reads := codec(t)
	if kind := t.Kind(); kind != reflect.String && (kind < reflect.Int || kind > reflect.Uintptr) && !(writes && reads) {
		w.refuse(path, "is a map whose keys JSON can't hold")
	}
}

// codec reports whether a type encodes itself, and whether it decodes itself.
func codec(t reflect.Type) (writes, reads bool) {
	if t.Kind() == reflect.Interface {
		return false, false
	}
	p := reflect.PointerTo(t)
	return implements[json.Marshaler](p) || implements[encoding.TextMarshaler](p),
		implements[json.Unmarshaler](p) || implements[encoding.TextUnmarshaler](p)
}

func implements[I any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[I]()) }
