package lang_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/views/lang"
)

// reads matches what reads as a sentence, or as one with a value at its end.
var reads = regexp.MustCompile(`^[A-Z%“"].* .*([.?]|[:.] %[svw])$`)

// word matches what is more than the marks around values.
var word = regexp.MustCompile(`\b[a-zA-Z]{3,}\b`)

// notSaid has sentences that models are tried with, and one whose parts are translated with what follows.
var notSaid = map[string]bool{"Keepers of lighthouses light lamps.": true, "The lighthouse keeper lit the lamp.": true, "%s %s judged, %d %s used.": true}

// sql matches statements for a database.
var sql = regexp.MustCompile(`\b(SELECT|WHERE|UPDATE|DELETE|INSERT|BETWEEN)\b`)

// elsewhere matches the files whose sentences no page shows: those for tests, what models are told, and answers, which are in the
// language of the question.
var elsewhere = regexp.MustCompile(`_test\.go$|/testkit/|test/|/internal/prompts/(fence|prompt)\.go|/mine/extract/prompts\.go|/answer/(language|survey|support|model|writing|count)\.go|/chart/(count|validate)\.go|/llm/mode\.go|/openai/|/web/(mcp|api)/|_templ\.go$|/arch/|/models/reach\.go|/run/outline/|/web/routes\.go$`)

// fails are the functions whose sentences a page may show wherever they are called.
var fails = regexp.MustCompile(`^(Errorf|Because|TooManyf|Cappedf|BadRequest)$`)

// toOthers matches the functions and fields with words for programs and for people at a command line.
var toOthers = regexp.MustCompile(`^(New|Fprintln|Fprintf|Exec|ExecAll|ExecContext|QueryRowContext|histogram|counter|gauge|Table|decision|prompt|mistake|alone|Rerank|` +
	`About|Help|Description|Long|Apart|Text|description|panic|fmt\.Errorf|ID|Label|Aliases|Type|Properties)$`)

// ofCommands matches the files that say what commands print, beside errors.
var ofCommands = regexp.MustCompile(`/[a-z_]*operations[a-z_]*\.go$|/retention\.go$`)

// TestEverySentenceIsTranslated checks that the catalogue translates every sentence outside the templates: errors, settings and
// the page Health.
func TestEverySentenceIsTranslated(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	look := func(path string, l literal) {
		for _, tag := range []string{"help", "wrong"} {
			if said := reflect.StructTag(l.words).Get(tag); said != "" && l.taker == "Description" {
				found[said] = path
			}
		}
		if elsewhere.MatchString(path) || !reads.MatchString(l.words) || !word.MatchString(l.words) || sql.MatchString(l.words) || notSaid[l.words] {
			return
		}
		if fails.MatchString(l.taker) || !toOthers.MatchString(l.taker) && !ofCommands.MatchString(path) {
			found[strings.ReplaceAll(l.words, "%w", "%v")] = path
		}
	}
	for _, root := range []string{"../../internal", "../../cmd/web/monitor.go", "../../cmd/web/monitoring.go"} {
		literals(t, root, look)
	}
	if len(found) < 900 {
		t.Errorf("found only %d sentences", len(found))
	}
	for _, l := range lang.Languages()[1:] {
		lacking(t, l, found)
	}
}

// lacking fails for what a language has no translation of, with lines to fill in.
func lacking(t *testing.T, l *lang.Language, found map[string]string) {
	t.Helper()
	own, lines := words(t, l), ""
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if own[key] == "" {
			lines += fmt.Sprintf(" %q: \"\", (%s)\n", key, strings.TrimPrefix(found[key], "../../"))
		}
	}
	if lines != "" {
		t.Errorf("%s.json lacks %d translations:\n%s", l.Code, strings.Count(lines, "\n"), lines)
	}
}

// A literal is a text in the source, and the function or field that takes it.
type literal struct{ words, taker string }

// literals calls each with the texts in a folder's Go.
func literals(t *testing.T, root string, each func(path string, l literal)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		var over []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				over = over[:len(over)-1]
				return true
			}
			if over = append(over, n); len(over) < 2 {
				return true
			}
			in := over[len(over)-2]
			if pair, is := in.(*ast.KeyValueExpr); is && pair.Key == n {
				return true
			}
			if text, ok := textOf(n); ok && !isText(in) {
				each(path, literal{text, takerOf(in)})
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isText(n ast.Node) bool { _, ok := textOf(n); return ok }

// textOf returns the text of a literal, or of several with plus signs between them.
func textOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, n.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, is := textOf(n.X)
		right, both := textOf(n.Y)
		return left + right, is && both && n.Op == token.ADD
	}
	return "", false
}

// takerOf names the function or the field that a text is for.
func takerOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		switch f := n.Fun.(type) {
		case *ast.SelectorExpr:
			if of, ok := f.X.(*ast.Ident); ok && of.Name == "fmt" && f.Sel.Name == "Errorf" {
				return "fmt.Errorf"
			}
			return f.Sel.Name
		case *ast.Ident:
			return f.Name
		}
	case *ast.KeyValueExpr:
		switch k := n.Key.(type) {
		case *ast.Ident:
			return k.Name
		case *ast.BasicLit:
			return strings.Trim(k.Value, `"`)
		}
	case *ast.Field:
		return "Description" // a tag
	}
	return ""
}

// phrase matches what reads as words for people: several, or one that is capitalised.
var phrase = regexp.MustCompile(`^[A-Z“%]?[\w“”’',%-]*[a-z’”]+[,:.]? .*[a-z]{2}|^[A-Z][a-z]{2,}$`)

// named matches the files whose words are names, also in German: of labels, browsers and headers.
var named = regexp.MustCompile(`/component/shape\.go$|/page/account\.go$|/web/middleware/|/web/bearer/|/web/server\.go$|/picture\.go$|/format/(causes|format)\.go$|/lang/lang\.go$|/frame/cookies\.go$|/report/words\.go$`)

// notWords matches code, styles, events of htmx, and the names of operations.
var notWords = regexp.MustCompile("^(l-|arr |load, |input changed |closest |next \\.|chips |private, |default-src |curl |from openai |prompt-|Cypher$|%s %s )|" +
	`^(documents|entities|schema|settings|usage|run|eval questions) [a-z-]+$|^(add a document|Refresh|left out: )$|^a backup broke off$`)

// TestWordsInGoAreTranslated looks for words in the Go of pages that are not in the catalogue.
func TestWordsInGoAreTranslated(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	for _, root := range []string{"..", "../../internal/web", "../../internal/run/report"} {
		literals(t, root, func(path string, l literal) {
			if !elsewhere.MatchString(path) && !named.MatchString(path) && !ofCommands.MatchString(path) &&
				phrase.MatchString(l.words) && !notWords.MatchString(l.words) && !toOthers.MatchString(l.taker) {
				found[l.words] = path
			}
		})
	}
	for _, l := range lang.Languages()[1:] {
		lacking(t, l, found)
	}
}
