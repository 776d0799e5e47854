package resolve

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/prose"
)

// A form is a parsed name. Words that tell namesakes apart, such as numbers, are kept apart from the words that are
// compared.
type form struct {
	key       string
	words     []string // of the key, without titles, numbers, generations and legal forms
	gender    byte     // from a title: 'm' or 'f'; 0 if unknown
	title     string
	legal     bool
	capitals  bool   // written as an acronym
	number    string // all numbers in the name
	younger   string // "jr", "sr"; "" if the name doesn't say
	qualifier string // in parentheses, or after a comma
	tail      int    // number of words in the qualifier after a comma; 0 if there is none
	alias     bool   // in addition to the entity's own name
}

var (
	maleTitles   = prose.KeySet("mr sir lord king prince duke count emperor father brother baron earl herr monsieur señor don")
	femaleTitles = prose.KeySet("mrs ms miss dame lady queen princess duchess countess empress sister baroness frau mme mlle madame señora")
	otherTitles  = prose.KeySet("dr doctor prof professor rev reverend president captain colonel general major saint st pope bishop archbishop admiral lieutenant sergeant senator governor judge chancellor")
	legalForms   = prose.KeySet("inc incorporated ltd limited llc corp corporation plc gmbh ag sa nv")
	generations  = map[string]string{"jr": "jr", "junior": "jr", "younger": "jr", "sr": "sr", "senior": "sr", "elder": "sr"}
	smallWords   = prose.KeySet("of the and for in on at de la le du des der die das von van und et y a an to")
	numberWords  = numbering("one first i|two second ii|three third iii|four fourth iv|five fifth v|six sixth vi|seven seventh vii|eight eighth viii|nine ninth ix|ten tenth x|eleven eleventh xi|twelve twelfth xii|thirteen thirteenth xiii|fourteen fourteenth xiv|fifteen fifteenth xv|sixteen sixteenth xvi|seventeen seventeenth xvii|eighteen eighteenth xviii|nineteen nineteenth xix|twenty twentieth xx")
)

// numbering maps the words of the nth group to n in digits.
func numbering(groups string) map[string]string {
	of := map[string]string{}
	n := 0
	for group := range strings.SplitSeq(groups, "|") {
		n++
		for word := range strings.FieldsSeq(group) {
			of[word] = decimal(n)
		}
	}
	return of
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

// parse takes a name as written apart.
func parse(name string) form {
	f := form{key: prose.Key(name), capitals: isAcronym(name)}
	if open := strings.LastIndexByte(name, '('); open > 0 && strings.HasSuffix(strings.TrimSpace(name), ")") {
		f.qualifier, name = prose.Key(strings.TrimSuffix(strings.TrimSpace(name[open+1:]), ")")), name[:open]
	}
	head, behind, comma := strings.Cut(name, ",")
	f.words = strings.Fields(prose.Key(head))
	f.strip()
	if !comma {
		return f
	}
	tail := form{words: strings.Fields(prose.Key(behind))}
	tail.strip()
	f.younger, f.legal = f.younger+tail.younger, f.legal || tail.legal
	f.title, f.number = strings.TrimSpace(f.title+" "+tail.title), strings.TrimSpace(f.number+" "+tail.number)
	if tail.gender != 0 {
		f.gender = tail.gender
	}
	if len(tail.words) == 1 && generations[tail.words[0]] != "" {
		f.younger = generations[tail.words[0]]
		return f
	}
	if len(tail.words) == 1 && legalForms[tail.words[0]] {
		f.legal = true
		return f
	}
	f.tail = len(tail.words)
	f.words = append(f.words, tail.words...)
	return f
}

// strip moves titles, numbers, generations and legal forms out of the words. A
// last word stays.
func (f *form) strip() {
	for len(f.words) > 1 && isTitle(f.words[0]) {
		switch {
		case maleTitles[f.words[0]]:
			f.gender = 'm'
		case femaleTitles[f.words[0]]:
			f.gender = 'f'
		}
		f.title, f.words = strings.TrimSpace(f.title+" "+f.words[0]), f.words[1:]
	}
	for len(f.words) > 1 {
		last := f.words[len(f.words)-1]
		switch {
		case generations[last] != "":
			f.younger = generations[last]
		case legalForms[last]:
			f.legal = true
		default:
			f.numbers()
			return
		}
		f.words = f.words[:len(f.words)-1]
		if n := len(f.words); n > 1 && (f.words[n-1] == "the" || f.words[n-1] == "and") {
			f.words = f.words[:n-1] // "the Elder", "and Company"
		}
	}
	f.numbers()
}

// numbers moves the numbers out of the words. The letters i, v and x are numbers
// only at the end, elsewhere they are initials.
func (f *form) numbers() {
	var numbers, words []string
	for i, w := range f.words {
		n := numberWords[w]
		switch {
		case hasDigit(w):
			numbers = append(numbers, strings.TrimLeft(w, "0"))
		case n != "" && i > 0 && (len(w) > 1 || i == len(f.words)-1):
			numbers = append(numbers, n)
		default:
			words = append(words, w)
		}
	}
	if len(words) > 0 {
		f.words = words
	}
	f.number = strings.Join(numbers, " ")
}

func isTitle(w string) bool { return maleTitles[w] || femaleTitles[w] || otherTitles[w] }

func hasDigit(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) }

// isAcronym reports whether a name is written in capitals, with full stops or
// without: "NATO", "U.N."
func isAcronym(name string) bool {
	letters := 0
	for _, r := range name {
		switch {
		case unicode.IsUpper(r):
			letters++
		case r != '.':
			return false
		}
	}
	return letters > 1
}

// rotated returns the form of "Family, Given" with the given names first.
func (f form) rotated() form {
	head := len(f.words) - f.tail
	f.words = slices.Concat(f.words[head:], f.words[:head])
	f.tail = 0
	return f
}

// squashed returns the words without spaces.
func (f form) squashed() string { return strings.Join(f.words, "") }

// sorted returns the words in alphabetical order.
func (f form) sorted() string {
	return strings.Join(slices.Sorted(slices.Values(f.words)), " ")
}

// content returns the words that aren't small.
func (f form) content() []string {
	return slices.DeleteFunc(slices.Clone(f.words), func(w string) bool { return smallWords[w] })
}

// initials returns the first letter of each word. It skips small words unless small is set.
func (f form) initials(small bool) string {
	var b strings.Builder
	for _, w := range f.words {
		if small || !smallWords[w] {
			for _, r := range w {
				b.WriteRune(r)
				break
			}
		}
	}
	return b.String()
}

// short reports whether a word is an initial.
func short(w string) bool {
	n := 0
	for range w {
		n++
	}
	return n == 1
}
