package minilm

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// vocabulary holds the pieces of words that the model knows, by their text. Those
// that continue a word begin with ##.
type vocabulary struct {
	pieces              map[string]int32
	begin, end, unknown int32
}

// readVocabulary reads the file tokenizer.json.
func readVocabulary(data []byte) (vocabulary, error) {
	var file struct {
		Model struct {
			Vocab map[string]int32 `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return vocabulary{}, err
	}
	v := vocabulary{pieces: file.Model.Vocab}
	for name, id := range map[string]*int32{"[CLS]": &v.begin, "[SEP]": &v.end, "[UNK]": &v.unknown} {
		var ok bool
		if *id, ok = v.pieces[name]; !ok {
			return v, errors.New("the vocabulary has no " + name)
		}
	}
	return v, nil
}

// maxWord is the most characters of a word that is cut into pieces.
const maxWord = 100

// split returns the numbers of a text's pieces, most at the most, between those that
// mark its beginning and its end. Names of such marks in the text are words like any
// other.
func (v *vocabulary) split(text string, most int) []int32 {
	ids := []int32{v.begin}
	for _, word := range words(text) {
		if ids = v.cut(ids, word); len(ids) >= most {
			ids = ids[:most-1]
			break
		}
	}
	return append(ids, v.end)
}

// cut appends the pieces of a word, each the longest that fits. A word that can't be
// made of pieces is unknown as a whole.
func (v *vocabulary) cut(ids []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > maxWord {
		return append(ids, v.unknown)
	}
	before := len(ids)
	key := make([]byte, 0, 2+len(word))
	for at := 0; at < len(word); {
		key = key[:0]
		if at > 0 {
			key = append(key, "##"...)
		}
		prefix := len(key)
		key = append(key, word[at:]...)
		id, ok := v.pieces[string(key)]
		for !ok && len(key) > prefix {
			_, size := utf8.DecodeLastRune(key)
			key = key[:len(key)-size]
			id, ok = v.pieces[string(key)]
		}
		if len(key) == prefix {
			return append(ids[:before], v.unknown)
		}
		ids = append(ids, id)
		at += len(key) - prefix
	}
	return ids
}

// words returns the words of a text in lower case and without accents. A mark of
// punctuation and an ideograph are words by themselves.
func words(text string) []string {
	var all []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFD.String(strings.Map(clean, text)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			end()
		case isPunctuation(r), isIdeograph(r):
			end()
			all = append(all, string(unicode.ToLower(r)))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
	}
	end()
	return all
}

// clean returns a space for white space, and -1 for what is no part of a text.
func clean(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return -1
	}
	return r
}

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	}
	return unicode.IsPunct(r)
}

// isIdeograph reports whether a character is Chinese, as the model was trained.
func isIdeograph(r rune) bool { return unicode.Is(ideographs, r) }

var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4DBF, 1}, {0x4E00, 0x9FFF, 1}, {0xF900, 0xFAFF, 1}},
	R32: []unicode.Range32{{0x20000, 0x2A6DF, 1}, {0x2A700, 0x2B73F, 1}, {0x2B740, 0x2B81F, 1}, {0x2B820, 0x2CEAF, 1}, {0x2F800, 0x2FA1F, 1}},
}
