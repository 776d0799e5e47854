package parse_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

func TestReadHTML(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"inline marks", "<p>A <b>bold</b>, <a href=x>linked</a>\nand <i>slan</i>ted word.</p>", "A bold, linked and slanted word."},
		{"entities", "<p>1 &lt; 2 &amp; 3&nbsp;&euro;", "1 < 2 & 3 €"},
		{"blocks", "<div>One<div>Two</div>Three</div><p>Four<br>Five", "One\n\nTwo\n\nThree\n\nFour\nFive"},
		{"scripts", "<p>Seen</p><script>alert('<p>no</p>')</script><style>p{}</style><noscript>no</noscript><template>no</template><!-- no -->", "Seen"},
		{"hidden", "<p>Seen<p hidden>no<p aria-hidden=true>no<p style='display: none'>no<svg><text>no</text></svg>", "Seen"},
		{"furniture", "<nav>Menu</nav><p>Text</p><aside>no</aside><footer>no</footer><button>no</button>", "Text"},
		{"list", "<ul><li>one<li><p>two</p><ol start=3><li>deep<li>deeper</ol><li></ul>", "- one\n- two\n  3. deep\n  4. deeper"},
		{"table", "<table><caption>Ports</caption><tr><th>Name<th>Since<tr><td>Brae<td>18\n20<tr><td><td></table>", "Ports\nName | Since\nBrae | 18 20"},
		{"descriptions", "<dl><dt>Adze:<dd>Smooths timber.<dd><p>Has a handle.</p><div><dt>Thwart<dt>Seat<dd><p>Across a boat.</p></div><dt>Tools<dd><ul><li>Saw</ul><dt>Who rows?<dd>Ada.<dt>Alone</dl><p>After",
			"Adze: Smooths timber.\n\nHas a handle.\n\nThwart, Seat: Across a boat.\n\nTools\n\n- Saw\n\nWho rows?\n\nAda.\n\nAlone\n\nAfter"},
		{"layout table", "<table><tr><td><h2>Left</h2><td><ul><li>right</ul></table>", "Left\n\n- right"},
		{"preformatted", "<pre>if a {\n\tb()\n}</pre>", "if a {\n    b()\n}"},
		{"broken words", "<pre>the har‐\n  bour wall</pre><p>oil&shy;<br>skins", "the harbour\n  wall\n\noilskins"},
		{"unclosed", "<p>One<p>Two<b>bold", "One\n\nTwobold"},
		{"plain text", "just words", "just words"},
		{"main", "<div>before</div><main><p>" + strings.Repeat("The text. ", 9) + "</main>", strings.TrimSpace(strings.Repeat("The text. ", 9))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, domain.FormatHTML, tt.in).Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadHTMLDropsMenus(t *testing.T) {
	t.Parallel()
	menu := "<div class=menu>" + strings.Repeat("<a href=/x>Some other page</a> ", 30) + "</div>"
	prose := strings.Repeat("<p>The harbour was built in 1820, by Ada Brae, who owned the quarry above the town, and it has been rebuilt twice.</p>", 12)
	text := read(t, domain.FormatHTML, "<title>The Harbour | Brae Times</title><body>"+menu+"<h1>The Harbour</h1><div>"+prose+"</div>"+menu)
	if strings.Contains(text.Content, "Some other page") {
		t.Error("the menu was read")
	}
	if strings.Count(text.Content, "Ada Brae") != 12 {
		t.Error("a part of the article was lost")
	}
	if diff := cmp.Diff([]string{"# The Harbour"}, outline(text)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
}

func TestReadHTMLKeepsTablesAndSections(t *testing.T) {
	t.Parallel()
	in := "<h1>Ports</h1><h2>North</h2><p>Brae is old.</p><h2>South</h2><table><tr><td>Lim<td>1700</table><p>" + strings.Repeat("A long paragraph, with commas, follows. ", 40)
	text := read(t, domain.FormatHTML, in)
	if diff := cmp.Diff([]string{"# Ports", "## North", "## South"}, outline(text)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	for _, want := range []string{"Brae is old.", "Lim | 1700", "A long paragraph"} {
		if !strings.Contains(text.Content, want) {
			t.Errorf("%q was lost", want)
		}
	}
}

func TestReadHTMLTitle(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"title element", "<title> The \n Log </title><h1>Other</h1>", "The Log"},
		{"heading within it", "<title>The Log - Site</title><h1>The Log</h1>", "The Log"},
		{"heading alone", "<h2>No</h2><h1>The <i>Log</i></h1>", "The Log"},
		{"none", "<p>Text", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, domain.FormatHTML, tt.in).Title; got != tt.want {
				t.Errorf("title = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadHTMLEncodings(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"UTF-8":        "<p>Zürich €",
		"declared":     "<meta charset=iso-8859-15><p>Z\xFCrich \xA4",
		"Windows-1252": "<p>Z\xFCrich \x80",
		"UTF-16":       "\xFF\xFE<\x00p\x00>\x00Z\x00\xFC\x00r\x00i\x00c\x00h\x00 \x00\xAC\x20",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, domain.FormatHTML, in).Content; got != "Zürich €" {
				t.Errorf("content = %q", got)
			}
		})
	}
}

func TestReadHTMLRefusesBinary(t *testing.T) {
	t.Parallel()
	refuse(t, parse.Limits{}, domain.FormatHTML, "<p>\x00\x01", domain.Invalid)
}

func TestReadHTMLNestedDeeply(t *testing.T) {
	t.Parallel()
	text := read(t, domain.FormatHTML, strings.Repeat("<div>", 50_000)+"deep"+strings.Repeat("<table><tr><td>", 5000))
	if text.Content != "deep" || len(text.Warnings) != 1 {
		t.Errorf("text = %+v", text)
	}
}
