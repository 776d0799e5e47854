package resolve

// A Merge is an entity that becomes part of another by rule.
type Merge struct {
	Into, From int  // indices in the list of entities
	Pair       Pair // the best of From with another merged entity
}

// maxMerged is the maximum number of entities that become one by rule. A larger number points to a mistake.
const maxMerged = 20

// Merges returns the pairs merged by rule: those with a score of at least bar, the likeliest first, unless names, or
// apart, distinguish two of the entities that would become one. Pairs are those of Match; the result doesn't depend on
// the order of the entities.
func Merges(entities []Entity, pairs []Pair, bar float64, apart func(a, b Entity) bool) []Merge {
	u := union{entities: entities, of: map[int]*[]int{}, vetoed: map[[2]int]bool{}, apart: apart}
	best := map[int]Pair{}
	for _, p := range pairs {
		if p.Vetoed {
			u.vetoed[[2]int{min(p.A, p.B), max(p.A, p.B)}] = true
		}
	}
	for _, p := range pairs {
		if p.Score < bar || p.Vetoed || !u.join(p.A, p.B) {
			continue
		}
		for _, i := range []int{p.A, p.B} {
			if _, known := best[i]; !known {
				best[i] = p
			}
		}
	}
	var merges []Merge
	for i := range entities {
		members := u.of[i]
		if members == nil {
			continue
		}
		if into := u.best(*members); into != i {
			merges = append(merges, Merge{Into: into, From: i, Pair: best[i]})
		}
	}
	return merges
}

// union is a partition of the entities that are merged.
type union struct {
	entities []Entity
	of       map[int]*[]int // the members of an entity's part
	vetoed   map[[2]int]bool
	apart    func(a, b Entity) bool
}

func (u *union) part(i int) []int {
	if u.of[i] == nil {
		return []int{i}
	}
	return *u.of[i]
}

// join makes the parts of two entities one, and reports whether they are.
func (u *union) join(i, j int) bool {
	x, y := u.part(i), u.part(j)
	if u.of[i] != nil && u.of[i] == u.of[j] {
		return true
	}
	if len(x)+len(y) > maxMerged {
		return false
	}
	for _, a := range x {
		for _, b := range y {
			if u.vetoed[[2]int{min(a, b), max(a, b)}] || u.apart(u.entities[a], u.entities[b]) || toldApart(u.entities[a], u.entities[b]) {
				return false
			}
		}
	}
	all := append(append([]int{}, x...), y...)
	for _, a := range all {
		u.of[a] = &all
	}
	return true
}

// toldApart reports whether the names of two entities can't be one thing's.
func toldApart(a, b Entity) bool {
	var r comparison
	distinguish(&r, parse(a.Name), parse(b.Name))
	return r.vetoed
}

// best returns the best known of some entities.
func (u *union) best(members []int) int {
	best := members[0]
	for _, i := range members[1:] {
		if betterKnown(u.entities[i], u.entities[best]) {
			best = i
		}
	}
	return best
}
