package resolve

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A script is one of whose letters Latin spellings keep only the consonants: its
// vowels are not written, or written in too many ways.
type script struct {
	table *unicode.RangeTable
	own   sounding // of its letters
	latin sounding // of Latin letters
}

// sounding maps letters to the consonants that they may represent; the longest match counts.
type sounding struct {
	of      map[string][]string
	longest int
}

// scripts are the scripts that are compared by their consonants.
var scripts = []script{
	{unicode.Arabic,
		soundingOf(`ا أ إ آ ء ؤ ئ ى ع ه و ي ی ح خ = -; ب پ = b; ت ط = t; ث = t,s; ج گ غ = g; د ض = d; ذ ظ = d,z; ر = r; ز ژ = z; س ش ص = s; چ = ts; ف ڤ = f; ق = k,g; ك ک = k; ل = l; م = m; ن = n; ة = -,t`),
		soundingOf(`a e i o u w y h kh = -; b p = b; th = t,s; t = t; d = d; dh = d,z; j dj zh gh = g; g = g; r = r; z = z; s sh = s; ch = ts,k; c = k; ce ci cy = s; ck k q = k; f v ph = f; l = l; m = m; n = n; x = ks`)},
	{unicode.Hebrew,
		soundingOf(`א ה ו ח י ע = -; ב = b,-; ג = g; ד = d; ז = z; ט ת = t; כ ך = k,-; ל = l; מ ם = m; נ ן = n; ס ש = s; פ ף = p,f; צ ץ = ts; ק = k; ר = r`),
		soundingOf(`a e i o u w y h v kh = -; b = b; g j dj zh = g; d = d; z = z; t th = t; ch = ts,k,-; c = k; ce ci cy = s; k q ck = k; l = l; m = m; n = n; s sh = s; ts tz = ts; p = p; f ph = f; r = r; x = ks`)},
	{unicode.Georgian,
		soundingOf(`ა ე ი ო უ ჰ ხ = -; ბ = b; გ ღ = g; დ = d; ვ = v; ზ = z; თ ტ = t; კ ქ ყ = k; ლ = l; მ = m; ნ = n; პ = p; ჟ ჯ = j; რ = r; ს შ = s; ფ = p,f; ჩ ჭ = ch; ც წ = ts; ძ = dz`),
		soundingOf(`a e i o u y h kh = -; b = b; g gh = g; d = d; dz = dz; v w = v; z = z; t th = t; k q c ck = k; ce ci cy = s; ch tch = ch,k; l = l; m = m; n = n; p = p; f ph = f; j zh dj = j; g = g; r = r; s sh = s; ts tz = ts; x = ks`)},
	{unicode.Hangul,
		soundingOf(`ᄀ ᄁ ᄏ ᆨ ᆩ ᆿ = k; ᄂ ᆫ ᆼ = n; ᄃ ᄄ ᄐ ᆮ ᇀ = t; ᆺ ᆻ = t,s; ᄅ ᆯ = l; ᄆ ᆷ = m; ᄇ ᄈ ᄑ ᆸ ᇁ = p; ᄉ ᄊ = s; ᄋ ᄒ ᇂ = -; ᄌ ᄍ ᄎ ᆽ ᆾ = j; 이 = -,l; 임 = m,lm; 유 = -,l`),
		soundingOf(`a e i o u w y h = -; g k c q ck = k; ce ci cy = s; ch j z zh = j; n ng = n; d t = t; th = t,s; r = l,-; l = l; m = m; b p f v ph = p; s sh = s; x = ks`)},
	{kana,
		soundingOf(`あ い う え お や ゆ よ わ を ぁ ぃ ぅ ぇ ぉ ゃ ゅ ょ っ ー = -; か き く け こ = k; が ぎ ぐ げ ご = g; さ し す せ そ = s; ざ じ ず ぜ ぞ ぢ づ = z; た ち つ て と = t; だ で ど = d; な に ぬ ね の ん = n;
			は ひ ふ へ ほ = h; ば び ぶ べ ぼ ゔ = b; ぱ ぴ ぷ ぺ ぽ = p; ま み む め も = m; ら り る れ ろ = l`),
		soundingOf(`a e i o u w y = -; k c q ck = k; ce ci cy = s; g = g; s sh th = s; z j dz dj zh = z; t ch ts tch = t; d = d; n = n; h f ph = h; b v = b; p = p; m = m; mb = nb,mb; mp = np,mp; r l = l; x = ks`)},
}

