package parse

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A tongue holds the likelihood of a language's letters, so that the readings of bytes in two encodings can be
// compared. A cost is the negative logarithm of a likelihood.
type tongue struct {
	letters map[rune]float64 // the cost of letters, in lower case
	latin   bool             // ASCII letters belong to it
	marks   bool             // its letters are words or syllables, mixed with ASCII
}

// The costs of letters that a tongue does not list, and of characters that are not text.
const (
	strangeCost = 10
	brokenCost  = 16
)

//go:embed letters.txt
var lettersFile string

// eachLetters calls f for each line of the file of letters.
func eachLetters(f func(kind, group, letters string)) {
	for line := range strings.Lines(lettersFile) {
		if fields := strings.Fields(line); !strings.HasPrefix(line, "#") {
			f(fields[0], fields[1], fields[2])
		}
	}
}

// tongues returns the tongues by the group of encodings with their letters.
var tongues = sync.OnceValue(func() map[string][]*tongue {
	groups, common := make(map[string][]*tongue), make(map[string]string)
	eachLetters(func(kind, group, letters string) {
		switch kind {
		case "accented":
			groups[group] = append(groups[group], &tongue{letters: ranked(letters, 4, 0.22), latin: true})
		case "alphabet":
			groups[group] = append(groups[group], &tongue{letters: ranked(letters, 2.2, 0.1)})
		default:
			common[group] = letters
		}
	})
	groups["simplified"] = []*tongue{characters(simplifiedchinese.GBK, common["simplified"], plane{0xB0, 0xD7, 0xA1, 9.4}, plane{0xD8, 0xF7, 0xA1, 13})}
	groups["traditional"] = []*tongue{characters(traditionalchinese.Big5, common["traditional"], plane{0xA4, 0xC6, 0x40, 9.6}, plane{0xC9, 0xF9, 0x40, 14})}
	groups["japanese"] = []*tongue{characters(japanese.EUCJP, common["japanese"], plane{0xB0, 0xCF, 0xA1, 9}, plane{0xD0, 0xF4, 0xA1, 13.5})}
	groups["korean"] = []*tongue{characters(korean.EUCKR, common["korean"], plane{0xB0, 0xC8, 0xA1, 8.4}, plane{0xCA, 0xFD, 0xA1, 13})}
	kana := groups["japanese"][0].letters
	for r := 'ぁ'; r <= 'ん'; r++ {
		kana[r] = 5.2
	}
	for _, r := range "のにはをたがでてとしれさいるなもかっらりくきあまうすこけそよ" {
		kana[r] = 3.9
	}
	for r := 'ァ'; r <= 'ー'; r++ {
		kana[r] = 5.6
	}
	for r := '｡'; r <= 'ﾟ'; r++ {
		kana[r] = 7
	}
	return groups
})

// ranked returns the costs of letters that are listed by frequency.
func ranked(letters string, first, step float64) map[rune]float64 {
	costs := make(map[rune]float64)
	for _, r := range letters {
		if _, twice := costs[r]; !twice {
			costs[r] = first
			first += step
		}
	}
	return costs
}

// A plane is a part of an encoding with two bytes to a character, from one lead byte to
// another.
type plane struct {
	from, to, trail byte
	cost            float64
}

// characters returns the tongue of an encoding with thousands of characters: the common
// ones are listed, and the encoding has the others in planes by how rare they are.
func characters(codec encoding.Encoding, common string, planes ...plane) *tongue {
	t := &tongue{letters: make(map[rune]float64), marks: true}
	for _, p := range planes {
		var all []byte
		for lead := int(p.from); lead <= int(p.to); lead++ {
			for trail := int(p.trail); trail <= 0xFE; trail++ {
				all = append(all, byte(lead), byte(trail), '\n')
			}
		}
		text, _ := codec.NewDecoder().Bytes(all)
		for _, r := range string(text) {
			if _, taken := t.letters[r]; !taken && unicode.IsLetter(r) && r >= 0x1100 {
				t.letters[r] = p.cost
			}
		}
	}
	n := 0
	for _, r := range common {
		if t.letters[r] = 7; n < 120 {
			t.letters[r] = 5.6
		}
		n++
	}
	for _, r := range "，。、：；？！（）「」『』《》“”・〜…—　" {
		t.letters[r] = 4.6
	}
	return t
}

// costOf returns the cost of a text in an encoding: that of the likeliest of its tongues. A cost above most is not
// added up to its end.
func costOf(s string, e *Encoding, most float64) float64 {
	least := most
	runes := []rune(s)
	for _, t := range e.langs {
		least = min(least, t.cost(runes, least))
	}
	return least + float64(e.tells)
}

// costInAny returns the cost of a text in the likeliest of all tongues, but no more than most.
func costInAny(s string, most float64) float64 {
	runes := []rune(s)
	for _, group := range tongues() {
		for _, t := range group {
			most = min(most, t.cost(runes, most))
		}
	}
	return most
}

// cost adds up the costs of a text's characters until they exceed most.
func (t *tongue) cost(text []rune, most float64) float64 {
	sum := 0.0
	for i, r := range text {
		before, after := ' ', ' '
		if i > 0 {
			before = text[i-1]
		}
		if i+1 < len(text) {
			after = text[i+1]
		}
		if sum += t.char(before, r, after); sum > most {
			break
		}
	}
	return sum
}

