package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/clewhq/clew/internal/stategraph/jsontype"
)

// Schema names the fields of a state of type S and says how writes to each are
// merged. Fields are added by [Replace], [Append], [Upsert], [Max] and [Sum];
// a schema is complete before the first graph over it is compiled, and is
// read-only from then on.
type Schema[S any] struct {
	version int
	fields  []*field[S]
	upcasts map[int]func(map[string]json.RawMessage) error
}

// NewSchema is a schema without fields. The version is the state type's own:
// raise it when a field changes its name or its meaning.
func NewSchema[S any](version int) *Schema[S] {
	return &Schema[S]{version: version}
}

// Frozen is the schema as it is, which later additions don't reach.
func (sc *Schema[S]) Frozen() *Schema[S] {
	return &Schema[S]{sc.version, slices.Clone(sc.fields), maps.Clone(sc.upcasts)}
}

// Version is the version given to NewSchema.
func (sc *Schema[S]) Version() int { return sc.version }

// Upcast has f turn what was stored under version from into what version
// from+1 calls it. It is given the members of a whole state, and those of
// updates, which have a member for each field that they write: f changes what
// is there and adds nothing to an update.
func (sc *Schema[S]) Upcast(from int, f func(members map[string]json.RawMessage) error) {
	if sc.upcasts == nil {
		sc.upcasts = map[int]func(map[string]json.RawMessage) error{}
	}
	sc.upcasts[from] = f
}

// upgrade brings members of an earlier version up to the schema's.
func (sc *Schema[S]) upgrade(members map[string]json.RawMessage, version int) error {
	if version > sc.version {
		return fmt.Errorf("stored by version %d of the state; this is version %d", version, sc.version)
	}
	for ; version < sc.version; version++ {
		f := sc.upcasts[version]
		if f == nil {
			return fmt.Errorf("stored by version %d of the state, and nothing leads to version %d", version, version+1)
		}
		if err := f(members); err != nil {
			return fmt.Errorf("upcast from version %d: %w", version, err)
		}
	}
	return nil
}

// Encode writes a whole state on one line.
func (sc *Schema[S]) Encode(c Codec, s S) ([]byte, error) {
	data, err := c.Marshal(s)
	if err == nil {
		data, err = onLine(data)
	}
	if err != nil {
		return nil, fmt.Errorf("encode the state: %w", err)
	}
	return data, nil
}

// Decode reads a whole state that was written under a version of the schema.
// A member that is no field, or that the type of one has no place for, is an
// error with its path.
func (sc *Schema[S]) Decode(c Codec, data []byte, version int) (s S, err error) {
	if version != sc.version {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			return s, fmt.Errorf("decode state: %w", err)
		}
		if err := sc.upgrade(members, version); err != nil {
			return s, fmt.Errorf("decode state: %w", err)
		}
		if data, err = json.Marshal(members); err != nil {
			return s, fmt.Errorf("decode state: %w", err)
		}
	}
	v, err := Decode[S](c, data)
	if err != nil {
		return s, fmt.Errorf("decode state: state%w", err)
	}
	return v.(S), nil
}

// Apply merges updates into a state one after the other and returns the
// result; s itself is left as it was. It is what a run does between two
// super-steps, for tests of nodes and for tools.
func (sc *Schema[S]) Apply(s S, updates ...Update[S]) (S, error) {
	m := sc.Merger(s)
	for _, u := range updates {
		if err := m.Merge(u); err != nil {
			return s, err
		}
	}
	return m.Snapshot(), nil
}

// Check is what is wrong with the schema itself, and with the type of the
// state: names that are taken, fields that are no part of the state, and what
// would not survive being stored as JSON.
func (sc *Schema[S]) Check() (wrong []error) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	zero := new(S)
	names, places := map[string]bool{}, map[any]string{}
	for _, f := range sc.fields {
		if f.name == "" || names[f.name] {
			add("field %q: the name is empty or taken", f.name)
		}
		names[f.name] = true
		place, ok := f.place(zero)
		if !ok {
			add("field %q does not point into the state itself", f.name)
			continue
		}
		if other, taken := places[place]; taken {
			add("fields %q and %q are the same place of the state", other, f.name)
		}
		places[place] = f.name
	}
	if err := jsontype.Survives(reflect.TypeFor[S]()); err != nil {
		add("the state does not survive a JSON round trip: %w", err)
	}
	return wrong
}

// place is the address of f within s. There is none when the accessor of f
// leads anywhere but into the state itself: what lies behind a pointer would
// be shared by all snapshots.
func (f *field[S]) place(s *S) (place any, ok bool) {
	defer func() { ok = recover() == nil && ok }()
	at, from := reflect.ValueOf(f.at(s)), reflect.ValueOf(s).Pointer()
	return at.Interface(), at.Pointer() >= from && at.Pointer() < from+max(1, reflect.TypeFor[S]().Size())
}