// kana are both Japanese syllabaries.
var kana = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3041, Hi: 0x30ff, Stride: 1}}}

// soundingOf reads "letters = sound,sound; …", where - is none.
func soundingOf(lines string) sounding {
	s := sounding{of: map[string][]string{}}
	for line := range strings.SplitSeq(lines, ";") {
		letters, sounds, _ := strings.Cut(line, "=")
		for l := range strings.FieldsSeq(letters) {
			s.of[l] = strings.Split(strings.ReplaceAll(strings.TrimSpace(sounds), "-", ""), ",")
			s.longest = max(s.longest, len(l))
		}
	}
	return s
}

// scriptOf returns the script in which a name begins, nil for any other.
func scriptOf(words []string) *script {
	if len(words) == 0 {
		return nil
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	if i := slices.IndexFunc(scripts, func(s script) bool { return unicode.Is(s.table, first) }); i >= 0 {
		return &scripts[i]
	}
	return nil
}

// maxReadings is how many readings of a name are compared.
const maxReadings = 16

// readings returns the consonants of a name in each possible reading of its letters, without immediate repetitions.
func (s sounding) readings(words []string) []string {
	list := []string{""}
	for _, w := range words {
		for rest := spelt(w); rest != ""; {
			n, sounds := s.next(rest)
			rest = rest[n:]
			var more []string
			for i, sound := range sounds {
				if i > 0 && len(more)+len(list) > maxReadings {
					break
				}
				for _, before := range list {
					more = append(more, join(before, sound))
				}
			}
			if len(more) > 0 {
				list = more
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// next returns the length of the longest letters that s starts with, and their
// sounds.
func (s sounding) next(word string) (int, []string) {
	for n := min(s.longest, len(word)); n > 0; n-- {
		if sounds, ok := s.of[word[:n]]; ok {
			return n, sounds
		}
	}
	for i := range word {
		if i > 0 {
			return i, nil
		}
	}
	return len(word), nil
}

// join appends a sound, unless the text ends with it.
func join(text, sound string) string {
	if sound != "" && strings.HasSuffix(text, sound[:1]) {
		return text + sound[1:]
	}
	return text + sound
}

// spelt returns a word with Hangul in its letters, but for syllables that names
// spell in ways of their own, and Katakana as Hiragana.
func spelt(word string) string {
	var b strings.Builder
	for _, r := range word {
		switch {
		case r == '이' || r == '임' || r == '유':
			b.WriteRune(r)
		case r >= 0xac00 && r <= 0xd7a3:
			at := r - 0xac00
			b.WriteRune(0x1100 + at/588)
			if final := at % 28; final > 0 {
				b.WriteRune(0x11a7 + final)
			}
		case r >= 0x30a1 && r <= 0x30f6:
			b.WriteRune(r - 0x60)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// compareScripts reports whether one name is the other in a script that is
// compared by its consonants.
func compareScripts(r *comparison, a, b form) bool {
	x, y := scriptOf(a.words), scriptOf(b.words)
	if (x == nil) == (y == nil) {
		return false
	}
	if x == nil {
		x, a, b = y, b, a
	}
	theirs := x.latin.readings(b.words)
	longest := 0
	for _, own := range x.own.readings(a.words) {
		if slices.Contains(theirs, own) {
			longest = max(longest, len(own))
		}
	}
	if longest < 3 {
		return false
	}
	r.pattern = Transliterated
	switch {
	case longest > 5:
		r.add("name", 5, "The same consonants in another script, six or more.")
	case longest > 4:
		r.add("name", 4, "The same five consonants in another script.")
	case longest > 3:
		r.add("name", 2.5, "The same four consonants in another script.")
	default:
		r.add("name", 1, "The same three consonants in another script.")
	}
	return true
}

// addScripts puts the entity in a block for each reading of a name in another
// script, and of a Latin name for the scripts that other names have.
func (b *blocks) addScripts(c corpus, entity int32, f form) {
	own := scriptOf(f.words)
	for i := range scripts {
		s, readings := &scripts[i], []string(nil)
		switch {
		case s == own:
			readings = s.own.readings(f.words)
		case own == nil && c.scripts[s]:
			readings = s.latin.readings(f.words)
		}
		for _, text := range readings {
			if len(text) > 2 {
				b.put(entity, 'c', string(rune('0'+i)), text)
			}
		}
	}
}
