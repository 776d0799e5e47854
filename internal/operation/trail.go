package operation

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// A Trail selects what the trail of an installation records of an operation. Every change is recorded, with the ids
// among the fields of its input and those that have the tag trail; conversations and questions are not, but their
// deletion is.
type Trail struct {
	Kept  bool   // recorded as an exception: it takes something out of the library, or shows it to others
	Never string // why it is never recorded
	Named bool   // recorded only if its input names something; if not, it only looks
}

// Trailed reports whether the operation is recorded with its caller.
func (r Row[S]) Trailed() bool {
	has := func(method string) bool {
		return slices.ContainsFunc(r.Routes, func(route string) bool { return ParseRoute(route).Method == method })
	}
	looks := len(r.Routes) > 0 && !slices.ContainsFunc(r.Routes, func(route string) bool { return ParseRoute(route).Method != http.MethodGet })
	switch {
	case r.Trail.Kept:
		return true
	case r.Trail.Never != "":
		return false
	case r.Scope.Writes():
		return !looks
	}
	return r.Scope == Ask && has(http.MethodDelete)
}

// Things returns the trail's record of an operation with an input and an output: the things that it is about, and how
// it was carried out, as name=value. It contains only ids, numbers, and fields with the tag trail: no words of
// documents. in points to the input; out may be nil.
func Things(in, out any) (things, how []string) {
	of := reflect.ValueOf(in).Elem()
	things, how = ThingsOf(of.Type(), func(f Field) []string { return said(of.FieldByIndex(f.Index)) })
	return made(things, reflect.ValueOf(out), mostDeep), how
}

// ThingsOf is Things for an input of a type whose fields have the given values.
func ThingsOf(in reflect.Type, values func(Field) []string) (things, how []string) {
	for _, f := range Fields(in) {
		if f.Secret {
			continue
		}
		for _, value := range values(f) {
			if f.TrailName {
				value, _, _ = strings.Cut(value, "=")
			}
			switch {
			case value == "" || f.Trail && f.Arg == "" && (value == f.Default || value == "false" || value == "0"):
			case f.Trail && (f.Arg == "" || f.TrailHow), f.Arg != "" && isNumber(f.Type):
				how = append(how, f.Name+"="+value)
			case f.Trail || IsID(value):
				things = append(things, value)
			}
		}
	}
	return things, how
}

// said returns the values of a field that holds words, numbers or a choice.
func said(v reflect.Value) []string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Map:
		return nil
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, said(v.Index(i))...)
		}
		return all
	}
	return []string{fmt.Sprint(v.Interface())}
}

// What made looks at of an output.
const (
	mostDeep = 3   // nesting of lists and structs
	mostMade = 200 // ids
)

// made adds the ids in an output to things, and what has the tag trail.
func made(things []string, out reflect.Value, deep int) []string {
	for out.Kind() == reflect.Pointer || out.Kind() == reflect.Interface {
		out = out.Elem()
	}
	switch {
	case deep == 0 || len(things) >= mostMade:
	case out.Kind() == reflect.Slice:
		for i := range out.Len() {
			things = made(things, out.Index(i), deep-1)
		}
	case out.Kind() == reflect.Struct:
		for i, t := 0, out.Type(); i < t.NumField(); i++ {
			field, value := t.Field(i), out.Field(i)
			_, tagged := field.Tag.Lookup("trail")
			switch {
			case !field.IsExported() && !field.Anonymous || field.Tag.Get("json") == "-":
			case tagged && value.CanInt():
				if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); value.Int() != 0 {
					things = append(things, fmt.Sprintf("%s %d", name, value.Int()))
				}
			case value.Kind() != reflect.String:
				things = made(things, value, deep)
			case (tagged && value.String() != "" || IsID(value.String())) && !slices.Contains(things, value.String()):
				things = append(things, value.String())
			}
		}
	}
	return things
}

func isNumber(t reflect.Type) bool { return t.Kind() == reflect.Int || t.Kind() == reflect.Int64 }

var id = regexp.MustCompile(`^[a-z]{1,3}[0-9a-f]{12}([0-9a-f]{8}|[0-9a-f]{12})?$`)

// IsID reports whether a text has the form of an id.
func IsID(text string) bool { return id.MatchString(text) }
