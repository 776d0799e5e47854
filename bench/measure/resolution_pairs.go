package measure

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// draw is a source of choices that follows from a name alone.
type draw struct{ state uint64 }

func drawFor(name, what string) *draw {
	h := fnv.New64a()
	h.Write([]byte(what + "\x00" + name))
	return &draw{h.Sum64()}
}

// below returns a number from 0 to n-1.
func (d *draw) below(n int) int {
	d.state += 0x9e3779b97f4a7c15 // SplitMix64
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// chance reports whether something happens that does so in some of a hundred
// cases.
func (d *draw) chance(percent int) bool { return d.below(100) < percent }

func pick[T any](d *draw, list []T) T { return list[d.below(len(list))] }

// A noise writes a name differently; it returns "" where it can't.
type noise struct {
	kind  string
	write func(d *draw, name string, person bool) string
}

// noises are the ways in which two names of one thing differ.
var noises = []noise{
	{"typo", misspell},
	{"initials", initialled},
	{"reordered", familyFirst},
	{"acronym", acronym},
	{"title", entitled},
	{"transliterated", transliterated},
	{"other script", inOtherScript},
	{"alias", func(*draw, string, bool) string { return "" }}, // another name altogether, see nickname
	{"case", func(d *draw, name string, _ bool) string {
		return pick(d, []func(string) string{strings.ToUpper, strings.ToLower})(name)
	}},
	{"punctuation", punctuated},
	{"middle name", withMiddle},
}

// misspell changes, drops, doubles or swaps a letter of a word that has at least
// five.
func misspell(d *draw, name string, _ bool) string {
	words := strings.Fields(name)
	var long []int
	for i, w := range words {
		if len(w) > 4 && plain(w) {
			long = append(long, i)
		}
	}
	if len(long) == 0 {
		return ""
	}
	i := pick(d, long)
	w := []rune(words[i])
	at := 1 + d.below(len(w)-2)
	switch d.below(4) {
	case 0:
		w[at] = rune(pick(d, strings.Split("aeiounrstl", ""))[0])
	case 1:
		w = slices.Delete(w, at, at+1)
	case 2:
		w = slices.Insert(w, at, w[at])
	default:
		w[at], w[at+1] = w[at+1], w[at]
	}
	if string(w) == words[i] {
		w = slices.Delete(w, at, at+1)
	}
	words[i] = string(w)
	return strings.Join(words, " ")
}

// plain reports whether a word has letters from a to z alone.
func plain(w string) bool {
	return !strings.ContainsFunc(strings.ToLower(w), func(r rune) bool { return r < 'a' || r > 'z' })
}

// people splits the name of a person; ok is false for any other name, and for
// one with particles or numbers.
func people(name string, person bool) (words []string, ok bool) {
	words = strings.Fields(name)
	ok = person && len(words) > 1 && len(words) < 5
	for _, w := range words {
		ok = ok && len(w) > 1 && 'A' <= w[0] && w[0] <= 'Z' && !strings.ContainsAny(w, ".,(0123456789") && strings.ToUpper(w) != w
	}
	return words, ok
}

func initialled(d *draw, name string, person bool) string {
	words, ok := people(name, person)
	if !ok {
		return ""
	}
	short := slices.Clone(words)
	for i := range len(words) - 1 {
		short[i] = string([]rune(words[i])[:1]) + "."
	}
	if len(words) > 2 && d.chance(50) {
		short[0] = words[0] // "John R. Smith"
	}
	return strings.Join(short, " ")
}

func familyFirst(_ *draw, name string, person bool) string {
	words, ok := people(name, person)
	if !ok {
		return ""
	}
	last := len(words) - 1
	return words[last] + ", " + strings.Join(words[:last], " ")
}

var little = prose.KeySet("of the and for in on at de la")

func acronym(_ *draw, name string, person bool) string {
	words := strings.Fields(name)
	if person || titles[strings.ToLower(words[0])] || len(words) < 3 || len(words) > 6 || strings.ContainsAny(name, "(,0123456789") {
		return ""
	}
	var letters strings.Builder
	for _, w := range words {
		if first := []rune(w)[0]; !little[strings.ToLower(w)] {
			if !plain(string(first)) {
				return ""
			}
			letters.WriteRune(first)
		}
	}
	if letters.Len() < 3 {
		return ""
	}
	return strings.ToUpper(letters.String())
}

func entitled(d *draw, name string, person bool) string {
	if _, ok := people(name, person); !ok || titles[strings.ToLower(strings.Fields(name)[0])] {
		return ""
	}
	return pick(d, []string{"Dr.", "Professor", "Sir", "Senator", "Captain"}) + " " + name
}

var titles = prose.KeySet("dr professor sir senator captain king queen prince princess lord lady duke count president saint pope")

// cyrillic writes Latin letters in Cyrillic ones as practical transcription does.
var cyrillic = strings.NewReplacer("sch", "ш", "sh", "ш", "ch", "ч", "ph", "ф", "th", "т", "ck", "к", "oo", "у", "ee", "и", "zh", "ж", "ts", "ц", "ya", "я", "yu", "ю", "qu", "кв",
	"ce", "се", "ci", "си", "cy", "си", "ay", "ай", "ey", "ей", "oy", "ой", "ia", "ия", "iu", "ию",
	"a", "а", "b", "б", "c", "к", "d", "д", "e", "е", "f", "ф", "g", "г", "h", "х", "i", "и", "j", "дж", "k", "к", "l", "л", "m", "м",
	"n", "н", "o", "о", "p", "п", "q", "к", "r", "р", "s", "с", "t", "т", "u", "у", "v", "в", "w", "в", "x", "кс", "y", "и", "z", "з")

// transliterated writes a name of one to three words in Cyrillic letters. Words
// of the language, such as "the", would be translated instead.
func transliterated(_ *draw, name string, person bool) string {
	words := strings.Fields(name)
	if len(words) > 3 || len(words) > 1 && !person {
		return ""
	}
	for i, w := range words {
		if !plain(w) || len(w) < 3 || strings.ToUpper(w) == w {
			return ""
		}
		words[i] = cyrillic.Replace(strings.ToLower(w))
	}
	return strings.Join(words, " ")
}

// punctuated joins or parts words, or writes initials with full stops.
func punctuated(d *draw, name string, _ bool) string {
	for _, c := range [][2]string{{" and ", " & "}, {"-", ""}, {"-", " "}, {" & ", " and "}, {"'", ""}} {
		if strings.Contains(name, c[0]) && d.chance(70) {
			return strings.Replace(name, c[0], c[1], 1)
		}
	}
	words := strings.Fields(name)
	if len(words) != 2 || !plain(words[0]+words[1]) || len(words[0])+len(words[1]) < 8 {
		return ""
	}
	return words[0] + pick(d, []string{"", "-"}) + strings.ToLower(words[1])
}

// withMiddle drops a middle name.
func withMiddle(_ *draw, name string, person bool) string {
	words, ok := people(name, person)
	if !ok || len(words) < 3 || little[strings.ToLower(words[1])] {
		return ""
	}
	return words[0] + " " + words[len(words)-1]
}

// nickname makes another name of a word of each of two names.
func nickname(d *draw, name, other string) string {
	last := func(name string) string {
		words := strings.Fields(name)
		return words[len(words)-1]
	}
	mine, theirs := last(name), last(other)
	if len(mine) < 4 || len(theirs) < 4 || !plain(mine) || !plain(theirs) {
		return ""
	}
	return pick(d, []string{"Old", "Big", "Silver", "Mighty"}) + " " + theirs + " " + pick(d, []string{"Hand", "Rock", "Arrow", "Crown", "Lamp", "Stone"})
}

// A homonym makes the names of other things that are nearly called like one;
// none where it can't.
type homonym struct {
	kind  string
	write func(d *draw, name string, person bool, firsts []string) []string
	close bool // they know the same others, as father and son do
}

var homonyms = []homonym{
	{"first names", func(d *draw, name string, person bool, firsts []string) []string {
		words, ok := people(name, person)
		if !ok {
			return nil
		}
		first := pick(d, firsts)
		if first[0] == words[0][0] {
			return nil
		}
		return []string{strings.Join(append([]string{first}, words[1:]...), " ")}
	}, true},
	{"first names, other script", func(d *draw, name string, person bool, firsts []string) []string {
		words, ok := people(name, person)
		first := pick(d, firsts)
		if !ok || first[0] == words[0][0] {
			return nil
		}
		if other := inOtherScript(d, strings.Join(append([]string{first}, words[1:]...), " "), true); other != "" {
			return []string{other}
		}
		return nil
	}, true},
	{"same initial", func(d *draw, name string, person bool, firsts []string) []string {
		words, ok := people(name, person)
		for range 40 {
			first := pick(d, firsts)
			if ok && first[0] == words[0][0] && first != words[0] && near(first, words[0]) > 2 {
				return []string{strings.Join(append([]string{first}, words[1:]...), " ")}
			}
		}
		return nil
	}, false},
	{"numbers", func(d *draw, name string, _ bool, _ []string) []string {
		if i := strings.IndexAny(name, "0123456789"); i >= 0 {
			digit := (int(name[i]-'0')+1+d.below(8))%9 + 1
			if digit == int(name[i]-'0') {
				digit = digit%9 + 1
			}
			return []string{name[:i] + strconv.Itoa(digit) + name[i+1:]}
		}
		return []string{name + pick(d, []string{" II", " III", " IV", " 2", " 3", " 11", " 12"})}
	}, true},
	{"sequels", func(d *draw, name string, person bool, _ []string) []string {
		if person || strings.ContainsAny(name, "(,") {
			return nil
		}
		return []string{pick(d, []string{"Return to " + name, name + " Returns", "The New " + name, name + ": The Beginning", "Beyond " + name})}
	}, true},
	{"places", func(d *draw, name string, person bool, _ []string) []string {
		if person || strings.ContainsAny(name, "(,0123456789") || len(strings.Fields(name)) > 2 {
			return nil
		}
		return []string{name + ", " + pick(d, []string{"Ohio", "Ontario", "Jamaica"}), name + ", " + pick(d, []string{"Victoria", "Scotland", "Illinois"})}
	}, false},
	{"generations", func(_ *draw, name string, person bool, _ []string) []string {
		if _, ok := people(name, person); !ok {
			return nil
		}
		return []string{name + " Sr.", name + " Jr."}
	}, true},
	{"additions", func(_ *draw, name string, person bool, _ []string) []string {
		if person || strings.ContainsAny(name, "(,") {
			return nil
		}
		return []string{name + " (novel)", name + " (band)"}
	}, false},
	{"directions", func(d *draw, name string, person bool, _ []string) []string {
		if person || strings.ContainsAny(name, "(,") || len(strings.Fields(name)) > 2 {
			return nil
		}
		return []string{"North " + name, "South " + name}
	}, true},
}

// near returns how many letters at the same place differ, at least.
func near(a, b string) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
