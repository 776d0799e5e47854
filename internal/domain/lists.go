package domain

// Map returns what f makes of each element of list.
func Map[V, W any](list []V, f func(V) W) []W {
	out := make([]W, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
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
