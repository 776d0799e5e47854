package parse

import (
	"context"
	"regexp"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

var (
	orgSetting  = regexp.MustCompile(`(?i)^\s*#\+(\w+):?\s*(.*)$`)
	orgHeadline = regexp.MustCompile(`^(\*+)\s+(.+?)(?:\s+:[\w@#%:]+:)?\s*$`) // without its tags
	orgRule     = regexp.MustCompile(`^\s*\|[-+]+\|\s*$`)
	orgLink     = regexp.MustCompile(`\[\[([^\]]+)\](?:\[([^\]]+)\])?\]`)
	orgCode     = regexp.MustCompile(`(^|[\s(])(?:=([^\s=](?:[^=]*[^\s=])?)=|~([^\s~](?:[^~]*[^\s~])?)~)`)
	orgSlanted  = regexp.MustCompile(`(^|[\s(])/([^\s/](?:[^/]*[^\s/])?)/`)
)

// readOrg reads an outline in Org mode by way of Markdown: headlines, lists, tables, links and blocks. Drawers, comments and
// settings are left out.
func readOrg(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	var b strings.Builder
	var facts domain.Facts
	block, drawer := false, false
	for line := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		setting := orgSetting.FindStringSubmatch(line)
		switch mark := strings.ToUpper(strings.TrimSpace(line)); {
		case setting != nil:
			switch name := strings.ToUpper(setting[1]); name {
			case "TITLE":
				w.name(setting[2])
			case "AUTHOR":
				facts.Author = setting[2]
			case "DATE":
				facts.Published = strings.Trim(setting[2], "<>[]")
			case "LANGUAGE":
				facts.Language = setting[2]
			case "BEGIN_SRC", "BEGIN_EXAMPLE", "END_SRC", "END_EXAMPLE":
				block = strings.HasPrefix(name, "BEGIN")
				b.WriteString("```\n")
			}
		case block:
			b.WriteString(line + "\n")
		case drawer, mark == ":PROPERTIES:", mark == ":LOGBOOK:":
			drawer = mark != ":END:"
		case mark == "#", strings.HasPrefix(mark, "# "):
		default:
			b.WriteString(orgToMarkdown(line) + "\n")
		}
	}
	w.know(facts)
	return writeMarkdown(ctx, w, b.String())
}

func orgToMarkdown(line string) string {
	if orgRule.MatchString(line) {
		return strings.ReplaceAll(line, "+", "|")
	}
	if m := orgHeadline.FindStringSubmatch(line); m != nil {
		line = "\n" + strings.Repeat("#", min(len(m[1]), 6)) + " " + m[2] + "\n"
	}
	line = orgLink.ReplaceAllStringFunc(line, func(link string) string {
		m := orgLink.FindStringSubmatch(link)
		if m[2] != "" {
			return m[2]
		}
		return m[1]
	})
	return orgSlanted.ReplaceAllString(orgCode.ReplaceAllString(line, "$1`$2$3`"), "$1*$2*")
}
