package measure

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/resolve"
	"github.com/clewhq/clew/internal/prose"
)

// A ResolutionScore says how well entities that are the same are found.
type ResolutionScore struct {
	Folder   string           `json:"folder"`
	Half     string           `json:"half"`
	Entities int              `json:"entities"`
	Kinds    []ResolutionKind `json:"kinds"` // pairs that are the same, then those that aren't

	Precision      float64  `json:"precision"`       // of what is merged by rule
	RuleRecall     float64  `json:"rule_recall"`     // of what is merged by rule
	Recall         float64  `json:"recall"`          // of what is merged by rule or proposed
	QueuePrecision float64  `json:"queue_precision"` // of what is proposed
	Seconds        float64  `json:"seconds"`         // to compare all
	Wrong          []string `json:"wrong"`           // merged by rule though they differ
	Missed         []string `json:"missed"`          // neither merged nor proposed though they are the same
}

// ResolutionKind counts pairs of one kind.
type ResolutionKind struct {
	Kind   string `json:"kind"`
	Same   bool   `json:"same"`
	Pairs  int    `json:"pairs"`
	Merged int    `json:"merged"` // by rule
	Queued int    `json:"queued"`
}

// The halves of the names, by their hash. The rules were tried on the first
// alone.
const (
	Tuned   = "tuned"
	HeldOut = "held-out"
)

// Bars are the scores from which pairs are proposed and merged by rule.
type Bars struct{ Propose, Merge float64 }

// Resolution makes entities of the passages' titles and of the names that mine
// finds in the passages, adds other names of the same things and names of other
// things nearly called so, and compares them all. dir has passages, or a folder for each
// set of them.
func Resolution(mine func(title string, c domain.Chunk) domain.GraphDocument, dir, half string, bars Bars, now func() time.Time) (ResolutionScore, error) {
	folders, err := filepath.Glob(filepath.Join(dir, "*", "passages.jsonl.gz"))
	if _, missing := os.Stat(filepath.Join(dir, "passages.jsonl.gz")); missing == nil {
		folders = append(folders, filepath.Join(dir, "passages.jsonl.gz"))
	}
	if err != nil || len(folders) == 0 {
		return ResolutionScore{}, domain.Errorf(domain.Invalid, "%s has no passages.jsonl.gz, and no folders with one.", dir)
	}
	g := gathering{byKey: map[string]int{}, things: map[int]int{}, made: map[int]string{}, base: map[int]int{}}
	for _, path := range folders {
		passages, err := readLines[Passage](path)
		if err != nil {
			return ResolutionScore{}, err
		}
		for _, p := range passages {
			if (drawFor(prose.Key(p.Title), "half").below(2) == 0) == (half == Tuned) {
				g.read(mine, p)
			}
		}
	}
	g.vary()
	return g.score(filepath.Base(dir), half, bars, now), nil
}

// gathering collects entities. Those with a thing are labelled: two of the same
// thing are the same.
type gathering struct {
	entities []resolve.Entity
	byKey    map[string]int
	things   map[int]int    // by labelled entity
	titles   []int          // entities
	made     map[int]string // the kind of noise or homonym, by the entity made by it
	base     map[int]int    // the title's entity, by the same
}

// entity returns the entity of a name, and makes it if there is none.
func (g *gathering) entity(name, label string) int {
	key := prose.Key(name)
	i, ok := g.byKey[key]
	if !ok {
		i = len(g.entities)
		g.byKey[key] = i
		g.entities = append(g.entities, resolve.Entity{ID: domain.EntityID(key), Name: name, Label: label})
	}
	if g.entities[i].Label == domain.UnknownLabel {
		g.entities[i].Label = label
	}
	g.entities[i].Mentions++
	return i
}

// read adds the title of a passage and the names in it.
func (g *gathering) read(mine func(string, domain.Chunk) domain.GraphDocument, p Passage) {
	id := domain.DocumentID(p.ID)
	doc := mine(p.Title, domain.Chunk{ID: domain.NewChunkID(id, domain.Hash([]byte(p.Text)), 0), Document: id, Text: p.Text})
	title := g.entity(p.Title, domain.UnknownLabel)
	if _, known := g.things[title]; !known {
		g.things[title] = title
		g.titles = append(g.titles, title)
	}
	company := []int{title}
	nodes := make([]int, len(doc.Nodes))
	for i, n := range doc.Nodes {
		nodes[i] = g.entity(n.Name, n.Label)
		company = append(company, nodes[i])
	}
	for _, i := range company {
		for _, j := range company {
			if i != j {
				g.entities[i].Company = append(g.entities[i].Company, int32(j))
			}
		}
	}
	for _, r := range doc.Relationships {
		i, j := nodes[r.Source], nodes[r.Target]
		g.entities[i].Neighbours = append(g.entities[i].Neighbours, int32(j))
		g.entities[j].Neighbours = append(g.entities[j].Neighbours, int32(i))
	}
}

