package postgres

import (
	"strconv"
	"strings"
)

// number gives each "?" placeholder its number: $1, $2 and so on. What stands
// in quotes or in a comment is left alone.
func number(query string) string {
	if strings.IndexByte(query, '?') < 0 {
		return query
	}
	b := make([]byte, 0, len(query)+64)
	n := 0
	for query != "" {
		end := plain(query)
		b = append(b, query[:end]...)
		if query = query[end:]; query == "" {
			break
		}
		if query[0] == '?' {
			n++
			b = append(b, '$')
			b = strconv.AppendInt(b, int64(n), 10)
			query = query[1:]
			continue
		}
		end = literal(query)
		b = append(b, query[:end]...)
		query = query[end:]
	}
	return string(b)
}

// plain is the length of what s begins with that means nothing here.
func plain(s string) int {
	for i := range len(s) {
		switch s[i] {
		case '?', '\'', '"', '-', '/':
			return i
		}
	}
	return len(s)
}

// literal is the length of the quotation or the comment that s begins with, 1
// when it is neither. A quote that is doubled in a quotation ends one and
// begins the next.
func literal(s string) int {
	switch {
	case s[0] == '\'' || s[0] == '"':
		return through(s, 1, s[:1])
	case strings.HasPrefix(s, "--"):
		return through(s, 2, "\n")
	case strings.HasPrefix(s, "/*"):
		return through(s, 2, "*/")
	}
	return 1
}

// through is the length of s up to and with end, which is looked for behind
// the first from bytes; all of s when there is none.
func through(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}
