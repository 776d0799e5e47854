package resolve

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// Limits that keep the number of comparisons near the number of names.
const (
	maxBlock  = 40 // names in a block whose pairs are compared; larger blocks prove too little
	maxForms  = 8  // names of one entity that are compared
	maxWords  = 8  // in a name that is looked up by its letters
	maxLetter = 40 // letters of a word to omit in turn
)

// An entry puts an entity in a block.
type entry struct {
	block  uint64
	entity int32
}

// candidates returns the pairs of entities with a block in common, each once, the
// lower number first. Blocks are made of what patterns have in common: the
// letters, the sorted words, the family name with an initial, initials,
// skeletons, rare words, and the words with one letter left out.
func (c corpus) candidates(forms [][]form) [][2]int32 {
	b := blocks{seed: maphash.MakeSeed()}
	for i, of := range forms {
		for _, f := range of {
			b.add(c, int32(i), f)
		}
	}
	slices.SortFunc(b.entries, func(x, y entry) int { return cmp.Or(cmp.Compare(x.block, y.block), cmp.Compare(x.entity, y.entity)) })
	b.entries = slices.Compact(b.entries)
	var pairs [][2]int32
	for start := 0; start < len(b.entries); {
		end := start + 1
		for end < len(b.entries) && b.entries[end].block == b.entries[start].block {
			end++
		}
		if block := b.entries[start:end]; len(block) <= maxBlock {
			for i, y := range block {
				for _, x := range block[:i] {
					pairs = append(pairs, [2]int32{x.entity, y.entity})
				}
			}
		}
		start = end
	}
	slices.SortFunc(pairs, func(x, y [2]int32) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	return slices.Compact(pairs)
}

// blocks collects entries. Two blocks fall together only by a collision of 64
// bits, which costs a comparison and changes nothing.
type blocks struct {
	seed    maphash.Seed
	entries []entry
}

func (b *blocks) put(entity int32, kind byte, parts ...string) {
	var h maphash.Hash
	h.SetSeed(b.seed)
	_ = h.WriteByte(kind) // never fails
	for _, p := range parts {
		_, _ = h.WriteString(p)
		_ = h.WriteByte(0)
	}
	b.entries = append(b.entries, entry{h.Sum64(), entity})
}

func (b *blocks) add(c corpus, entity int32, f form) {
	n := len(f.words)
	b.put(entity, 'k', f.key)
	b.put(entity, 'q', f.squashed())
	b.put(entity, 's', f.sorted())
	sounds := skeletons(f.words)
	slices.Sort(sounds)
	b.put(entity, 'x', strings.Join(sounds, " "))
	b.addScripts(c, entity, f)
	b.addAcronyms(entity, f)
	for _, given := range []form{f, f.rotated()} {
		if n > 1 {
			first, last := given.words[0], given.words[n-1]
			b.put(entity, 'i', string([]rune(first)[:1]), last)
			b.put(entity, 'm', first, last)
		}
		if f.tail == 0 {
			break
		}
	}
	for _, w := range f.content() {
		if c.rare(w, maxBlock) {
			b.put(entity, 'w', w)
		}
	}
	if n <= maxWords {
		b.addTypos(entity, f)
	}
}

func (b *blocks) addAcronyms(entity int32, f form) {
	if len(f.words) > 1 {
		b.put(entity, 'a', f.initials(false))
		b.put(entity, 'a', f.initials(true))
	}
	if letters := f.squashed(); len(letters) < 9 && (len(f.words) == 1 || f.capitals) {
		b.put(entity, 'a', letters)
	}
}

// addTypos puts the entity in a block for each word and each letter of it that
// is left out. Two names with one letter changed, added, left out or swapped have
// such a block in common.
func (b *blocks) addTypos(entity int32, f form) {
	for i, w := range f.words {
		if len(w) < 4 || hasDigit(w) {
			continue
		}
		before, after := strings.Join(f.words[:i], " "), strings.Join(f.words[i+1:], " ")
		b.put(entity, 't', before, w, after)
		letters := []rune(w)
		for j := range min(len(letters), maxLetter) {
			b.put(entity, 't', before, string(letters[:j])+string(letters[j+1:]), after)
		}
	}
}
