package resolve

import (
	"math"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
)

// The patterns: how two names of one thing may differ.
const (
	SameName       = "same name" // under two labels
	Spelling       = "spelling"  // differs in spaces, hyphens and full stops
	Reordered      = "reordered"
	Title          = "title"
	LegalForm      = "legal form"
	Alias          = "alias"
	Initials       = "initials"
	Acronym        = "acronym"
	ShortName      = "short name"
	Typo           = "typo"
	Transliterated = "transliterated"
	SameMeaning    = "same meaning" // only similar in meaning
)

// A comparison is how two names relate: the pattern, and what speaks for and
// against their being one thing's.
type comparison struct {
	pattern string
	reasons []Evidence
	vetoed  bool // left to a person, whatever the evidence
}

func (c *comparison) bits() float64 { return sumBits(c.reasons) }

// add adds a reason. Its bits are rounded, because floating-point sums depend on the order of addition.
func (c *comparison) add(kind string, bits float64, words string) {
	c.reasons = append(c.reasons, Evidence{Kind: kind, Words: words, Bits: math.Round(100*bits) / 100})
}

// A corpus knows how many entities have a word, and in which scripts names are.
type corpus struct {
	of      map[string]int
	scripts map[*script]bool // scripts used in names
}

// rare reports whether at most n entities have the word.
func (c corpus) rare(word string, n int) bool { return c.of[word] <= n }

// compare compares two names. It returns false if nothing suggests that they name one thing. person reports that one of
// the two is known to be a person.
func (c corpus) compare(a, b form, person bool) (comparison, bool) {
	best, ok := c.compareWords(a, b, person)
	for i, rotated := range []bool{a.tail > 0, b.tail > 0} {
		if !rotated || ok && best.pattern != Reordered {
			continue
		}
		x, y := a, b
		if i == 0 {
			x = a.rotated()
		} else {
			y = b.rotated()
		}
		if turned, fits := c.compareWords(x, y, person); fits && (!ok || turned.bits() > best.bits()) {
			if turned.pattern == SameName || turned.pattern == Spelling || turned.pattern == Title || turned.pattern == LegalForm {
				turned.pattern, turned.reasons = Reordered, nil
				turned.add("name", 6.5, "The same words, the family name first.")
			}
			best, ok = turned, true
		}
	}
	if ok {
		distinguish(&best, a, b)
	}
	return best, ok
}

// compareWords compares the words of two names by each pattern in turn.
func (c corpus) compareWords(a, b form, person bool) (comparison, bool) {
	var r comparison
	switch {
	case slices.Equal(a.words, b.words):
		c.compareEqual(&r, a, b)
	case a.squashed() == b.squashed():
		r.pattern = Spelling
		if len(a.squashed()) > 3 {
			r.add("name", 6.5, "The same letters; only spaces and punctuation differ.")
		} else {
			r.add("name", 3, "The same few letters; only spaces and punctuation differ.")
		}
	case len(a.words) == len(b.words) && len(a.words) > 1 && a.sorted() == b.sorted():
		r.pattern = Reordered
		r.add("name", 3, "The same words in another order.")
	case c.compareAcronym(&r, a, b), c.compareAcronym(&r, b, a):
	case c.compareInitials(&r, a, b):
	case c.compareShort(&r, a, b, person), c.compareShort(&r, b, a, person):
	case c.compareTypo(&r, a, b):
	case compareSounds(&r, a, b), compareScripts(&r, a, b):
	default:
		return r, false
	}
	return r, true
}

func (c corpus) compareEqual(r *comparison, a, b form) {
	several := len(a.content()) > 1
	switch {
	case a.key == b.key:
		r.pattern = SameName
		r.add("name", 4.5, "The same name.")
	case a.title != b.title && a.title != "" && b.title != "":
		r.pattern, r.vetoed = Title, true
		r.add("name", 1, "The same name with another title.")
	case a.title != b.title:
		r.pattern = Title
		if several || a.number != "" && a.number == b.number {
			r.add("name", 6, "The same name, one with a title.")
		} else {
			r.add("name", 0.5, "The same short name, one with a title.")
		}
	case a.legal != b.legal:
		r.pattern = LegalForm
		if several {
			r.add("name", 5.5, "The same name except for the legal form.")
		} else {
			r.add("name", 2, "The same short name except for the legal form.")
		}
	case a.number != b.number || a.younger != b.younger || a.qualifier != b.qualifier:
		r.pattern = ShortName
		r.add("name", 2, "The same name except for an addition.")
	default:
		r.pattern = Spelling
		r.add("name", 5.5, "The same words.")
	}
}

