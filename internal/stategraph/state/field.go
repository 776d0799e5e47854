package state

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
)

// field is one field of a schema. A write holds a value of its type, or a []V for
// the reducers of lists.
type field[S any] struct {
	name  string
	key   []byte // the name as JSON
	index int    // in the schema
	alone bool   // takes one writer per super-step

	at     func(*S) any                        // the field's address
	merge  func(s *S, v any, scratch *scratch) // writes v into s
	join   func(a, b any) any                  // combines write a with a later write b
	seal   func(*S)                            // clips spare capacity; nil if it has none
	decode func(Codec, []byte) (any, error)
}

// Field is a field of a schema. The handles of all reducers implement it.
type Field interface {
	// Name returns the field's name.
	Name() string
	// Clear sets the field to its zero value. The state is a *S.
	Clear(state any)
	of() any // *field[S]
}

// handle is embedded by the handles of all reducers.
type handle[S any] struct{ f *field[S] }

// Name returns the field's name.
func (h handle[S]) Name() string { return h.f.name }

// Clear sets the field to its zero value. The state is a *S.
func (h handle[S]) Clear(state any) { reflect.ValueOf(h.f.at(state.(*S))).Elem().SetZero() }

func (h handle[S]) of() any { return h.f }

func (sc *Schema[S]) add(f *field[S]) handle[S] {
	f.index = len(sc.fields)
	f.key, _ = json.Marshal(f.name) // a string always encodes
	sc.fields = append(sc.fields, f)
	return handle[S]{f}
}

// ReplaceField is a field whose last write wins. Two nodes that write it in
// one super-step are a [ConflictError].
type ReplaceField[S, V any] struct{ handle[S] }

// Replace adds a field that a write replaces, for values with one writer at a
// time.
func Replace[S, V any](sc *Schema[S], name string, at func(*S) *V) ReplaceField[S, V] {
	f := valueField(name, at, func(_, b V) V { return b })
	f.alone = true
	if reflect.TypeFor[V]().Kind() == reflect.Slice {
		f.seal = func(s *S) { clip(at(s)) }
	}
	return ReplaceField[S, V]{sc.add(f)}
}

// Set returns the update that sets the field to v.
func (f ReplaceField[S, V]) Set(v V) Update[S] { return one(f.f, v) }

// AppendField is a list that grows.
type AppendField[S, V any] struct{ handle[S] }

// Append adds a list that writes are appended to. Those of parallel nodes come in
// the order in which nodes were declared and payloads sent.
func Append[S, V any](sc *Schema[S], name string, at func(*S) *[]V) AppendField[S, V] {
	f := listField(name, at)
	f.merge = func(s *S, v any, _ *scratch) {
		list := at(s)
		*list = append(*list, v.([]V)...)
	}
	return AppendField[S, V]{sc.add(f)}
}

// Add returns the update that appends v. Without values it changes nothing.
func (f AppendField[S, V]) Add(v ...V) Update[S] { return many(f.f, v) }

// UpsertField is a list with one element per key.
type UpsertField[S, V any] struct{ handle[S] }

// Upsert adds a list in which a written element replaces the one with the same
// key, or is appended if there is none.
func Upsert[S, V any, K comparable](sc *Schema[S], name string, at func(*S) *[]V, key func(V) K) UpsertField[S, V] {
	f := listField(name, at)
	f.merge = func(s *S, v any, m *scratch) { upsert(at(s), v.([]V), key, m) }
	return UpsertField[S, V]{sc.add(f)}
}

// Put returns the update that inserts or replaces each of v, in order. Without
// values it changes nothing.
func (f UpsertField[S, V]) Put(v ...V) Update[S] { return many(f.f, v) }

// upsert keeps the positions of keys between merges, so that the cost of a write
// does not grow with the list. It copies the list before overwriting an element
// that a snapshot shares.
func upsert[V any, K comparable](list *[]V, values []V, key func(V) K, m *scratch) {
	positions, ok := m.positions.(map[K]int)
	if !ok {
		positions = make(map[K]int, len(*list)+len(values))
		for i, v := range slices.Backward(*list) {
			positions[key(v)] = i
		}
		m.positions = positions
	}
	for _, v := range values {
		i, found := positions[key(v)]
		if !found {
			positions[key(v)] = len(*list)
			*list = append(*list, v)
			continue
		}
		if !m.private {
			*list, m.private = slices.Clone(*list), true
		}
		(*list)[i] = v
	}
}

// MaxField keeps its largest value.
type MaxField[S any, V cmp.Ordered] struct{ handle[S] }

// Max adds a field that writes can only raise, starting from the state's value.
func Max[S any, V cmp.Ordered](sc *Schema[S], name string, at func(*S) *V) MaxField[S, V] {
	return MaxField[S, V]{sc.add(valueField(name, at, func(a, b V) V { return max(a, b) }))}
}

// Raise returns the update that makes the field at least v.
func (f MaxField[S, V]) Raise(v V) Update[S] { return one(f.f, v) }

// Number is a type that [Sum] can add.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}

// SumField adds up its writes.
type SumField[S any, V Number] struct{ handle[S] }

// Sum adds a field that writes are added to.
func Sum[S any, V Number](sc *Schema[S], name string, at func(*S) *V) SumField[S, V] {
	return SumField[S, V]{sc.add(valueField(name, at, func(a, b V) V { return a + b }))}
}

// Add returns the update that adds v, which may be negative.
func (f SumField[S, V]) Add(v V) Update[S] { return one(f.f, v) }

// valueField builds the field of a reducer of single values. Join combines the
// current value with a written one.
func valueField[S, V any](name string, at func(*S) *V, join func(a, b V) V) *field[S] {
	return &field[S]{
		name: name, decode: Decode[V],
		at:    func(s *S) any { return at(s) },
		join:  func(a, b any) any { return join(a.(V), b.(V)) },
		merge: func(s *S, v any, _ *scratch) { *at(s) = join(*at(s), v.(V)) },
	}
}

// listField builds the field of a reducer of lists, without merge.
func listField[S, V any](name string, at func(*S) *[]V) *field[S] {
	return &field[S]{
		name: name, decode: Decode[[]V],
		at:   func(s *S) any { return at(s) },
		join: func(a, b any) any { return slices.Concat(a.([]V), b.([]V)) },
		seal: func(s *S) { *at(s) = slices.Clip(*at(s)) },
	}
}

// clip removes the spare capacity of the slice p points to, so that appending to
// it allocates.
func clip(p any) {
	v := reflect.ValueOf(p).Elem()
	v.SetCap(v.Len())
}
