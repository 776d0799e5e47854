package parse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
)

// A lookTest is a text whose look means something.
type lookTest struct{ name, in, want string }

// checkLooks reads the tests in a format.
func checkLooks(t *testing.T, format domain.Format, tests []lookTest, file func(in string) string) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, format, file(tt.in)).Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

func same(s string) string { return s }

func TestLooksOfHTML(t *testing.T) {
	t.Parallel()
	checkLooks(t, domain.FormatHTML, []lookTest{
		{"edited", "<p>The rent is <del>400</del><ins>650</ins> crowns, <s>9</s><strike>8</strike>7 a day.", "The rent is 650 crowns, 7 a day."},
		{"edited by style", `<p>It costs <span style="text-decoration: line-through">900</span>700 crowns.`, "It costs 700 crowns."},
		{"edited by class", `<style>.c1{color:red} p.x, .gone { text-decoration:line-through }</style><p>It costs <span class="c2 gone">900</span>700 crowns.`, "It costs 700 crowns."},
		{"struck paragraphs", "<p>One</p><del><p>Two</p></del><ul><li><s>three</s><li>four</ul>", "One\n\n- four"},
		{"powers", "<p>5 × 10<sup>6</sup> litres, 10<sup>−3</sup>, 40 m<sup>2</sup>, x<span style='vertical-align:super'>2</span>y", "5 × 10⁶ litres, 10⁻³, 40 m², x² y"},
		{"notes", `<p>It cost 1200<sup>3</sup> crowns<a href="#fn4"><sup>4</sup></a>, x<sup><a href="#n2">2</a></sup>, <a role="doc-noteref" href="#a">5</a>and.<sup>[6]</sup> Then`, "It cost 1200 [^3] crowns [^4], x [^2], [^5] and.[^6] Then"},
		{"texts of notes", `<p>It is so<a href="#_ftn1" name="_ftnref1"><span>[1]</span></a>.</p><p><a href="#_ftnref1">[1]</a> The source. <a href="#r1">↩</a></p><ol><li id="fn2">Another one. <a role="doc-backlink" href="#fnref2">↩︎</a></li></ol>`, "It is so [^1].\n\n[^1] The source.\n\n[^1] Another one."},
		{"indices", "<p>H<sub>2</sub>SO<sub>4</sub>, x<sub>i</sub>, log<sub>2</sub>8", "H2SO4, x_i, log_2 8"},
		{"symbols", `<p><font face="Symbol">&#177;</font>3, <span style="font-family:Symbol">a</span>, &#xF0B1;4, ±5`, "±3, α, ±4, ±5"},
		{"formulas", `<p>It is <math><mfrac><mn>1</mn><mrow><mi>sin</mi><mo>&#x2061;</mo><mn>45.0</mn></mrow></mfrac></math>, <math><mrow><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msqrt><mi>y</mi><mo>+</mo><mn>1</mn></msqrt></mrow></math> and <math><semantics><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><annotation>x</annotation></semantics></math>.`, "It is 1/(sin 45.0), x² + √(y + 1) and ∑_(i=1)^n."},
		{"ruby", "<p><ruby>漢<rt>かん</rt></ruby>と<ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>", "漢(かん)と字(じ)"},
		{"cells", "<table><tr><th>a<th>b<tr><td>10<sup>6</sup><td><del>4</del>5<tr><td>9<sup>a</sup><td>x</table>", "a | b\n10⁶ | 5\n9ª | x"},
		{"ordinals", "<p>19<sup>th</sup> century, Clew<sup>TM</sup>", "19th century, Clew™"},
		{"lists", "<ol type=a><li>x<li>y</ol><ol reversed><li>x<li value=7>y</ol>", "a. x\nb. y\n\n2. x\n7. y"},
		{"a page too deep", "<p>a<del>4</del>5 10<sup>6</sup>" + deep, "a5 10⁶"},
	}, same)
}

// deep is markup nested deeper than pages are followed.
var deep = func() string {
	b := make([]byte, 0, 6000)
	for range 1000 {
		b = append(b, "<div>"...)
	}
	return string(b)
}()

