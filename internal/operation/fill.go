package operation

import (
	"cmp"
	"reflect"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
)

// Fill sets the fields of the struct that in points to. given returns the values for a field, or none if it was omitted:
// such a field gets its default, and a pointer stays nil. Files are not read. It fails with kind Invalid if a number
// can't be parsed.
func Fill(in any, given func(Field) []string) error {
	to := reflect.ValueOf(in).Elem()
	for _, f := range Fields(to.Type()) {
		values := given(f)
		if len(values) == 0 && f.Default != "" {
			values = []string{f.Default}
		}
		if len(values) == 0 || f.Type == reflect.TypeFor[File]() {
			continue
		}
		if err := f.Set(to.FieldByIndex(f.Index), values...); err != nil {
			return err
		}
	}
	return nil
}

// Set sets to, the field's place in its struct, to one value or to a list. It panics unless to is a bool, a number, a
// string, a list of strings, or a pointer to one of them. It fails with kind Invalid if a number can't be parsed.
func (f Field) Set(to reflect.Value, values ...string) error {
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	value := values[0]
	switch to.Kind() {
	case reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), len(values), len(values)))
		for i, v := range values {
			to.Index(i).SetString(v)
		}
	case reflect.Bool:
		to.SetBool(value == "true" || value == "on" || value == "1")
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return domain.Errorf(domain.Invalid, cmp.Or(f.Wrong, "%q is not a number."), value)
		}
		to.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return domain.Errorf(domain.Invalid, cmp.Or(f.Wrong, "%q is not a number."), value)
		}
		to.SetFloat(n)
	default:
		to.SetString(value)
	}
	return nil
}
