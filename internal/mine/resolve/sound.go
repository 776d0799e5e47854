package resolve

import (
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain/lists"
)

// Letters of other scripts in Latin ones. Several systems are in use for each,
// see skeleton.
var latin = letters(`а a б b в v г g д d е e ё e ж zh з z и i й i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ sh ъ  ы i ь  э e ю iu я ia і i ї i є e ґ g ў u ј j љ l њ n ћ c ђ d џ j
	ა a ბ b გ g დ d ე e ვ v ზ z თ t ი i კ k ლ l მ m ნ n ო o პ p ჟ zh რ r ს s ტ t უ u ფ p ქ k ღ gh ყ q შ sh ჩ ch ც ts ძ dz წ ts ჭ ch ხ kh ჯ j ჰ h
	ա a բ b գ g դ d ե e զ z է e ը e թ t ժ zh ի i լ l խ kh ծ ts կ k հ h ձ dz ղ gh ճ ch մ m յ y ն n շ sh ո o չ ch պ p ջ j ռ r ս s վ v տ t ր r ց ts ւ v փ p ք k օ o ֆ f
	α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ i φ f χ kh ψ ps ω o`)

func letters(pairs string) map[rune]string {
	of := map[rune]string{}
	var from rune
	for f := range strings.SplitSeq(strings.ReplaceAll(pairs, "\n\t", " "), " ") {
		switch r := []rune(f); {
		case len(r) == 1 && r[0] > unicode.MaxLatin1:
			from = r[0]
			of[from] = ""
		case f != "":
			of[from] = f
		}
	}
	return of
}

// romanized returns a word in Latin letters, and whether it had others.
func romanized(word string) (string, bool) {
	var b strings.Builder
	foreign := false
	for _, r := range strings.ReplaceAll(word, "ու", "у") { // the Armenian u has two letters
		if to, ok := latin[r]; ok {
			b.WriteString(to)
			foreign = true
		} else {
			b.WriteRune(r)
		}
	}
	return b.String(), foreign
}

// sounds unify the spellings of one sound in the usual systems of
// transliteration, the longer ones first. C stands for ch and ts.
var sounds = strings.NewReplacer(
	"shch", "s", "tsch", "C", "tch", "C", "sch", "s", "dzh", "j", "dj", "j", "ch", "C", "sh", "s", "zh", "j", "kh", "h", "ph", "f", "th", "t",
	"tz", "C", "ts", "C", "cz", "C", "sz", "s", "ck", "k", "cc", "k", "ks", "x", "gh", "g", "qu", "kv", "ou", "u", "oo", "u", "ee", "i", "ae", "e", "oe", "o", "ue", "u",
	"ce", "se", "ci", "si", "cy", "si", "c", "k", "w", "v", "y", "i", "q", "k",
)

// glides drops an i before another vowel.
var glides = strings.NewReplacer("ia", "a", "iu", "u", "ie", "e", "io", "o", "ii", "i")

// skeleton returns a word so that its usual transliterations are equal: in Latin
// letters, with one spelling for each sound and no letter twice.
func skeleton(word string) string {
	word, _ = romanized(word)
	word = glides.Replace(glides.Replace(sounds.Replace(word))) // "iia" has two
	var b strings.Builder
	last := rune(0)
	for _, r := range word {
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// skeletons returns the skeletons of words.
func skeletons(words []string) []string {
	return lists.Map(words, skeleton)
}

// isForeign reports whether one of the words is in another script than Latin.
func isForeign(words []string) bool {
	for _, w := range words {
		if _, foreign := romanized(w); foreign {
			return true
		}
	}
	return false
}