// compareAcronym reports whether acronym abbreviates long.
func (c corpus) compareAcronym(r *comparison, acronym, long form) bool {
	letters := acronym.squashed()
	if len(letters) < 2 || len(letters) > 8 || len(long.words) < 2 || len(acronym.words) > 1 && !acronym.capitals {
		return false
	}
	if letters != long.initials(false) && letters != long.initials(true) {
		return false
	}
	r.pattern = Acronym
	switch {
	case len(letters) > 3:
		r.add("name", 3.5, "One name has the other's initials, four or more.")
	case len(letters) == 3:
		r.add("name", 1, "One name has the other's three initials.")
	default:
		r.vetoed = true
		r.add("name", -0.5, "One name has the other's two initials.")
	}
	if acronym.capitals {
		r.add("capitals", 1, "The shorter name is written in capitals.")
	}
	return true
}

// compareInitials reports whether the names have the same last word and first
// names that abbreviate each other.
func (c corpus) compareInitials(r *comparison, a, b form) bool {
	if len(a.words) < 2 || len(b.words) < 2 || a.words[len(a.words)-1] != b.words[len(b.words)-1] {
		return false
	}
	family := a.words[len(a.words)-1]
	given, others := a.words[:len(a.words)-1], b.words[:len(b.words)-1]
	if len(given) > len(others) {
		given, others = others, given
	}
	given, others = spread(given, others), spread(others, given)
	if len(given) > len(others) {
		return false
	}
	abbreviated := 0
	for i, g := range given {
		switch o := others[i]; {
		case g == o:
		case short(g) && strings.HasPrefix(o, g), short(o) && strings.HasPrefix(g, o):
			abbreviated++
		default:
			return false
		}
	}
	if abbreviated == 0 || short(family) {
		return false
	}
	r.pattern = Initials
	r.add("name", 1.5, "The family names are equal, and the initials fit the first names.")
	if len(given) > 1 && len(given) == len(others) {
		r.add("initials", 2, "There are several initials, and all fit.")
	}
	if c.rare(family, 2) {
		r.add("rare", 1.5, "Nobody else has that family name.")
	} else if !c.rare(family, 5) {
		r.add("frequent", -1.5, "Many people have that family name.")
	}
	return true
}

// spread separates joined initials: "jrr" becomes "j r r" if the other name has three first names.
func spread(given, others []string) []string {
	if len(given) != 1 || len(others) < 2 || len(given[0]) != len(others) {
		return given
	}
	return strings.Split(given[0], "")
}

// compareShort reports whether long has all words of brief in their order, and
// more.
func (c corpus) compareShort(r *comparison, brief, long form, person bool) bool {
	if len(brief.words) >= len(long.words) || !isSubsequence(brief.words, long.words) || len(brief.content()) == 0 {
		return false
	}
	first, last := brief.words[0] == long.words[0], brief.words[len(brief.words)-1] == long.words[len(long.words)-1]
	several := len(brief.content()) > 1
	r.pattern = ShortName
	r.vetoed = !person || !several || !first || !last
	switch {
	case !r.vetoed:
		r.add("name", 4, "First and family names are equal; one has a middle name.")
	case person && !several && last:
		r.add("name", 0, "One name is the other's family name.")
	case person && !several && first:
		r.add("name", -1, "One name is the other's first name.")
	case several && first && !person:
		r.add("name", -2, "One name starts like the other and ends earlier; the rest may make it a different thing.")
	case several && first:
		r.add("name", 0, "One name starts like the other and ends earlier.")
	case several:
		r.add("name", -1.5, "One name contains all words of the other.")
	case first:
		r.add("name", -3, "One name is the first word of the other.")
	default:
		r.add("name", -4, "One name is part of the other.")
	}
	if !slices.ContainsFunc(brief.content(), func(w string) bool { return !c.rare(w, 2) }) {
		r.add("rare", 2, "Nothing else has that name.")
	}
	return true
}

func isSubsequence(some, all []string) bool {
	i := 0
	for _, w := range all {
		if i < len(some) && some[i] == w {
			i++
		}
	}
	return i == len(some)
}

