package prose

import (
	"strings"
	"unicode"
)

// languageSample is how many bytes of a text tell its language.
const languageSample = 64 << 10

// fewWords is how many words a text must have for its language to be told by them.
const fewWords = 12

// Language returns the code of the language that most of a text is written in, or
// "" if that is not clear. It tells languages apart by script, and those in Latin
// letters by their function words.
func Language(text string) string {
	text = text[:min(len(text), languageSample)]
	script, latin := scriptOf(text)
	if !latin {
		return script
	}
	hits, words := map[string]int{}, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		words++
		for _, l := range languagesOf[word] {
			hits[l]++
		}
	}
	best, second := "", ""
	for _, l := range latinLanguages {
		switch {
		case hits[l.code] > hits[best]:
			best, second = l.code, best
		case hits[l.code] > hits[second]:
			second = l.code
		}
	}
	// Running text has a function word in three to five words; lists of names and
	// tables have few, and are left open.
	if words < fewWords || hits[best]*12 < words || hits[best]*5 < hits[second]*6 {
		return ""
	}
	return best
}

// scriptOf returns the language that the letters of a text tell, or whether they
// are Latin.
func scriptOf(text string) (code string, latin bool) {
	letters := 0
	in := make([]int, len(scripts))
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		for i, s := range scripts {
			if unicode.Is(s.table, r) {
				in[i]++
				break
			}
		}
	}
	japanese := in[1] + in[2]
	switch {
	case letters < fewWords:
		return "", false
	case in[0]*2 > letters:
		return "", true
	case japanese*10 > letters && (japanese+in[3])*2 > letters:
		return "ja", false
	}
	for i, s := range scripts[3:] {
		if in[i+3]*2 > letters {
			for _, m := range s.marks {
				if strings.ContainsAny(text, m.letters) {
					return m.code, false
				}
			}
			return s.code, false
		}
	}
	return "", false
}

// A script is one that tells a language, unless letters in it tell another.
type script struct {
	table *unicode.RangeTable
	code  string
	marks []mark
}

// A mark is the letters that only one language of a script has.
type mark struct{ letters, code string }

var scripts = []script{
	{table: unicode.Latin},
	{table: unicode.Hiragana},
	{table: unicode.Katakana},
	{table: unicode.Han, code: "zh"},
	{table: unicode.Hangul, code: "ko"},
	{table: unicode.Cyrillic, code: "ru", marks: []mark{{"їєґЇЄҐ", "uk"}, {"ђћџљњЂЋЏЉЊ", "sr"}, {"ўЎ", "be"}}},
	{table: unicode.Greek, code: "el"},
	{table: unicode.Hebrew, code: "he"},
	{table: unicode.Arabic, code: "ar", marks: []mark{{"پچژگ", "fa"}}},
	{table: unicode.Devanagari, code: "hi"},
	{table: unicode.Thai, code: "th"},
	{table: unicode.Georgian, code: "ka"},
	{table: unicode.Armenian, code: "hy"},
}

// latinLanguages are told by words that stand in nearly every paragraph of one
// and in few of the others.
var latinLanguages = []struct{ code, words string }{
	{"en", "the of and to in is that was for with on as it by from at which this are were be not have had his her they"},
	{"de", "der die das und ist nicht ein eine zu den von mit sich auf für dem im des auch als wie war sie wurde werden bei oder nach"},
	{"fr", "le la les des et est une du dans que qui pour pas sur au par avec ce il elle ne plus sont était aux cette ses"},
	{"es", "el la los las de que y en un una es por con para del se no su al lo como más pero fue sus entre este"},
	{"it", "il di che è la un una per con non del della sono si da gli le dei nel alla come più anche era nella questo ed"},
	{"pt", "o a os as de que e do da em um uma para com não por dos das ao se mais como foi na no pela são"},
	{"nl", "de het een van en is dat niet op te zijn met voor aan er werd om ook door bij naar maar hij uit deze worden"},
	{"sv", "och att det som en på är av för med den till inte om ett var har de från vid när också efter hade"},
	{"da", "og at det som en på er af for med den til ikke om et var har de fra ved også efter blev eller men"},
	{"no", "og at det som en på er av for med den til ikke om et var har de fra ved også etter ble eller men"},
	{"fi", "ja on ei se että oli hän joka mutta kun ovat myös tai sen hänen niin ole kuin jotka sekä mukaan"},
	{"pl", "i w na z do się nie że jest to o jak po przez od za był ale dla jego oraz które który są przy"},
	{"cs", "a v na se je že s z do o k po ve který by jako za byl jeho ale aby jsou které není při"},
	{"hu", "a az és hogy nem is egy volt meg de csak ez már mint el vagy még ki szerint lehet között azt"},
	{"ro", "de în și la a cu pe o nu din că este un care pentru mai sau fost prin sunt ale lui fi dar"},
	{"tr", "ve bir bu da de için ile olarak çok daha olan gibi en ne var sonra kadar ama değil her onun"},
	{"id", "dan yang di dari untuk dengan pada ini itu dalam tidak adalah ke oleh juga sebagai atau telah akan karena"},
}

// languagesOf lists the languages in which a word is a function word.
var languagesOf = func() map[string][]string {
	by := map[string][]string{}
	for _, l := range latinLanguages {
		for w := range strings.FieldsSeq(l.words) {
			by[w] = append(by[w], l.code)
		}
	}
	return by
}()
