package domain

import "strings"

// TitleForms are the names that a document's title gives: itself, and without
// a parenthesis at its end, which encyclopedias use to tell namesakes apart.
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
