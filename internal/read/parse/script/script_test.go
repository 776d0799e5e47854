package script_test

import (
	"testing"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// line returns the text of runs: a plain one, then pairs of a look and a text.
func line(keep bool, runs ...any) string {
	l := script.Line{KeepStruck: keep}
	for i := 0; i < len(runs); i += 2 {
		l.Add(runs[i].(script.Look), runs[i+1].(string))
	}
	return l.String()
}

func TestLine(t *testing.T) {
	t.Parallel()
	const p, up, low, out, note, formula = script.Plain, script.Raised, script.Lowered, script.Struck, script.Note, script.Formula
	for _, tt := range []struct {
		want string
		runs []any
	}{
		{"The rent is 650 crowns.", []any{p, "The rent is ", out, "400", p, "650 crowns."}},
		{"5 × 10⁶ litres", []any{p, "5 × 10", up, "6", p, " litres"}},
		{"6.02 × 10⁻²³ of it", []any{p, "6.02 × 10", up, "−23", p, " of it"}},
		{"10⁻⁶", []any{p, "10", up, "-", up, "6"}},
		{"40 m². Then", []any{p, "40 m", up, "2", p, ". Then"}},
		{"40m³", []any{p, "40m", up, "3"}},
		{"x² + y² = z²", []any{p, "x", up, "2", p, " + y", up, "2", p, " = z", up, "2"}},
		{"123² = 15129", []any{p, "123", up, "2", p, " = 15129"}},
		{"3 × 125³", []any{p, "3 × 125", up, "3"}},
		{"(a + b)²", []any{p, "(a + b)", up, "2"}},
		{"(see above) [^2]", []any{p, "(see above) ", up, "2"}},
		{"1200 [^3] crowns", []any{p, "1200", up, "3", p, " crowns"}},
		{"1200 [^3] crowns", []any{p, "1200", note, "3", p, "crowns"}},
		{"1,200.50 [^3]", []any{p, "1,200.50", up, "3"}},
		{"In 1931 [^4] it", []any{p, "In 1931", up, "4", p, "it"}},
		{"to build.[^3] In", []any{p, "to build.", up, "3", p, " In"}},
		{"the town [^12],", []any{p, "the town", up, "12", p, ","}},
		{"floor [^3] two", []any{p, "floor", up, "[3]", p, " two"}},
		{"floor [^a] and [^b]", []any{p, "floor", up, "a", p, " and ", up, "b"}},
		{"floor [^*]", []any{p, "floor", up, "*"}},
		{"floor [^1,2]", []any{p, "floor", up, "1,2"}},
		{"floor [^1][^2]", []any{p, "floor", note, "1", note, "2"}},
		{"[^3] Without taxes", []any{up, "3", p, " Without taxes"}},
		{"[^3] Without taxes", []any{up, "3", p, "Without taxes"}},
		{"¹⁴C is a kind", []any{up, "14", p, "C is a kind"}},
		{"x_i²", []any{p, "x", low, "i", up, "2"}},
		{"[^b] Estimated", []any{up, "b", p, "Estimated"}},
		{"the 19th century", []any{p, "the 19", up, "th", p, " century"}},
		{"XXe siècle", []any{p, "XX", up, "e", p, " siècle"}},
		{"1er mai", []any{p, "1", up, "er", p, " mai"}},
		{"Mme Curie", []any{p, "M", up, "me", p, " Curie"}},
		{"Clew™", []any{p, "Clew", up, "TM"}},
		{"20 °C", []any{p, "20 °C"}},
		{"20°C", []any{p, "20", up, "o", p, "C"}},
		{"2^n of", []any{p, "2", up, "n", p, " of"}},
		{"x^(n+1)", []any{p, "x", up, "n+1"}},
		{"Ca²⁺ ions", []any{p, "Ca", up, "2+", p, " ions"}},
		{"H2SO4", []any{p, "H", low, "2", p, "SO", low, "4"}},
		{"SO4²⁻", []any{p, "SO", low, "4", up, "2−"}},
		{"NOx", []any{p, "NO", low, "x"}},
		{"x_i + x_(i+1)", []any{p, "x", low, "i", p, " + x", low, "i+1"}},
		{"log_2 8", []any{p, "log", low, "2", p, "8"}},
		{"101_2 is five", []any{p, "101", low, "2", p, " is five"}},
		{"10⁶ 2", []any{p, "10", up, "6", p, "2"}},
	} {
		if got := line(false, tt.runs...); got != tt.want {
			t.Errorf("%v\n got %q\nwant %q", tt.runs, got, tt.want)
		}
	}
	if got, want := line(false, p, "is", formula, "x/y", p, "here"), "is x/y here"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := line(true, p, "is ", out, "400", p, "650 crowns"), "is ~~400~~ 650 crowns"; got != want {
		t.Errorf("kept: got %q, want %q", got, want)
	}
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		font string
		code rune
		want rune
	}{
		{"Symbol", 0xF0B1, '±'}, {"Symbol", 0xB1, '±'}, {"ABCDEF+SymbolMT", 'a', 'α'}, {"Symbol", 0xB4, '×'}, {"Symbol", 0xD6, '√'}, {"Symbol", 0xFE, '⎭'},
		{"Wingdings", 0xFC, '✓'}, {"Wingdings-Regular", 0xF0A7, '▪'}, {"", 0xF0B1, '±'}, {"", 0xF0B7, '•'}, {"Arial", 0xF0A7, '▪'},
		{"Arial", 0xB1, 0}, {"Symbol", 0x41F, 0}, {"Symbol", 0x7F, 0}, {"Symbol", 0xF0F0, 0},
	} {
		if got, ok := script.Symbol(tt.font, tt.code); got != tt.want && ok || ok != (tt.want != 0) {
			t.Errorf("%s %U is %q, %v; want %q", tt.font, tt.code, got, ok, tt.want)
		}
	}
	if got := script.Symbols("Symbol", "\uF0B13 and a"); got != "±3 ανδ α" {
		t.Errorf("text in Symbol: %q", got)
	}
	if got := script.Symbols("Arial", "\uF0B13 and a"); got != "±3 and a" {
		t.Errorf("text in Arial: %q", got)
	}
}

func TestFormula(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		script.Fraction("1", script.Function("sin", "45.0")): "1/(sin 45.0)",
		script.Fraction("a + b", "2n"):                       "(a + b)/(2n)",
		script.Root("", "x + 1"):                             "√(x + 1)",
		script.Root("3", "x"):                                "∛x",
		script.Root("n", "x"):                                "x^(1/n)",
		script.Scripts("x", "i", "2"):                        "x_i²",
		script.Scripts("10", "", "-6"):                       "10⁻⁶",
		script.Scripts("2x", "", "n"):                        "(2x)^n",
		script.Large("∑", "i=1", "n", "i"):                   "∑_(i=1)^n i",
		script.Accent('\u0305', "x"):                         "x\u0304",
		script.Accent('^', "ab"):                             "hat(ab)",
		script.Matrix([][]string{{"a", "b"}, {"c", "d"}}):    "[a, b; c, d]",
		script.Fraction("(a)(b)", "(c)"):                     "((a)(b))/(c)",
		script.NoteText("3", " Without. "):                   "[^3] Without.",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
