package parse

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// readMarkdown reads CommonMark with tables, task lists, strike-through and
// footnotes, by way of HTML. The title is that of the front matter, else the
// first heading of level 1.
func readMarkdown(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	settings, s := frontMatter(s)
	w.name(settings["title"])
	w.know(domain.Facts{Author: settings["author"], Published: settings["date"], Language: settings["lang"], Link: settings["url"]})
	return writeMarkdown(ctx, w, s)
}

// writeMarkdown adds Markdown to the text.
func writeMarkdown(ctx context.Context, w *writer, s string) error {
	if marks(s) > maxMarks {
		w.warn("This file is too large to follow the structure of its Markdown; only its words were read.")
		return readText(ctx, w, []byte(s))
	}
	var page bytes.Buffer
	convert := markdown.Convert
	if w.keepStruck {
		convert = markdownStruck.Convert
	}
	if err := convert([]byte(capNesting(s)), &page); err != nil {
		return fmt.Errorf("convert Markdown to HTML: %w", err)
	}
	doc, _ := parseHTML(ctx, w, page.Bytes())
	if doc == nil {
		return ctx.Err()
	}
	r := htmlReader{w: w}
	r.node(doc)
	r.flush()
	return ctx.Err()
}

// maxMarks bounds the lines and marks of a file, each of which the library holds as nodes of half a
// kilobyte.
const maxMarks = 600_000

// marks counts the lines and the marks within them. Pipes don't count: a row of a table is one node.
func marks(s string) int {
	n := 0
	for i := range len(s) {
		switch s[i] {
		case '\n', '*', '_', '[', '`', '<', '~', '&', '\\':
			n++
		}
	}
	return n
}

var frontMatterSetting = regexp.MustCompile(`(?mi)^(title|author|date|lang|url)\s*[:=]\s*(.+?)\s*$`)

// frontMatter splits off a YAML or TOML block of settings and returns those that
// say what the file is.
func frontMatter(s string) (settings map[string]string, rest string) {
	for _, fence := range []string{"---\n", "+++\n"} {
		if !strings.HasPrefix(s, fence) {
			continue
		}
		end := strings.Index(s[len(fence):]+"\n", "\n"+fence)
		if end < 0 {
			return nil, s
		}
		matter := s[len(fence):][:end]
		rest = s[min(len(s), 2*len(fence)+end+1):]
		settings = map[string]string{}
		for _, m := range frontMatterSetting.FindAllStringSubmatch(matter, 100) {
			if key := strings.ToLower(m[1]); settings[key] == "" {
				settings[key] = strings.Trim(m[2], `"'`)
			}
		}
		return settings, rest
	}
	return nil, s
}

var nesting = regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){32}`)

// capNesting escapes quotes and lists beyond 32 levels on a line, before they exhaust the parser's
// stack.
func capNesting(s string) string {
	return nesting.ReplaceAllString(s, `$0\`)
}
