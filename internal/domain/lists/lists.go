// Package lists makes slices and maps of slices, where package slices of the standard library has no function for it.
package lists

import "slices"

// Map returns what f makes of each element of list.
func Map[V, W any](list []V, f func(V) W) []W {
	out := make([]W, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// Flat returns what f makes of all elements of list, one after the other, or nil if that is nothing.
func Flat[V, W any](list []V, f func(V) []W) (all []W) {
	for _, v := range list {
		all = append(all, f(v)...)
	}
	return all
}

// Filter returns the elements that keep reports true for, or nil if there are none.
func Filter[V any](list []V, keep func(V) bool) (kept []V) {
	for _, v := range list {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// CountFunc returns how many elements of list count reports true for.
func CountFunc[V any](list []V, count func(V) bool) (n int) {
	for _, v := range list {
		if count(v) {
			n++
		}
	}
	return n
}

// Sum returns the sum of what f makes of each element of list.
func Sum[V any, N int | int64 | float64](list []V, f func(V) N) (sum N) {
	for _, v := range list {
		sum += f(v)
	}
	return sum
}

// Set returns the set of keys.
func Set[K comparable](keys []K) map[K]bool {
	set := make(map[K]bool, len(keys))
	for _, k := range keys {
		set[k] = true
	}
	return set
}

// SetOf returns the set of the keys of list.
func SetOf[V any, K comparable](list []V, key func(V) K) map[K]bool {
	set := make(map[K]bool, len(list))
	for _, v := range list {
		set[key(v)] = true
	}
	return set
}

// By returns the elements of list by their keys: of several with the same key, the last.
func By[V any, K comparable](list []V, key func(V) K) map[K]V {
	by := make(map[K]V, len(list))
	for _, v := range list {
		by[key(v)] = v
	}
	return by
}

// Pairs returns the map of the pairs that f makes of the elements of list: of several with the same key, the last.
func Pairs[V any, K comparable, W any](list []V, f func(V) (K, W)) map[K]W {
	pairs := make(map[K]W, len(list))
	for _, v := range list {
		key, value := f(v)
		pairs[key] = value
	}
	return pairs
}

// First returns the first element that ok reports true for, or the zero value if there is none.
func First[V any](list []V, ok func(V) bool) (none V) {
	for _, v := range list {
		if ok(v) {
			return v
		}
	}
	return none
}

// AppendOnce appends v to list, unless list contains it.
func AppendOnce[V comparable](list []V, v V) []V {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
