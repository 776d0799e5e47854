package postgres

import (
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`SELECT 1`:                             `SELECT 1`,
		`SELECT * FROM t WHERE a = ? AND b=?`:  `SELECT * FROM t WHERE a = $1 AND b=$2`,
		`VALUES (?,?,?)`:                       `VALUES ($1,$2,$3)`,
		`SELECT '?', 'it''s ?', ?`:             `SELECT '?', 'it''s ?', $1`,
		`SELECT "a?b" FROM t WHERE x = ?`:      `SELECT "a?b" FROM t WHERE x = $1`,
		"SELECT ? -- really?\n, ?":             "SELECT $1 -- really?\n, $2",
		`SELECT ? /* what? */ + ?`:             `SELECT $1 /* what? */ + $2`,
		`SELECT ? - -?`:                        `SELECT $1 - -$2`,
		`SELECT ? / 2 LIKE ? ESCAPE '!' -- ?`:  `SELECT $1 / 2 LIKE $2 ESCAPE '!' -- ?`,
		`SELECT ? || 'never closed ?`:          `SELECT $1 || 'never closed ?`,
		strings.Repeat("?,", 11) + "größer ≥?": "$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,größer ≥$12",
	} {
		if got := number(query); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

func TestStorable(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                "",
		"plain, ütf 👍":    "plain, ütf 👍",
		"a\x00b":          "a\uFFFDb",
		"a\xff\xfeb\x00c": "a\uFFFD\uFFFDb\uFFFDc",
	} {
		if got := storable(s); got != want || len([]rune(got)) != len([]rune(s)) {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

// BenchmarkNumber numbers the longest statement that is run often: 50 rows of
// ten columns. A statement takes the database 100 µs and more.
func BenchmarkNumber(b *testing.B) {
	for name, query := range map[string]string{
		"short": `SELECT status, COUNT(*) FROM documents WHERE workspace_id = ? GROUP BY status`,
		"long": `INSERT INTO chunks (workspace_id, id, document_id, ordinal, span_start, span_end, page, headings, text, tokens) VALUES ` +
			strings.Repeat("(?,?,?,?,?,?,?,?,?,?),", 50),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				number(query)
			}
		})
	}
}
