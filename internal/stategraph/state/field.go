package state

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
)

// field is one field of a schema. What a write holds depends on the rule: the
// value itself, or a []V for the rules over lists.
type field[S any] struct {
	name  string
	key   []byte // the name as JSON
	index int    // in the schema
	alone bool   // only one node may write it in a super-step

	at     func(*S) any                        // the field's address
	merge  func(s *S, v any, scratch *scratch) // writes v into s
	join   func(a, b any) any                  // one write that does what a and then b do
	seal   func(*S)                            // takes spare capacity away; nil where there is none
	decode func(Codec, []byte) (any, error)
}

// Field is a field of a schema, as [Replace] and its like return it.
type Field interface {
	// Name is the name that the field was given.
	Name() string
	// Clear gives the field its zero value in the state that a pointer leads to.
	Clear(state any)
	of() any // the field itself: a *field of the state
}

// handle is what the handles of all rules have in common.
type handle[S any] struct{ f *field[S] }

// Name is the name that the field was given.
func (h handle[S]) Name() string { return h.f.name }

// Clear gives the field its zero value in the state that a pointer leads to.
func (h handle[S]) Clear(state any) { reflect.ValueOf(h.f.at(state.(*S))).Elem().SetZero() }

func (h handle[S]) of() any { return h.f }

// add gives f its place in the schema.
func (sc *Schema[S]) add(f *field[S]) handle[S] {
	f.index = len(sc.fields)
	f.key, _ = json.Marshal(f.name) // of a string it has no error
	sc.fields = append(sc.fields, f)
	return handle[S]{f}
}

// ReplaceField is a field whose last write wins. Two nodes that write it in
// one super-step are a [ConflictError].
type ReplaceField[S, V any] struct{ handle[S] }

// Replace adds a field that a write replaces. This is the rule for a value
// with one writer at a time.
func Replace[S, V any](sc *Schema[S], name string, at func(*S) *V) ReplaceField[S, V] {
	f := valueField(name, at, func(_, b V) V { return b })
	f.alone = true
	if reflect.TypeFor[V]().Kind() == reflect.Slice {
		f.seal = func(s *S) { clip(at(s)) }
	}
	return ReplaceField[S, V]{sc.add(f)}
}

// Set is the update that gives the field the value v.
func (f ReplaceField[S, V]) Set(v V) Update[S] { return one(f.f, v) }

// AppendField is a list that only grows.
type AppendField[S, V any] struct{ handle[S] }

// Append adds a list whose writes are appended, those of parallel nodes in
// the order of their declaration and of their sends.
func Append[S, V any](sc *Schema[S], name string, at func(*S) *[]V) AppendField[S, V] {
	f := listField(name, at)
	f.merge = func(s *S, v any, _ *scratch) {
		list := at(s)
		*list = append(*list, v.([]V)...)
	}
	return AppendField[S, V]{sc.add(f)}
}

// Add is the update that appends v. Without values it changes nothing.
func (f AppendField[S, V]) Add(v ...V) Update[S] { return many(f.f, v) }

// UpsertField is a list with one element a key.
type UpsertField[S, V any] struct{ handle[S] }

// Upsert adds a list in which a written element takes the place of the one
// with the same key, or comes last when there is none.
func Upsert[S, V any, K comparable](sc *Schema[S], name string, at func(*S) *[]V, key func(V) K) UpsertField[S, V] {
	f := listField(name, at)
	f.merge = func(s *S, v any, m *scratch) { upsert(at(s), v.([]V), key, m) }
	return UpsertField[S, V]{sc.add(f)}
}

// Put is the update that inserts or replaces each of v, in order. Without
// values it changes nothing.
func (f UpsertField[S, V]) Put(v ...V) Update[S] { return many(f.f, v) }

// upsert keeps the positions of keys from one merge to the next, so that a
// write costs the same in a short list and in a long one. It copies the list
// before it overwrites an element that a snapshot shows.
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

// MaxField is a field that keeps its largest value.
type MaxField[S any, V cmp.Ordered] struct{ handle[S] }

// Max adds a field that writes can only raise. It starts from what the state
// holds, zero included.
func Max[S any, V cmp.Ordered](sc *Schema[S], name string, at func(*S) *V) MaxField[S, V] {
	return MaxField[S, V]{sc.add(valueField(name, at, func(a, b V) V { return max(a, b) }))}
}

// Raise is the update that makes the field at least v.
func (f MaxField[S, V]) Raise(v V) Update[S] { return one(f.f, v) }

// Number is what a [Sum] can add.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}

// SumField is a field that counts.
type SumField[S any, V Number] struct{ handle[S] }

// Sum adds a field to which writes are added.
func Sum[S any, V Number](sc *Schema[S], name string, at func(*S) *V) SumField[S, V] {
	return SumField[S, V]{sc.add(valueField(name, at, func(a, b V) V { return a + b }))}
}

// Add is the update that adds v, which may be negative.
func (f SumField[S, V]) Add(v V) Update[S] { return one(f.f, v) }

// valueField is what the rules over single values have in common. Join is the
// rule: what a value and then one that is written come to.
func valueField[S, V any](name string, at func(*S) *V, join func(a, b V) V) *field[S] {
	return &field[S]{
		name: name, decode: Decode[V],
		at:    func(s *S) any { return at(s) },
		join:  func(a, b any) any { return join(a.(V), b.(V)) },
		merge: func(s *S, v any, _ *scratch) { *at(s) = join(*at(s), v.(V)) },
	}
}

// listField is what the rules over lists have in common.
func listField[S, V any](name string, at func(*S) *[]V) *field[S] {
	return &field[S]{
		name: name, decode: Decode[[]V],
		at:   func(s *S) any { return at(s) },
		join: func(a, b any) any { return slices.Concat(a.([]V), b.([]V)) },
		seal: func(s *S) { *at(s) = slices.Clip(*at(s)) },
	}
}

// clip takes the spare capacity of the slice that p points to, whatever its
// type: an append to it allocates.
func clip(p any) {
	v := reflect.ValueOf(p).Elem()
	v.SetCap(v.Len())
}
