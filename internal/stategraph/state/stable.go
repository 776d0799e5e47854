package state

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// volatileTag marks a member of a state's types whose value differs between runs
// that do the same, such as a duration: `volatile:"true"`.
const volatileTag = "volatile"

// Stable returns an encoded update, see [Update.MarshalJSON], without its members
// that are marked as volatile: what a run that does the same would write.
func (sc *Schema[S]) Stable(update []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(update, &members); err != nil {
		return nil, fmt.Errorf("decode update: %w", err)
	}
	var u Update[S]
	for _, f := range sc.fields {
		data, ok := members[f.name]
		if !ok || f.volatile() {
			continue
		}
		v, err := f.decode(StandardCodec{}, data)
		if err != nil {
			return nil, fmt.Errorf("decode update: %s%w", f.name, err)
		}
		copied := reflect.New(reflect.TypeOf(v)).Elem()
		copied.Set(reflect.ValueOf(v))
		settle(copied)
		u.writes = append(u.writes, write[S]{f, copied.Interface()})
	}
	return u.MarshalJSON()
}

// volatile reports whether the field itself is marked.
func (f *field[S]) volatile() bool {
	zero := new(S)
	at := reflect.ValueOf(f.at(zero)).Pointer() - reflect.ValueOf(zero).Pointer()
	return markedAt(reflect.TypeFor[S](), at)
}

// markedAt reports whether the innermost member of a struct at an offset is marked.
func markedAt(t reflect.Type, at uintptr) bool {
	for m := range t.Fields() {
		if at < m.Offset || at >= m.Offset+max(1, m.Type.Size()) {
			continue
		}
		if m.Tag.Get(volatileTag) != "" {
			return true
		}
		return m.Type.Kind() == reflect.Struct && markedAt(m.Type, at-m.Offset)
	}
	return false
}

// settle clears the marked members of v, which it owns.
func settle(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			settle(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			settle(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch m := v.Field(i); {
			case !m.CanSet():
			case v.Type().Field(i).Tag.Get(volatileTag) != "":
				m.SetZero()
			default:
				settle(m)
			}
		}
	}
}
