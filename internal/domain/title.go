package domain

import "strings"

// TitleForms returns the names in a document's title: the title and, if it ends in
// a parenthesis, by which encyclopedias tell namesakes apart, the title without it.
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
