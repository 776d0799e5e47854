package parse_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

func TestReadMarkdown(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"marks", "A *slanted* **bold** ~~gone~~ `code *x*` [link](https://x.example \"t\") ![alt](i.png).", "A slanted bold code *x* link alt."},
		{"escapes", `1 \* 2 &amp; 3 &#8364; &copy;`, "1 * 2 & 3 € ©"},
		{"line breaks", "soft\nbreak  \nhard\\\nbreak<br>tag", "soft break\nhard\nbreak\ntag"},
		{"automatic link", "See <https://x.example/a>.", "See https://x.example/a."},
		{"code block", "Run:\n\n```go\nif a {\n\tb()\n}\n\n\n\nend\n```", "Run:\n\nif a {\n    b()\n}\n\nend"},
		{"quote", "> One\n> two\n>\n> > three", "One two\n\nthree"},
		{"rule", "a\n\n---\n\nb", "a\n\nb"},
		{"list", "* one\n* two\n  more\n    * deep\n\n      para\n1. first\n2. second", "- one\n- two more\n  - deep\n    para\n\n1. first\n2. second"},
		{"list from five", "5. five\n6. six", "5. five\n6. six"},
		{"tasks", "- [x] done\n- [ ] open", "- [x] done\n- [ ] open"},
		{"code in a list", "- a\n\n      x  y", "- a\n  x  y"},
		{"table", "| City | *Since* |\n|---|---|\n| Brae | 1820 |\n| | |", "City | Since\nBrae | 1820"},
		{"table of one column", "| City |\n|---|\n| Brae |", "City\nBrae"},
		{"tag as an example", "Use `a` or <title> there.", "Use a or there."},
		{"pipes in a table", "| A | B |\n|---|---|\n| `a\\|b` | c\\|*d* |\n| `x` | y\\| |", "A | B\na|b | c|d\nx | y|"},
		{"rows of a table", "| A | B |\n|---|---|\n| b |\n| c | d | e |\n| 2*3 | 4*5 |\nf & g <h>|", "A | B\nb\nc | d\n2*3 | 4*5\nf & g"},
		{"no table", "| A | B |\n|---|\n| b |", "| A | B | |---| | b |"},
		{"a table below a line", "Line\n| A |\n|:-:|\n| b |\n\nEnd", "Line\n\nA\nb\n\nEnd"},
		{"table in a list", "- a\n\n  | b | c |\n  |---|---|\n  | d | e |", "- a\n  b | c\n  d | e"},
		{"markup", "<div>Hi &lt;you&gt;</div><script>x()</script>\n\nA <b>bold</b> word.", "Hi <you>\n\nA bold word."},
		{"footnote", "Fact[^a].\n\n[^a]: The *source*.", "Fact [^1].\n\n[^1] The source."},
		{"front matter only", "---\ntitle: T\n---\n", ""},
		{"no front matter", "---\nText", "Text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, domain.FormatMarkdown, tt.in).Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadMarkdownHeadings(t *testing.T) {
	t.Parallel()
	text := read(t, domain.FormatMarkdown, "# Über *uns* 👋\n\nText.\n\nTwo\n---\n\n### Three ###\n\nEnd.")
	if diff := cmp.Diff([]string{"# Über uns 👋", "## Two", "### Three"}, outline(text)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	if text.Title != "Über uns 👋" {
		t.Errorf("title = %q", text.Title)
	}
}

func TestReadMarkdownTitle(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"front matter first", "---\nauthor: A\ntitle: \"The Log\"\n---\n# Other\n", "The Log"},
		{"TOML front matter", "+++\ntitle = 'The Log'\n+++\ntext", "The Log"},
		{"first heading of level 1", "## Two\n\n# One\n\n# Another", "One"},
		{"none", "## Two", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, domain.FormatMarkdown, tt.in).Title; got != tt.want {
				t.Errorf("title = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadMarkdownNestedDeeply(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"quotes":   strings.Repeat(">", 20_000) + " deep",
		"lists":    strings.Repeat("- ", 20_000) + "deep",
		"numbers":  strings.Repeat("1. ", 20_000) + "deep",
		"emphasis": strings.Repeat("*a _b ", 2000) + strings.Repeat("_ *", 2000),
		"brackets": strings.Repeat("[", 10_000) + "x" + strings.Repeat("](y)", 10_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read(t, domain.FormatMarkdown, in)
		})
	}
}
