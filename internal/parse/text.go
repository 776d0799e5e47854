package parse

import (
	"context"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readText reads plain text. Its first line becomes title and heading if it looks like one.
func readText(_ context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	if isCalendar(s) {
		writeCalendar(w, s)
		return nil
	}
	s = strings.Trim(tidy(s), "\n")
	if title, rest := titleLine(s); title != "" {
		w.name(title)
		w.heading(1, title)
		s = rest
	}
	for p := range strings.SplitSeq(s, "\n\n") {
		w.lines(unwrap(strings.Split(strings.Trim(p, "\n"), "\n")))
	}
	return nil
}

// titleLine splits off the title: the first paragraph, or its first line if only a subtitle
// follows.
func titleLine(s string) (title, rest string) {
	start, rest, more := strings.Cut(s, "\n\n")
	if !more {
		return "", s
	}
	first, second, _ := strings.Cut(start, "\n")
	initial, _ := utf8.DecodeRuneInString(second)
	switch {
	case !likeTitle(first), strings.Contains(second, "\n"), unicode.IsLower(initial), isListItem(second):
		return "", s
	case second == "":
		return first, rest
	case len(unwrap([]string{first, second})) == 1:
		return "", s
	}
	return first, second + "\n\n" + rest
}

// likeTitle reports whether a line is short, begins like a name and does not end like a sentence.
func likeTitle(line string) bool {
	n := utf8.RuneCountInString(line)
	if n == 0 || n > 100 || isListItem(line) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(line)
	last, _ := utf8.DecodeLastRuneInString(line)
	return !unicode.IsLower(first) && (unicode.IsLetter(first) || unicode.IsDigit(first)) && !strings.ContainsRune(".,;:!。！", last)
}

// minWrap is the least width, in characters, of prose that was wrapped automatically.
const minWrap = 50

// unwrap joins the lines of a paragraph that was wrapped to a width: after each line, the next word
// would not have fitted. Poems, lists and addresses keep their lines.
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

var listMark = regexp.MustCompile(`^([-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s`)

func isListItem(line string) bool { return listMark.MatchString(line) }
