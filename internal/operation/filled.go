package operation

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// Filled returns a copy of an output in which no slice and no map is nil, at any depth, so that its JSON has [] and {} where
// nothing is, and never null. Fields that JSON omits when they are empty stay as they are.
func Filled(out any) any {
	if out == nil {
		return nil
	}
	v := reflect.New(reflect.TypeOf(out)).Elem()
	v.Set(reflect.ValueOf(out))
	fill(v)
	return v.Interface()
}

// fill replaces nil slices and maps in v, which may be set. It copies what v points to first, because others may read
// it.
func fill(v reflect.Value) {
	t := v.Type()
	if says(t) || says(reflect.PointerTo(t)) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); (f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct) && !(omitted(f) && v.Field(i).IsZero()) {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		to := reflect.MakeSlice(t, v.Len(), v.Len())
		reflect.Copy(to, v)
		for i := range to.Len() {
			fill(to.Index(i))
		}
		v.Set(to)
	case reflect.Map:
		to := reflect.MakeMapWithSize(t, v.Len())
		for key, value := range v.Seq2() {
			to.SetMapIndex(key, copied(value))
		}
		v.Set(to)
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(t.Elem())
			to.Elem().Set(copied(v.Elem()))
			v.Set(to)
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(copied(v.Elem()))
		}
	}
}

// copied returns a filled copy.
func copied(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	fill(to)
	return to
}

// says reports whether a type has its own JSON encoding.
func says(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// omitted reports whether JSON omits a field that is empty.
func omitted(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
}