// compareTypo reports whether one word differs in a letter or two and all others
// are equal.
func (c corpus) compareTypo(r *comparison, a, b form) bool {
	if len(a.words) != len(b.words) {
		return false
	}
	at := -1
	for i := range a.words {
		if a.words[i] == b.words[i] {
			continue
		}
		if at >= 0 {
			return false
		}
		at = i
	}
	x, y := []rune(a.words[at]), []rune(b.words[at])
	if len(x) < len(y) {
		x, y = y, x
	}
	n := distance(x, y)
	if len(y) < 4 || n > 2 || n == 2 && len(y) < 8 || hasDigit(a.words[at]+b.words[at]) {
		return false
	}
	r.pattern = Typo
	rare := c.rare(a.words[at], 1) || c.rare(b.words[at], 1)
	switch {
	case n == 1 && len(y) > 7:
		r.add("name", 3, "A long word differs in one letter.")
	case n == 1 && len(y) > 5:
		r.add("name", 2.5, "A word differs in one letter.")
	case n == 1:
		r.add("name", 1, "A short word differs in one letter.")
	default:
		r.add("name", 1.5, "A long word differs in two letters.")
	}
	if !rare {
		r.add("words", -4, "Both spellings occur in other names.")
	}
	switch {
	case n == 1 && isEnding(x, y):
		r.vetoed = true
		r.add("ending", -4, "Perhaps only the grammatical ending differs.")
	case len(a.words) == 1 && len(y) < 8:
		r.add("short", -2, "Many short words are almost alike.")
	}
	if x[0] != y[0] {
		r.add("first letter", -1.5, "The first letters differ.")
	}
	if len(a.words) > 1 {
		r.add("others", 0.5, "All other words are equal.")
	}
	return true
}

// isEnding reports whether the longer of two words is the shorter and a letter, or one
// ends in s where the other has another letter: "Indians", "Indiana".
func isEnding(long, short []rune) bool {
	n := len(short) - 1
	return slices.Equal(long[:len(long)-1], short) || len(long) == len(short) && slices.Equal(long[:n], short[:n]) && (long[n] == 's' || short[n] == 's')
}

// distance returns the number of letters to insert, delete, change or swap with
// their neighbour to get from a to b, or 3 if there are more than two.
func distance(a, b []rune) int {
	const most = 3
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		next[0] = i + 1
		least := next[0]
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(last[j]+cost, last[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
			least = min(least, next[j+1])
		}
		if least >= most {
			return most
		}
		before, last, next = last, next, before
	}
	return min(last[len(b)], most)
}

// compareSounds reports whether the names are transliterations of one another.
func compareSounds(r *comparison, a, b form) bool {
	x, y := skeletons(a.words), skeletons(b.words)
	if !slices.Equal(x, y) || len(strings.Join(x, "")) < 4 {
		return false
	}
	r.pattern = Transliterated
	if isForeign(a.words) != isForeign(b.words) {
		r.add("name", 5.5, "The same sounds in another script.")
	} else {
		r.add("name", 1, "The same sounds, spelled by another system.")
	}
	return true
}

// distinguish adds the reasons that tell namesakes apart.
func distinguish(r *comparison, a, b form) {
	switch {
	case a.number == b.number:
	case a.number != "" && b.number != "":
		r.vetoed = true
		r.add("numbers", -20, "The names have different numbers.")
	default:
		r.vetoed = true
		r.add("numbers", -6, "Only one name has a number.")
	}
	switch {
	case a.younger == b.younger:
	case a.younger != "" && b.younger != "":
		r.vetoed = true
		r.add("generation", -20, "One is the elder, the other the younger.")
	default:
		r.vetoed = true
		r.add("generation", -5, "Only one name states its generation.")
	}
	if a.gender != 0 && b.gender != 0 && a.gender != b.gender {
		r.vetoed = true
		r.add("gender", -10, "One is addressed as a man, the other as a woman.")
	}
	switch {
	case a.qualifier == b.qualifier:
	case a.qualifier != "" && b.qualifier != "":
		r.vetoed = true
		r.add("addition", -10, "The additions in parentheses differ.")
	default:
		r.vetoed = true
		r.add("addition", -3, "Only one name has an addition in parentheses.")
	}
	if r.pattern == ShortName && (a.tail > 0) != (b.tail > 0) && len(a.words) != len(b.words) {
		r.add("addition", -2, "Only one name has an addition after a comma.")
	}
	if r.pattern == ShortName && (opposed[firstExtra(a, b)] || opposed[firstExtra(b, a)]) {
		r.add("direction", -5, "One name has a word that distinguishes parts or neighbours.")
	}
}

// opposed are words that make another thing of a name.
var opposed = prose.KeySet(`north south east west northern southern eastern western central new old upper lower great little inner outer greater
	junior senior women woman men girls boys youth under non anti ex vice deputy assistant second third`)

// firstExtra returns the first word of long that brief lacks.
func firstExtra(brief, long form) string {
	return lists.First(long.words, func(w string) bool { return !slices.Contains(brief.words, w) })
}
