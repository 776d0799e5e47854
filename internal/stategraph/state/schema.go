package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Schema names the fields of a state of type S and their reducers. Fields are
// added by [Replace], [Append], [Upsert], [Max] and [Sum] before the first graph
// over the schema is compiled.
type Schema[S any] struct {
	version int
	fields  []*field[S]
	upcasts map[int]func(map[string]json.RawMessage) error
}

// NewSchema returns a schema without fields. The version belongs to the state
// type: raise it when a field changes its name or meaning.
func NewSchema[S any](version int) *Schema[S] {
	return &Schema[S]{version: version}
}

// Frozen returns a copy that later additions don't reach.
func (sc *Schema[S]) Frozen() *Schema[S] {
	return &Schema[S]{sc.version, slices.Clone(sc.fields), maps.Clone(sc.upcasts)}
}

// Version returns the version given to NewSchema.
func (sc *Schema[S]) Version() int { return sc.version }

// Upcast sets f to convert what version from stored into the form of version
// from+1. f gets the members of whole states and of updates, which have only the
// fields they write: f must not add members to an update.
func (sc *Schema[S]) Upcast(from int, f func(members map[string]json.RawMessage) error) {
	if sc.upcasts == nil {
		sc.upcasts = map[int]func(map[string]json.RawMessage) error{}
	}
	sc.upcasts[from] = f
}

// upgrade converts members of an earlier version to the schema's.
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

// Encode encodes a whole state on one line.
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

// Decode decodes a whole state stored under the given version of the schema. A
// member without a place is an error with its path.
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

// Apply returns s with the updates merged in order, as a run does between
// super-steps. It does not change s. Use it in tests of nodes and in tools.
func (sc *Schema[S]) Apply(s S, updates ...Update[S]) (S, error) {
	m := sc.Merger(s)
	for _, u := range updates {
		if err := m.Merge(u); err != nil {
			return s, err
		}
	}
	return m.Snapshot(), nil
}

// Check returns the mistakes in the schema and the state type: duplicate names,
// fields outside the state, and parts that would not survive a JSON round trip.
func (sc *Schema[S]) Check() (wrong []error) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	zero := new(S)
	names, addresses := map[string]bool{}, map[any]string{}
	for _, f := range sc.fields {
		if f.name == "" || names[f.name] {
			add("field %q: the name is empty or taken", f.name)
		}
		names[f.name] = true
		address, ok := f.address(zero)
		if !ok {
			add("field %q does not point into the state itself", f.name)
			continue
		}
		if other, taken := addresses[address]; taken {
			add("fields %q and %q are the same place of the state", other, f.name)
		}
		addresses[address] = f.name
	}
	if err := SurvivesJSON(reflect.TypeFor[S]()); err != nil {
		add("the state does not survive a JSON round trip: %w", err)
	}
	return wrong
}

// address returns the address of f within s. It returns false if f's accessor leads
// out of the state itself: all snapshots would share what lies behind a pointer.
func (f *field[S]) address(s *S) (address any, ok bool) {
	defer func() { ok = recover() == nil && ok }()
	at, from := reflect.ValueOf(f.at(s)), reflect.ValueOf(s).Pointer()
	return at.Interface(), at.Pointer() >= from && at.Pointer() < from+max(1, reflect.TypeFor[S]().Size())
}