// vary adds for most titles another name of the same thing, and for many the
// names of other things.
func (g *gathering) vary() {
	slices.SortFunc(g.titles, func(i, j int) int { return cmp.Compare(g.entities[i].ID, g.entities[j].ID) })
	var firsts []string
	for _, i := range g.titles {
		if words, ok := people(g.entities[i].Name, g.entities[i].Label == "Person"); ok {
			firsts = append(firsts, words[0])
		}
	}
	for n, i := range g.titles {
		e := g.entities[i]
		person := e.Label == "Person"
		d := drawFor(string(e.ID), "vary")
		start := d.below(len(noises))
		for k := range noises {
			kind := noises[(start+k)%len(noises)]
			name := kind.write(d, e.Name, person)
			if kind.kind == "alias" {
				name = nickname(d, e.Name, g.entities[g.titles[(n+7)%len(g.titles)]].Name)
			}
			if _, taken := g.byKey[prose.Key(name)]; name != "" && (!taken || kind.kind == "case" || kind.kind == "punctuation" && prose.Key(name) == string(e.ID)) {
				g.addName(d, i, name, kind.kind)
				break
			}
		}
		if !d.chance(60) || len(firsts) == 0 {
			continue
		}
		start = d.below(len(homonyms))
		for k := range homonyms {
			kind := homonyms[(start+k)%len(homonyms)]
			if names := kind.write(d, e.Name, person, firsts); len(names) > 0 {
				g.addHomonyms(d, i, names, kind, g.titles[d.below(len(g.titles))])
				break
			}
		}
	}
	for i := range g.entities {
		e := &g.entities[i]
		slices.Sort(e.Neighbours)
		e.Neighbours = slices.Compact(e.Neighbours)
		slices.Sort(e.Company)
		e.Company = slices.Compact(e.Company)
	}
}

// addName adds another name of entity i, as if it stood in some of the passages.
// A name with the same key is the same entity already.
func (g *gathering) addName(d *draw, i int, name, kind string) {
	j := len(g.entities)
	of := g.entities[i]
	label := of.Label
	if d.chance(20) {
		label = domain.UnknownLabel
	}
	made := resolve.Entity{ID: domain.EntityID("=" + prose.Key(name) + " " + string(of.ID)), Name: name, Label: label, Mentions: 1}
	g.things[j], g.made[j], g.base[j] = i, kind, i
	g.byKey[prose.Key(name)] = j
	if kind == "alias" {
		g.entities[i].Aliases = append(g.entities[i].Aliases, name)
	}
	g.entities[i].Neighbours, made.Neighbours = g.divide(d, i, j, of.Neighbours, func(e *resolve.Entity) *[]int32 { return &e.Neighbours })
	g.entities[i].Company, made.Company = g.divide(d, i, j, of.Company, func(e *resolve.Entity) *[]int32 { return &e.Company })
	g.entities = append(g.entities, made)
}

// divide shares out what is around entity i between i and j: a third to each, a
// third to both.
func (g *gathering) divide(d *draw, i, j int, around []int32, back func(*resolve.Entity) *[]int32) (mine, theirs []int32) {
	for _, n := range around {
		share := d.below(3)
		if share != 1 {
			mine = append(mine, n)
		}
		if share != 0 && int(n) < len(g.entities) {
			theirs = append(theirs, n)
			of := back(&g.entities[n])
			*of = append(*of, int32(j))
		}
	}
	return mine, theirs
}

// addHomonyms adds other things. What is around them is that of another title,
// and in part that of the one that they are nearly called like.
func (g *gathering) addHomonyms(d *draw, i int, names []string, kind homonym, like int) {
	for _, name := range names {
		if _, taken := g.byKey[prose.Key(name)]; taken {
			continue
		}
		j := len(g.entities)
		g.byKey[prose.Key(name)] = j
		g.things[j], g.made[j], g.base[j] = j, kind.kind, i
		made := resolve.Entity{ID: domain.EntityID(prose.Key(name)), Name: name, Label: g.entities[i].Label, Mentions: 1 + d.below(3)}
		_, made.Neighbours = g.divide(d, like, j, g.entities[like].Neighbours, func(e *resolve.Entity) *[]int32 { return &e.Neighbours })
		_, made.Company = g.divide(d, like, j, g.entities[like].Company, func(e *resolve.Entity) *[]int32 { return &e.Company })
		if kind.close {
			_, near := g.divide(d, i, j, g.entities[i].Company, func(e *resolve.Entity) *[]int32 { return &e.Company })
			made.Company = append(made.Company, near...)
			_, near = g.divide(d, i, j, g.entities[i].Neighbours, func(e *resolve.Entity) *[]int32 { return &e.Neighbours })
			made.Neighbours = append(made.Neighbours, near...)
		}
		g.entities = append(g.entities, made)
	}
}