// char returns the cost of a character between two others.
func (t *tongue) char(before, r, after rune) float64 {
	switch {
	case r < 0x80:
		return t.ascii(before, r)
	case r == '\uFFFD':
		return brokenCost
	case unicode.IsLetter(r) || unicode.IsMark(r) || t.letters[r] > 0:
		return t.letter(before, r, after)
	}
	return t.sign(before, r, after)
}

func (t *tongue) ascii(before, r rune) float64 {
	cost := 4.5
	switch {
	case r == ' ' || r == '\n':
		cost = 2
	case r >= 'a' && r <= 'z':
		if cost = 3; unicode.IsUpper(before) && before >= 0x80 && !t.latin {
			cost += 2
		}
	case r >= 'A' && r <= 'Z':
		if unicode.IsLower(before) {
			cost += 4
		}
	case r >= '0' && r <= '9':
		cost = 3.5
	case r < ' ' && r != '\r' && r != '\t' && r != '\f' || r == 0x7F:
		cost = 12
	}
	return cost + t.mixed(before, r)
}

// mixed returns the cost of letters of two scripts next to each other.
func (t *tongue) mixed(a, b rune) float64 {
	switch {
	case t.latin || !unicode.IsLetter(a) || !unicode.IsLetter(b) || (a < 0x250) == (b < 0x250):
		return 0
	case t.marks:
		return 4
	}
	return 6
}

func (t *tongue) letter(before, r, after rune) float64 {
	cost, listed := t.letters[unicode.ToLower(r)]
	if !listed {
		cost = strangeCost
		if !inAny(r) || t.marks {
			cost = brokenCost
		}
	}
	cost += t.mixed(before, r)
	if unicode.IsMark(r) && !t.latin && before < 0x250 {
		cost += 8
	}
	if t.marks && isLatin(before) && isLatin(after) {
		cost += 6
	}
	switch {
	case unicode.IsUpper(r):
		cost += 1.5
		if unicode.IsLower(before) {
			cost += 6
		}
	case unicode.IsLower(r) && unicode.IsUpper(before) && before >= 0x80 && unicode.IsUpper(after):
		cost += 3
	}
	if strings.ContainsRune("םןץףךςى", r) && unicode.IsLetter(after) { // only at the end of a word
		cost += 5
	}
	return cost
}

// sign returns the cost of a sign other than a letter. Few occur within words.
func (t *tongue) sign(before, r, after rune) float64 {
	cost := 9.0
	switch {
	case strings.ContainsRune("“”„«»‘’–—…\u00A0", r):
		cost = 5
	case strings.ContainsRune("•·°§€№©®™£½²³×±،؛؟।", r):
		cost = 6.5
	case unicode.IsControl(r) || !unicode.IsGraphic(r):
		return brokenCost
	}
	if t.marks && (isLatin(before) || isLatin(after)) {
		cost += 4
	}
	if r != '’' && r != '·' && unicode.IsLetter(before) && unicode.IsLetter(after) {
		cost += 4
	}
	if strings.ContainsRune("«„“£$½", r) && unicode.IsLetter(before) || strings.ContainsRune("²³°%", r) && unicode.IsLetter(after) {
		cost += 3
	}
	return cost
}

func isAccented(r rune) bool { return r >= 0xC0 && r < 0x250 }

func isLatin(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// inAny reports whether some listed alphabet contains a letter.
func inAny(r rune) bool { return listed()[unicode.ToLower(r)] }

var listed = sync.OnceValue(func() map[rune]bool {
	all := make(map[rune]bool)
	eachLetters(func(kind, _, letters string) {
		for _, r := range letters {
			all[r] = all[r] || kind != "common"
		}
	})
	return all
})

// wideCost returns the mean cost of a character of a text in Unicode, in any language.
func wideCost(s string) float64 {
	sum, n, before := 0.0, 0, ' '
	for _, r := range s {
		if n++; isAccented(before) && r >= 0x3000 || isAccented(r) && before >= 0x3000 {
			sum += 6
		}
		before = r
		sum += wideChar(r)
	}
	return sum / float64(max(1, n))
}

func wideChar(r rune) float64 {
	switch {
	case r < 0x80:
		return 3
	case r < 0x180 || r < 0x250 && inAny(r) || r >= 0x370 && r < 0x6FF || r >= 0xE00 && r < 0xE7F:
		return 5
	case r >= 0x2010 && r < 0x2040 || r >= 0x3000 && r < 0x3100 || r >= 0xFF00 && r < 0xFF60:
		return 5.5
	case r >= 0x4E00 && r < 0xA000 || r >= 0xAC00 && r < 0xD7A4:
		for _, group := range []string{"simplified", "traditional", "japanese", "korean"} {
			if c := tongues()[group][0].letters[r]; c > 0 && c < 9 {
				return c
			}
		}
		return 9
	case unicode.IsLetter(r):
		return 13
	case unicode.IsGraphic(r):
		return 11
	}
	return brokenCost
}
