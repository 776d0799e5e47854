package domain

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// TitleForms returns the names in a document's title: the title and, if it ends in a disambiguating parenthesis, the
// title without it.
func TitleForms(title string) []string {
	whole := strings.TrimSpace(title)
	if bare := withoutParenthesis(whole); bare != whole {
		return []string{whole, bare}
	}
	return []string{whole}
}

func withoutParenthesis(s string) string {
	open := strings.LastIndexByte(s, '(')
	if open <= 0 || !strings.HasSuffix(s, ")") {
		return s
	}
	return strings.TrimSpace(s[:open])
}

// FileTitle derives a title from a file's name, for documents that state none.
func FileTitle(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// TitledByFile reports whether the title of a text is a file name, which programs fill in automatically. A heading of the
// text is not such a title.
func (t Text) TitledByFile(name string) bool {
	if t.Title == "" || slices.ContainsFunc(t.Headings, func(h Heading) bool { return strings.EqualFold(squeeze(h.Text), squeeze(t.Title)) }) {
		return false
	}
	plain := squeeze(t.Title)
	return IsFileName(t.Title) || strings.EqualFold(plain, squeeze(path.Base(name))) || strings.EqualFold(plain, squeeze(FileTitle(name)))
}

// squeeze joins the words of a name, as programs write "_" or "-" for spaces.
func squeeze(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || unicode.IsSpace(r) }), " ")
}

// fileName matches names with the ending of a file that may be a document.
var fileName = regexp.MustCompile(`(?i)\S\.(docx?|docm|dotx?|odt|ott|rtf|pages|tex|dvi|indd|qxd|ps|pdf|xlsx?|xlsm|ods|csv|tsv|numbers|pptx?|ppsx?|odp|key|x?html?|md|markdown|txt|log|json|jsonl|xml|epub|mobi|eml|mbox|msg|ipynb|vtt|srt|jpe?g|png|tiff?|gif|bmp|webp|heic|zip)$`)

// IsFileName reports whether a title is a file name or a placeholder written by a program.
func IsFileName(title string) bool {
	title = OneLine(title)
	lower := strings.ToLower(title)
	return fileName.MatchString(title) || lower == "untitled" || lower == "unspecified" || strings.HasPrefix(lower, "microsoft word - ")
}