// decided holds the decisions on the pairs.
type decided struct {
	part   map[int]int // the entity that one becomes part of
	queued map[[2]int]bool
}

func (d decided) of(i int) int {
	if into, ok := d.part[i]; ok {
		return into
	}
	return i
}

func (d decided) merged(i, j int) bool { return d.of(i) == d.of(j) }

func (d decided) waits(i, j int) bool { return d.queued[ordered(d.of(i), d.of(j))] }

func ordered(i, j int) [2]int { return [2]int{min(i, j), max(i, j)} }

// score compares all entities and counts what is right.
func (g *gathering) score(folder, half string, bars Bars, now func() time.Time) ResolutionScore {
	s := ResolutionScore{Folder: folder, Half: half, Entities: len(g.entities)}
	began := now()
	pairs := resolve.Match(g.entities)
	merges := resolve.Merges(g.entities, pairs, bars.Merge, func(a, b resolve.Entity) bool { return false })
	s.Seconds = now().Sub(began).Seconds()
	d := decided{part: map[int]int{}, queued: map[[2]int]bool{}}
	for _, m := range merges {
		d.part[m.From] = m.Into
	}
	for _, p := range pairs {
		if !d.merged(p.A, p.B) && p.Score >= bars.Propose {
			d.queued[ordered(d.of(p.A), d.of(p.B))] = true
		}
	}
	s.Kinds = g.count(&s, d)
	right, found, all := 0, 0, 0
	for _, k := range s.Kinds {
		if k.Same {
			right, found, all = right+k.Merged, found+k.Merged+k.Queued, all+k.Pairs
		}
	}
	s.RuleRecall, s.Recall = share(right, all), share(found, all)
	wrong := g.wrong(d)
	for _, w := range wrong {
		s.Wrong = append(s.Wrong, g.entities[w[0]].Name+" | "+g.entities[w[1]].Name)
	}
	s.Precision = share(right, right+len(wrong))
	s.QueuePrecision = g.queuePrecision(d)
	return s
}

// count counts the pairs that were made, by kind.
func (g *gathering) count(s *ResolutionScore, d decided) []ResolutionKind {
	kinds := map[string]*ResolutionKind{}
	for _, j := range slices.Sorted(maps.Keys(g.made)) {
		i, name := g.base[j], g.made[j]
		k := kinds[name]
		if k == nil {
			k = &ResolutionKind{Kind: name, Same: g.things[i] == g.things[j]}
			kinds[name] = k
		}
		k.Pairs++
		switch {
		case d.merged(i, j):
			k.Merged++
		case d.waits(i, j):
			k.Queued++
		case k.Same:
			s.Missed = append(s.Missed, name+": "+g.entities[i].Name+" | "+g.entities[j].Name)
		}
	}
	var list []ResolutionKind
	for _, same := range []bool{true, false} {
		for _, name := range slices.Sorted(maps.Keys(kinds)) {
			if kinds[name].Same == same {
				list = append(list, *kinds[name])
			}
		}
	}
	return list
}

// wrong lists the pairs of different things that are merged by rule, among
// them the titles themselves.
func (g *gathering) wrong(d decided) (pairs [][2]int) {
	members := map[int][]int{}
	for _, i := range slices.Sorted(maps.Keys(g.things)) {
		members[d.of(i)] = append(members[d.of(i)], i)
	}
	for _, into := range slices.Sorted(maps.Keys(members)) {
		of := members[into]
		for n, i := range of {
			for _, j := range of[:n] {
				if g.things[i] != g.things[j] {
					pairs = append(pairs, [2]int{j, i})
				}
			}
		}
	}
	return pairs
}

// queuePrecision returns the share of proposals between labelled entities that
// are right.
func (g *gathering) queuePrecision(d decided) float64 {
	right, all := 0, 0
	for pair := range d.queued {
		a, known1 := g.things[pair[0]]
		b, known2 := g.things[pair[1]]
		if known1 && known2 {
			all++
			if a == b {
				right++
			}
		}
	}
	return share(right, all)
}
