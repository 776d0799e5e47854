package state

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// SurvivesJSON returns an error that names the parts of a type that would be lost, silently or with an error, in a JSON
// round trip, or nil if there are none.
func SurvivesJSON(t reflect.Type) error {
	w := walker{seen: map[reflect.Type]bool{}}
	w.walk(t, t.String())
	return errors.Join(w.errs...)
}

// walker collects the parts that JSON loses, visiting each type once.
type walker struct {
	seen map[reflect.Type]bool
	errs []error
}

func (w *walker) add(format string, args ...any) {
	w.errs = append(w.errs, fmt.Errorf(format, args...))
}

func (w *walker) walk(t reflect.Type, path string) {
	writes, reads := selfCoding(t)
	if w.seen[t] || writes && reads {
		return
	}
	w.seen[t] = true
	if writes {
		w.add("%s encodes itself and has no method to decode itself", path)
		return
	}
	switch t.Kind() {
	case reflect.Interface:
		w.add("%s is an interface: its type would be forgotten", path)
	case reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		w.add("%s is a %s, which JSON can't hold", path, t.Kind())
	case reflect.Pointer:
		if kind := t.Elem().Kind(); kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map {
			w.add("%s is a pointer to a %s: JSON takes one to nil for nil", path, kind)
		}
		w.walk(t.Elem(), path)
	case reflect.Slice, reflect.Array:
		w.walk(t.Elem(), path)
	case reflect.Map:
		w.key(t.Key(), path)
		w.walk(t.Elem(), path)
	case reflect.Struct:
		w.members(t, path, map[string]bool{})
	}
}

// members walks the fields of a struct and its embedded structs, which become
// members of one JSON object and must not share names.
func (w *walker) members(t reflect.Type, path string, names map[string]bool) {
	for f := range t.Fields() {
		within := path + "." + f.Name
		name, named := member(f)
		switch {
		case f.Anonymous && !named && f.Type.Kind() == reflect.Struct:
			w.members(f.Type, within, names)
			continue
		case !f.IsExported():
			w.add("%s is not exported", within)
			continue
		case f.Tag.Get("json") == "-":
			w.add("%s is left out of JSON by its tag", within)
			continue
		}
		if names[name] {
			w.add("%s has the JSON name %q of another field", within, name)
		}
		names[name] = true
		w.walk(f.Type, within)
	}
}

func (w *walker) key(t reflect.Type, path string) {
	writes, reads := selfCoding(t)
	if kind := t.Kind(); kind != reflect.String && (kind < reflect.Int || kind > reflect.Uintptr) && !(writes && reads) {
		w.add("%s is a map whose keys JSON can't hold", path)
	}
}

// member returns the JSON name of a struct field, and whether its tag sets it.
func member(f reflect.StructField) (name string, named bool) {
	if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
		return name, true
	}
	return f.Name, false
}

// selfCoding reports whether a type encodes itself, and whether it decodes itself.
func selfCoding(t reflect.Type) (writes, reads bool) {
	if t.Kind() == reflect.Interface {
		return false, false
	}
	p := reflect.PointerTo(t)
	return implements[json.Marshaler](p) || implements[encoding.TextMarshaler](p),
		implements[json.Unmarshaler](p) || implements[encoding.TextUnmarshaler](p)
}

func implements[I any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[I]()) }
