package postgres

import (
	"strconv"
	"strings"
)

// number replaces "?" placeholders by $1, $2 and so on, except in quotes and
// comments.
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

// plain returns the length of the prefix of s without quotes, comments and
// placeholders.
func plain(s string) int {
	for i := range len(s) {
		switch s[i] {
		case '?', '\'', '"', '-', '/':
			return i
		}
	}
	return len(s)
}

// literal returns the length of the quotation or comment that s begins with, 1 for
// neither. A doubled quote ends one quotation and begins the next.
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

// through returns the length of s up to and including the first end behind the
// first from bytes, or of all of s.
func through(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}
