package parse

import (
	"strings"

	"golang.org/x/net/html"
)

// textOfMarkup is the text between the tags of a piece of HTML, without
// scripts and styles. It never fails: what is no tag is text.
func textOfMarkup(s string) string {
	var b strings.Builder
	hidden := ""
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if hidden == "" {
				b.WriteString(html.UnescapeString(string(z.Raw())))
			}
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "script" || string(name) == "style" {
				hidden = string(name)
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == hidden {
				hidden = ""
			}
		}
	}
}
