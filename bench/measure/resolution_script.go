package measure

import "strings"

// inOtherScript writes a name as newspapers of another script do: by ear, with
// the letters that are nearest, and vowels that are left out or put in.
func inOtherScript(d *draw, name string, person bool) string {
	words := strings.Fields(name)
	if len(words) > 3 || len(words) > 1 && !person {
		return ""
	}
	for i, w := range words {
		if !plain(w) || len(w) < 4 || strings.ToUpper(w) == w {
			return ""
		}
		words[i] = byEar.Replace(strings.ToLower(w))
	}
	write := pick(d, writers)
	for i, w := range words {
		words[i] = write(w)
	}
	return strings.Join(words, " ")
}

// byEar gives the sounds of English spellings, each in one or two letters: C
// stands for ch, S for sh, T for th, K for kh.
var byEar = strings.NewReplacer("sch", "S", "sh", "S", "tch", "C", "ch", "C", "ph", "f", "th", "T", "kh", "K", "ck", "k", "oo", "u", "ee", "i", "ea", "i", "ou", "u", "ough", "o",
	"qu", "kv", "x", "ks", "ce", "se", "ci", "si", "cy", "si", "c", "k", "q", "k", "ll", "l", "tt", "t", "ss", "s", "nn", "n", "mm", "m", "rr", "r", "pp", "p", "ff", "f", "dd", "d", "gg", "g", "bb", "b")

var writers = []func(string) string{georgian.Replace, armenian.Replace, semitic(arabic), semitic(hebrew), syllabic(hangul), syllabic(katakana)}

var (
	georgian = strings.NewReplacer("C", "ჩ", "S", "შ", "T", "თ", "K", "ხ", "a", "ა", "b", "ბ", "d", "დ", "e", "ე", "f", "ფ", "g", "გ", "h", "ჰ", "i", "ი", "j", "ჯ", "k", "კ", "l", "ლ", "m", "მ",
		"n", "ნ", "o", "ო", "p", "პ", "r", "რ", "s", "ს", "t", "ტ", "u", "უ", "v", "ვ", "w", "ვ", "y", "ი", "z", "ზ")
	armenian = strings.NewReplacer("C", "չ", "S", "շ", "T", "թ", "K", "խ", "a", "ա", "b", "բ", "d", "դ", "e", "ե", "f", "ֆ", "g", "գ", "h", "հ", "i", "ի", "j", "ջ", "k", "կ", "l", "լ", "m", "մ",
		"n", "ն", "o", "ո", "p", "պ", "r", "ր", "s", "ս", "t", "տ", "u", "ու", "v", "վ", "w", "վ", "y", "ի", "z", "զ")
	arabic = strings.NewReplacer("C", "تش", "S", "ش", "T", "ث", "K", "خ", "a", "ا", "b", "ب", "d", "د", "f", "ف", "g", "غ", "h", "ه", "i", "ي", "j", "ج", "k", "ك", "l", "ل", "m", "م",
		"n", "ن", "o", "و", "p", "ب", "r", "ر", "s", "س", "t", "ت", "u", "و", "v", "ف", "w", "و", "y", "ي", "z", "ز", "e", "")
	hebrew = strings.NewReplacer("C", "צ", "S", "ש", "T", "ת", "K", "ח", "a", "א", "b", "ב", "d", "ד", "f", "פ", "g", "ג", "h", "ה", "i", "י", "j", "ג", "k", "ק", "l", "ל", "m", "מ",
		"n", "נ", "o", "ו", "p", "פ", "r", "ר", "s", "ס", "t", "ט", "u", "ו", "v", "ו", "w", "ו", "y", "י", "z", "ז", "e", "")
)

// semitic writes the vowels a and e only at the start of a word.
func semitic(letters *strings.Replacer) func(string) string {
	return func(word string) string {
		var inner strings.Builder
		for i, r := range word {
			if i == 0 || r != 'e' && r != 'a' {
				inner.WriteRune(r)
			}
		}
		return letters.Replace(strings.Replace(inner.String(), "e", "a", 1))
	}
}

// syllabic writes a word in syllables of a consonant and a vowel; a consonant
// without a vowel gets a weak one.
func syllabic(syllable func(consonant, vowel rune) string) func(string) string {
	return func(word string) string {
		var b strings.Builder
		consonant := rune(0)
		for _, r := range word {
			switch {
			case strings.ContainsRune("aeiouy", r):
				b.WriteString(syllable(consonant, r))
				consonant = 0
			default:
				if consonant != 0 {
					b.WriteString(syllable(consonant, 0))
				}
				consonant = r
			}
		}
		if consonant != 0 {
			b.WriteString(syllable(consonant, 0))
		}
		return b.String()
	}
}

// hangul returns a syllable of the Korean script.
func hangul(consonant, vowel rune) string {
	initial, known := map[rune]rune{
		0: 11, 'b': 7, 'C': 14, 'd': 3, 'f': 17, 'g': 0, 'h': 18, 'j': 12, 'k': 15, 'K': 15, 'l': 5, 'm': 6, 'n': 2, 'p': 17, 'r': 5, 's': 9, 'S': 9, 't': 16, 'T': 9, 'v': 7, 'w': 11, 'z': 12,
	}[consonant]
	if !known {
		return ""
	}
	medial, known := map[rune]rune{'a': 0, 'e': 5, 'i': 20, 'o': 8, 'u': 13, 'y': 20}[vowel]
	if !known {
		medial = 18
	}
	return string(0xac00 + (initial*21+medial)*28)
}

// katakana returns a syllable of the Japanese script.
func katakana(consonant, vowel rune) string {
	row, known := map[rune]string{
		0: "アイウエオ", 'b': "バビブベボ", 'd': "ダヂヅデド", 'f': "ハヒフヘホ", 'g': "ガギグゲゴ", 'h': "ハヒフヘホ", 'j': "ザジズゼゾ", 'k': "カキクケコ", 'K': "カキクケコ", 'l': "ラリルレロ",
		'm': "マミムメモ", 'n': "ナニヌネノ", 'p': "パピプペポ", 'r': "ラリルレロ", 's': "サシスセソ", 'S': "サシスセソ", 't': "タチツテト", 'C': "タチツテト", 'T': "サシスセソ", 'v': "バビブベボ", 'w': "アイウエオ", 'z': "ザジズゼゾ",
	}[consonant]
	if consonant == 'n' && vowel == 0 {
		return "ン"
	}
	if !known {
		return ""
	}
	at := map[rune]int{'a': 0, 'i': 1, 'y': 1, 'u': 2, 0: 2, 'e': 3, 'o': 4}[vowel]
	if consonant == 'd' {
		return []string{"ダ", "ディ", "ドゥ", "デ", "ド"}[at]
	}
	return string([]rune(row)[at])
}
