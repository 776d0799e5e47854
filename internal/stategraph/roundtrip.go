package stategraph

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// survives reports what of a type would be lost between writing a value as
// JSON and reading it back. It walks the type for what encoding/json passes
// over in silence, then sends a value with everything filled in on the trip,
// which tells of names that are used twice and of codecs that don't match.
func survives(t reflect.Type) error {
	w := walker{seen: map[reflect.Type]bool{}}
	w.walk(t, t.String())
	if len(w.errs) > 0 {
		return errors.Join(w.errs...)
	}
	sample := reflect.New(t)
	fill(sample.Elem(), 0)
	data, err := json.Marshal(sample.Interface())
	if err != nil {
		return err
	}
	back := reflect.New(t)
	if err := json.Unmarshal(data, back.Interface()); err != nil {
		return err
	}
	if path := differs(sample.Elem(), back.Elem(), t.String()); path != "" {
		return fmt.Errorf("%s comes back changed", path)
	}
	return nil
}

type walker struct {
	seen map[reflect.Type]bool
	errs []error
}

func (w *walker) refuse(path, why string) {
	w.errs = append(w.errs, fmt.Errorf("%s %s", path, why))
}

func (w *walker) walk(t reflect.Type, path string) {
	if ownCodec(t) || w.seen[t] {
		return
	}
	w.seen[t] = true
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
		for i := range t.NumField() {
			w.field(t.Field(i), path)
		}
	}
}

func (w *walker) field(f reflect.StructField, path string) {
	path += "." + f.Name
	switch {
	case f.Anonymous && f.Type.Kind() == reflect.Struct:
		w.walk(f.Type, path)
	case !f.IsExported():
		w.refuse(path, "is not exported")
	case f.Tag.Get("json") == "-":
		w.refuse(path, "is left out of JSON by its tag")
	default:
		w.walk(f.Type, path)
	}
}

func (w *walker) key(t reflect.Type, path string) {
	switch t.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
	default:
		if !ownCodec(t) {
			w.refuse(path, "is a map whose keys JSON can't hold")
		}
	}
}

// ownCodec reports whether t encodes and decodes itself.
func ownCodec(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	writes := implements[json.Marshaler](p) || implements[encoding.TextMarshaler](p)
	return writes && (implements[json.Unmarshaler](p) || implements[encoding.TextUnmarshaler](p))
}

func implements[I any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[I]()) }

// deepest is how far fill goes into types that contain themselves.
const deepest = 12

// fill gives every part of v a value of its own. What encodes itself is left
// as it is: only its type knows which values it may take.
func fill(v reflect.Value, depth int) {
	if ownCodec(v.Type()) || depth > deepest || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Float32, reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		fillMap(v, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth+1)
		}
	default:
		fillInteger(v)
	}
}

func fillMap(v reflect.Value, depth int) {
	key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	fill(key, depth)
	fill(element, depth)
	v.Set(reflect.MakeMap(v.Type()))
	v.SetMapIndex(key, element)
}

func fillInteger(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	}
}

// differs is the path of the first struct field in which two values differ,
// "" when there is none.
func differs(a, b reflect.Value, path string) string {
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return ""
	}
	if a.Kind() == reflect.Struct && !ownCodec(a.Type()) {
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if found := differs(a.Field(i), b.Field(i), path+"."+strings.TrimSpace(f.Name)); found != "" {
				return found
			}
		}
	}
	return path
}
