package parse_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/race"
)

func TestStyleSheetsOfHTML(t *testing.T) {
	t.Parallel()
	styled := func(sheet, body string) string { return "<style>" + sheet + "</style><p>" + body }
	const out = "{color:red; text-decoration: line-through solid}"
	checkLooks(t, domain.FormatHTML, []lookTest{
		{"an element", styled("em"+out, "<em>4</em>5"), "5"},
		{"several classes", styled("span.a.b"+out, `<span class="b a">4</span>5 <span class=a>6</span>`), "5 6"},
		{"an id in a list", styled(".x, #old ,y"+out, "<span id=old>4</span>5"), "5"},
		{"on a screen", styled("@media screen and (min-width:1px) { .a"+out+" } .b"+out, "<i class=a>4</i>5 <i class=b>6</i>7"), "5 7"},
		{"on paper", styled("@media print { .a"+out+" } @page{margin:1cm} .b"+out, "<i class=a>4</i>5 <i class=b>6</i>7"), "45 7"},
		{"within others", styled(".price > .was, table .x"+out, "<b class=price><i class=was>4</i></b>5 <i class=was>6</i> <i class=x>7</i>"), "5 6 7"},
		{"taken back", styled(".a"+out+" .a.kept {text-decoration:none}", "<i class=a>4</i>5 <i class='a kept'>6</i> <i class=a style='text-decoration:underline'>7</i>"), "5 6 7"},
		{"attributes and not", styled("[data-gone]"+out+" i:not(.k)"+out, "<b data-gone>4</b>5 <i>6</i>7 <i class=k>8</i>"), "5 7 8"},
		{"not at once", styled("a:hover"+out+" b::before"+out+" /* u"+out+" */", "<a>4</a> <b>5</b> <u>6</u>"), "4 5 6"},
		{"raised", styled("i{vertical-align:super;font-size:70%} u{vertical-align:sub}", "10<i>6</i> H<u>2</u>O"), "10⁶ H2O"},
		{"lists", styled("ol.c{list-style-type:upper-roman} .n{list-style:none inside}", "<ol class=c><li>x</ol><p>y<ol style='list-style: lower-alpha'><li>x<li>y</ol><p>z<ol class=n><li>x</ol>"), "I. x\n\ny\n\na. x\nb. y\n\nz\n\n- x"},
		{"without an end", styled("@media screen { .a { text-decoration: line-through", "<i class=a>4</i>5"), "5"},
	}, same)
}

// TestStyleSheetsAreBounded reads a page whose styles are made to be compared for long.
func TestStyleSheetsAreBounded(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	page := "<style>" + strings.Repeat("b b b b b b u i{text-decoration:line-through}", 1000) + "</style>" + strings.Repeat("<b>", 400) + strings.Repeat("<i>x</i> ", 2000)
	if got := read(t, domain.FormatHTML, page); !strings.Contains(got.Content, "x x x") {
		t.Errorf("the page reads %.50q", got.Content)
	}
}

func TestStyleSheetsOfBooks(t *testing.T) {
	t.Parallel()
	book := pack(t, part{"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>`},
		part{"OEBPS/content.opf", `<package><manifest><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/><item id="s" href="css/s%20.css" media-type="text/css"/></manifest><spine><itemref idref="a"/></spine></package>`},
		part{"OEBPS/css/s .css", `.gone{text-decoration:line-through}`},
		part{"OEBPS/text/a.xhtml", `<html><head><link rel="stylesheet" type="text/css" href="../css/s%20.css"/></head><body><p>It costs <span class="gone">400</span>650.</p></body></html>`})
	if got, want := read(t, domain.FormatBook, book).Content, "It costs 650."; got != want {
		t.Errorf("content %q, want %q", got, want)
	}
}