func TestLooksOfMarkdown(t *testing.T) {
	t.Parallel()
	checkLooks(t, domain.FormatMarkdown, []lookTest{
		{"struck", "The rent is ~~400~~650 crowns, <del>9</del>8, ~one by one~two.", "The rent is 650 crowns, 8, two."},
		{"powers", "5 × 10<sup>6</sup>, 10^6^ and m^2^, x^2 and y^2, H~2~O and H<sub>2</sub>O.", "5 × 10⁶, 10⁶ and m², x^2 and y^2, H2O and H2O."},
		{"notes", "It costs 120[^a] crowns.[^b] Then\n\n[^a]: Without *the* tax.\n[^b]: Twice.\n", "It costs 120 [^1] crowns.[^2] Then\n\n[^1] Without the tax.\n\n[^2] Twice."},
		{"formulas", "Energy is $E = mc^2$, $a_1 * b_1 * c_1$, $$x^2_i$$, and it costs $5 or $10, a*b* $x*.", "Energy is $E = mc^2$, $a_1 * b_1 * c_1$, $$x^2_i$$, and it costs $5 or $10, ab $x*."},
		{"a block of HTML", "<p>a <s>400</s>650 10<sup>6</sup>\n\nb", "a 650 10⁶\n\nb"},
		{"a table in HTML", "x\n\n<table><tr><td rowspan=2>North<td>1<tr><td>2</table>\n\ny", "x\n\nNorth | 1\nNorth | 2\n\ny"},
	}, same)
}

func TestStruckTextIsKept(t *testing.T) {
	t.Parallel()
	p := parse.New(parse.Limits{}).KeepStruck(true)
	for _, tt := range []struct {
		format domain.Format
		in     string
	}{
		{domain.FormatHTML, "<p>The rent is <del>400</del><ins>650</ins> crowns."},
		{domain.FormatMarkdown, "The rent is ~~400~~650 crowns."},
	} {
		text, err := p.Parse(t.Context(), "file", tt.format, []byte(tt.in))
		if want := "The rent is ~~400~~ 650 crowns."; err != nil || text.Content != want {
			t.Errorf("%s: %q, error %v; want %q", tt.format, text.Content, err, want)
		}
	}
}

func TestMergedCellsOfHTML(t *testing.T) {
	t.Parallel()
	checkLooks(t, domain.FormatHTML, []lookTest{
		{"rows and columns", "<table><caption>Income</caption><thead><tr><th rowspan=2>Region<th colspan=2>2023<th colspan=2>2024<tr><th>Q1<th>Q2<th>Q1<th>Q2<tbody><tr><td rowspan=2>North<td>10<td>20<td>30<td>40<tr><td>11<td>21<td>31<td>41<tr><td>South<td>12<td>22<td>32<td>42</table>",
			"Income\nRegion | 2023 Q1 | 2023 Q2 | 2024 Q1 | 2024 Q2\nNorth | 10 | 20 | 30 | 40\nNorth | 11 | 21 | 31 | 41\nSouth | 12 | 22 | 32 | 42"},
		{"names without a head", "<table><tr><td>Region<td colspan=2>Income<tr><td><td>Spring<td>Autumn<tr><td>North<td>1<td>2</table>", "Region | Income Spring | Income Autumn\nNorth | 1 | 2"},
		{"a head of three rows", "<table><tr><th rowspan=3>R<th colspan=4>A<tr><th colspan=2>B<th colspan=2>C<tr><th>1<th>2<th>3<th>4<tr><td>x<td>5<td>6<td>7<td>8</table>", "R | A B 1 | A B 2 | A C 3 | A C 4\nx | 5 | 6 | 7 | 8"},
		{"to the end of the group", "<table><tbody><tr><td rowspan=0>a<td>1<tr><td>2<tbody><tr><td>b<td>3</table>", "a | 1\na | 2\nb | 3"},
		{"over each other", "<table><tr><td>a<td rowspan=2>b<td>c<tr><td colspan=2>d<td>e<tr><td>f<td>g<td>h</table>", "a | b | c\nd | d | e\nf | g | h"},
		{"beyond the rows", "<table><tr><td rowspan=99999999999999999999>a<td rowspan=65000>b<tr><td>c</table>", "a | b\nc | b"},
		{"a title in a row", "<table><tr><td colspan=3>Income<tr><td>a<td>b<td>c<tr><td>1<td>2<td>3</table>", "Income\na | b | c\n1 | 2 | 3"},
		{"in a column within", "<table><tr><th>a<th>b<th>c<tr><td>1<td rowspan=2>2<td>3<tr><td>4<td>5</table>", "a | b | c\n1 | 2 | 3\n4 | 2 | 5"},
	}, same)
}
