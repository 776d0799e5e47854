package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestRowsOfTablesAnswer asks, without a model, what words of the glossary mean and what settings do, in a library of all
// documentation: each has a row of a table, and others mention it.
func TestRowsOfTablesAnswer(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	sh := newShell(t)
	docs, err := filepath.Glob("../../docs/*.md")
	noError(t, err)
	sh.must(t, append([]string{"ingest"}, docs...)...)
	const length = 25 // bytes of a meaning that the quotation must contain; it may have 20 times as many
	asked, first := 0, 0
	var missed []string
	ask := func(question, meaning string) {
		_, quotes, _ := strings.Cut(decoded[questions.Reply](t, sh.must(t, "ask", "--json", question)).Answer, "\n\n")
		quote, _, _ := strings.Cut(quotes, "\n\n")
		if asked++; strings.Contains(quote, meaning[:min(len(meaning), length)]) && len(quote) < 20*length {
			first++
		} else {
			missed = append(missed, question)
		}
	}
	for _, row := range everyRow(t, "../../docs/glossary.md", `^\| ([a-z]+(?: [a-z]+)?) \| ([^|]+) \|`, 7) {
		ask("What is a "+row[1]+"?", row[2])
	}
	for _, row := range everyRow(t, "../../docs/config.md", "^\\| `([A-Z0-9_]+)` \\| [^|]* \\| ([^|]+) \\|", 7) {
		ask("What does "+row[1]+" do?", row[2])
	}
	t.Logf("%d of %d", first, asked)
	if asked < 40 || first*10 < asked*7 {
		t.Errorf("%d of %d rows were quoted first; not: %s", first, asked, strings.Join(missed, " "))
	}
}

// everyRow returns every nth row of a Markdown file that a pattern matches, without its marks for code.
func everyRow(t *testing.T, file, pattern string, n int) (rows [][]string) {
	text, err := os.ReadFile(file)
	noError(t, err)
	matches := regexp.MustCompile(`(?m)`+pattern).FindAllStringSubmatch(string(text), -1)
	for i := 0; i < len(matches); i += n {
		row := matches[i]
		row[2] = strings.NewReplacer("`", "", "*", "").Replace(row[2])
		rows = append(rows, row)
	}
	return rows
}
