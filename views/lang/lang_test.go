package lang_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/views/lang"
)

// TestEveryWordIsTranslated looks for words that pages say in package lang and that a language has no translation of.
func TestEveryWordIsTranslated(t *testing.T) {
	t.Parallel()
	keys := map[string]string{}
	for _, root := range []string{"..", "../../internal/web"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err == nil {
				collect(file, func(words string) { keys[words] = path })
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(keys) < 2000 {
		t.Errorf("found only %d keys", len(keys))
	}
	for _, l := range lang.Languages()[1:] {
		own := words(t, l)
		for key, path := range keys {
			if own[key] == "" {
				t.Errorf("%s says %q, which has no %s", path, key, l.Name)
			}
		}
		for key, said := range own {
			if got, want := verbs(said), verbs(key); !slices.Equal(got, want) && !strings.Contains(said, "%[") {
				t.Errorf("%s: %q takes %v, want %v as %q", l.Name, said, got, want, key)
			}
		}
	}
}

// TestScriptsHaveTheirWords looks for words in the scripts of pages, which pages hand to them.
func TestScriptsHaveTheirWords(t *testing.T) {
	t.Parallel()
	said := regexp.MustCompile(`\bt\(("(?:[^"\\]|\\.)*")`)
	own := lang.Scripts(lang.With(t.Context(), lang.Suits("de", "")))
	used := map[string]bool{}
	err := filepath.WalkDir("../../static/src", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".js") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range said.FindAllStringSubmatch(string(text), -1) {
			words, err := strconv.Unquote(m[1])
			if err != nil {
				return err
			}
			if used[words] = true; own[words] == "" || own[words] == words {
				t.Errorf("%s says %q, which has no translation, or is not among the words of scripts", path, words)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for words := range own {
		if !used[words] {
			t.Errorf("no script says %q", words)
		}
	}
}

// words reads the catalogue of a language.
func words(t *testing.T, l *lang.Language) (own map[string]string) {
	t.Helper()
	data, err := os.ReadFile(l.Code + ".json")
	if err == nil {
		err = json.Unmarshal(data, &own)
	}
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// collect calls add for the words in calls of package lang.
func collect(file *ast.File, add func(words string)) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := f.X.(*ast.Ident); !ok || of.Name != "lang" {
			return true
		}
		var said []string
		for _, a := range call.Args {
			if l, ok := a.(*ast.BasicLit); ok && l.Kind == token.STRING {
				words, _ := strconv.Unquote(l.Value)
				said = append(said, words)
			}
		}
		switch f.Sel.Name {
		case "T", "F", "Date":
			said = said[:min(1, len(said))]
		case "Count", "Noun":
		case "Write":
			said = nil
			for i := 3; i < len(call.Args); i += 2 {
				if l, ok := call.Args[i].(*ast.BasicLit); ok {
					words, _ := strconv.Unquote(l.Value)
					said = append(said, words)
				}
			}
		default:
			said = nil
		}
		for _, words := range said {
			if words != "" {
				add(words)
			}
		}
		return true
	})
}

var verb = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]`)

// verbs returns what a format takes, in order. What English quotes by %q stands in quotation marks of the language.
func verbs(format string) []string {
	return verb.FindAllString(strings.NewReplacer("%%", "", "%q", "%s").Replace(format), -1)
}

func TestGermanCountsAndDates(t *testing.T) {
	t.Parallel()
	ctx := lang.With(t.Context(), lang.Suits("de", ""))
	day := time.Date(2026, time.March, 2, 15, 4, 0, 0, time.UTC)
	for got, want := range map[string]string{
		lang.Int(ctx, 12345):                                     "12.345",
		lang.Count(ctx, 1, "document", "documents"):              "1 Dokument",
		lang.Decimal(ctx, 1234.56, 1):                            "1234,6",
		lang.Moment(ctx, day):                                    "2. März 2026, 15:04",
		lang.Date(ctx, day, "2 Jan"):                             "2. März",
		lang.F(ctx, "%s ago", lang.Count(ctx, 3, "day", "days")): "vor 3 Tagen",
		lang.F(ctx, "%s ago", lang.Count(ctx, 1, "day", "days")): "vor 1 Tag",
		lang.T(t.Context(), "Documents"):                         "Documents",
		lang.T(ctx, "Documents"):                                 "Dokumente",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
