package parse

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readText reads plain text. Its first line becomes title and heading when it
// reads like one.
func readText(w *writer, data []byte) error {
	s, warning, err := decode(data)
	if err != nil {
		return err
	}
	if warning != "" {
		w.warn(warning)
	}
	paragraphs := blankLines.Split(strings.Trim(tidy(s), "\n"), -1)
	if len(paragraphs) > 1 && likeTitle(paragraphs[0]) {
		w.name(paragraphs[0])
		w.heading(1, paragraphs[0])
		paragraphs = paragraphs[1:]
	}
	for _, p := range paragraphs {
		w.lines(unwrap(strings.Split(p, "\n")))
	}
	return nil
}

// blankLines is what parts two paragraphs of tidy text.
var blankLines = regexp.MustCompile(`\n{2,}`)

// likeTitle reports whether a paragraph reads like a title: one short line
// that begins like a name and does not end like a sentence.
func likeTitle(p string) bool {
	n := utf8.RuneCountInString(p)
	if n == 0 || n > 100 || strings.Contains(p, "\n") || isListItem(p) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(p)
	last, _ := utf8.DecodeLastRuneInString(p)
	return !unicode.IsLower(first) && (unicode.IsLetter(first) || unicode.IsDigit(first)) && !strings.ContainsRune(".,;:!。！", last)
}

// minWrap is the shortest width, in characters, at which lines of prose are
// taken to have been broken for width alone.
const minWrap = 50

// unwrap joins the lines of a paragraph that was broken to a width: each but
// the last is so long that the word after it had no room. Other lines, such as
// those of a poem, a list or an address, stay as they are.
func unwrap(lines []string) []string {
	width := 0
	for _, line := range lines {
		width = max(width, utf8.RuneCountInString(line))
	}
	if width < minWrap {
		return lines
	}
	for i := 1; i < len(lines); i++ {
		word, _, _ := strings.Cut(lines[i], " ")
		room := width - utf8.RuneCountInString(lines[i-1])
		if isListItem(lines[i]) || strings.Contains(lines[i], " | ") || utf8.RuneCountInString(word) < room {
			return lines
		}
	}
	return []string{strings.Join(lines, " ")}
}

// listMark is what a list's item begins with.
var listMark = regexp.MustCompile(`^([-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s`)

// isListItem reports whether a line is an item of a list.
func isListItem(line string) bool { return listMark.MatchString(line) }
