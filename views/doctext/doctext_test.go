package doctext_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/doctext"
)

// flat prints a cut in a readable form: # for headings, [page], {link},
// <marked>.
func flat(c doctext.Cut) []string {
	var out []string
	for _, b := range c.Blocks {
		var s strings.Builder
		if b.Mark != "" {
			s.WriteString("[page]")
		}
		s.WriteString(strings.Repeat("#", b.Heading))
		for _, r := range b.Runs {
			open, end := "", ""
			if r.Hit {
				open, end = "<", ">"
			}
			s.WriteString(open)
			for _, p := range r.Pieces {
				if p.Href != "" {
					s.WriteString("{" + p.Text + "}")
				} else {
					s.WriteString(p.Text)
				}
			}
			s.WriteString(end)
		}
		out = append(out, s.String())
	}
	return out
}

func span(text, words string) domain.Span {
	before, _, _ := strings.Cut(text, words)
	return domain.Span{Start: domain.Runes(before), End: domain.Runes(before) + domain.Runes(words)}
}

const content = "Notes ☂\n\nAnn met Bob in Paris.\nThey left.\n\nSecond part\nUnder it 👩‍👧 more."

func text() domain.Text {
	second := span(content, "Second part")
	return domain.Text{
		Content:  content,
		Pages:    []domain.Page{{Number: 1, Span: domain.Span{Start: 0, End: second.Start}}, {Number: 2, Span: domain.Span{Start: second.Start, End: domain.Runes(content)}}},
		Headings: []domain.Heading{{Level: 1, Text: "Notes", Span: span(content, "Notes ☂")}, {Level: 2, Text: "Second part", Span: second}},
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	mentions := []doctext.Mention{
		{Span: span(content, "Bob"), Href: "/b"}, {Span: span(content, "Ann"), Href: "/a"},
		{Span: span(content, "nn"), Href: "/inner"}, {Span: domain.Span{Start: 900, End: 905}, Href: "/outside"},
	}
	tests := map[string]struct {
		hit  domain.Span
		want []string
	}{
		"nothing marked":      {domain.Span{}, []string{"[page]", "#Notes ☂", "{Ann} met {Bob} in Paris.\nThey left.", "[page]", "##Second part", "Under it 👩‍👧 more."}},
		"within a paragraph":  {span(content, "met Bob"), []string{"[page]", "#Notes ☂", "{Ann} <met {Bob}> in Paris.\nThey left.", "[page]", "##Second part", "Under it 👩‍👧 more."}},
		"through a name":      {span(content, "n met B"), []string{"[page]", "#Notes ☂", "{An}<{n} met {B}>{ob} in Paris.\nThey left.", "[page]", "##Second part", "Under it 👩‍👧 more."}},
		"over two paragraphs": {span(content, "left.\n\nSecond part\nUnder it 👩‍👧"), []string{"[page]", "#Notes ☂", "{Ann} met {Bob} in Paris.\nThey <left.>", "[page]", "##<Second part>", "<Under it 👩‍👧> more."}},
		"beyond the text":     {domain.Span{Start: -4, End: 9000}, []string{"[page]", "#<Notes ☂>", "<{Ann} met {Bob} in Paris.\nThey left.>", "[page]", "##<Second part>", "<Under it 👩‍👧 more.>"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, flat(doctext.New(text(), mentions, tt.hit, domain.Span{}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRowsAndLines cuts a sheet, a table without numbers, prose with a bar, and
// code.
func TestRowsAndLines(t *testing.T) {
	t.Parallel()
	const content = "Costs\n\nItem | Price\nRent | 900\nPower | 100\n\na | b\n1 |\n\nNot | a table\nat all\n\nif a | b {\n  c()"
	from, to := span(content, "Power | 100"), span(content, "if a")
	end := domain.Runes(content)
	in := domain.Text{Content: content, Pages: []domain.Page{
		{Unit: domain.UnitRow, Name: "Costs", Span: domain.Span{End: 5}},
		{Unit: domain.UnitRow, Name: "Costs", Number: 3, Span: domain.Span{Start: 7, End: from.Start - 1}},
		{Unit: domain.UnitRow, Name: "Costs", Number: 9, Span: from},
		{Unit: domain.UnitSlide, Number: 2, Span: domain.Span{Start: from.End + 2, End: to.Start - 2}},
		{Unit: domain.UnitLine, Number: 7, Span: domain.Span{Start: to.Start, End: end}},
	}}
	var got []string
	for _, b := range doctext.New(in, nil, span(content, "900"), domain.Span{}).Blocks {
		said := b.Mark
		for _, row := range b.Rows {
			said += fmt.Sprintf("(%d", row.Number)
			for _, cell := range row.Cells {
				said += " [" + strings.Join(flat(doctext.Cut{Blocks: []doctext.Block{{Runs: cell.Runs}}}), "") + "]"
				if len(cell.Runs) > 0 && !strings.HasPrefix(domain.Span{Start: cell.Start, End: end}.Slice(content), cell.Runs[0].Pieces[0].Text) {
					t.Errorf("a cell of %q does not begin at %d", said, cell.Start)
				}
			}
			said += ")"
		}
		if b.Rows == nil && b.Mark == "" {
			said = strings.Join(flat(doctext.Cut{Blocks: []doctext.Block{b}}), "")
		}
		if b.Code {
			said = "code " + said
		}
		got = append(got, said)
	}
	want := []string{
		"Sheet Costs", "Costs", "(3 [Item] [Price])(4 [Rent] [<900>])(9 [Power] [100])", "Slide 2", "(0 [a] [b])(0 [1] [])", "Not | a table\nat all",
		"code (7 [if a | b {])(8 [  c()])",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOnlyTheFirstMarkIsFirst(t *testing.T) {
	t.Parallel()
	first := 0
	for _, b := range doctext.New(text(), nil, domain.Span{Start: 3, End: 60}, domain.Span{}).Blocks {
		for _, r := range b.Runs {
			if r.First {
				first++
			}
		}
	}
	if first != 1 {
		t.Errorf("%d marks are the first, want one", first)
	}
}

func TestContentsLeadToTheirHeadings(t *testing.T) {
	t.Parallel()
	anchors := map[string]bool{}
	for _, b := range doctext.New(text(), nil, domain.Span{}, domain.Span{}).Blocks {
		anchors[b.Anchor] = true
	}
	for _, e := range doctext.Contents(text()) {
		if !anchors[e.Anchor] {
			t.Errorf("no heading has the anchor %s of %q", e.Anchor, e.Text)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	paragraphs := strings.Repeat("0123456789\n\n", 40)
	hit := domain.Span{Start: 245, End: 248}
	w := doctext.Around(paragraphs, hit, 30)
	if w.Len() < 30 || w.Len() > 60 || !w.Contains(hit) || w.Start%12 != 0 || w.End%12 != 0 {
		t.Errorf("the window is %v, want whole paragraphs about %v", w, hit)
	}
	c := doctext.New(domain.Text{Content: paragraphs}, nil, hit, w)
	if !c.Before || !c.After || len(c.Blocks) == 0 {
		t.Errorf("the cut says %v before and %v after with %d blocks", c.Before, c.After, len(c.Blocks))
	}
}

// TestNothingIsLost checks that for all positions the blocks hold the whole
// text except white space between them, and the marked runs exactly the hit.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	letters := rapid.SampledFrom([]rune("ab é☂👧\n\n "))
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.SliceOfN(letters, 0, 80).Draw(t, "text")
		spans := func(label string) domain.Span {
			a := rapid.IntRange(-2, len(runes)+2).Draw(t, label)
			return domain.Span{Start: a, End: a + rapid.IntRange(0, 20).Draw(t, label+" length")}
		}
		in := domain.Text{Content: string(runes)}
		if len(runes) > 4 {
			start := rapid.IntRange(0, len(runes)-2).Draw(t, "heading")
			in.Headings = []domain.Heading{{Level: 1, Span: domain.Span{Start: start, End: start + 2}}}
			page := rapid.IntRange(0, len(runes)).Draw(t, "page")
			in.Pages = []domain.Page{{Number: 1, Span: domain.Span{End: page}}, {Number: 2, Span: domain.Span{Start: page, End: len(runes)}}}
		}
		hit := spans("hit")
		var mentions []doctext.Mention
		for range rapid.IntRange(0, 4).Draw(t, "mentions") {
			mentions = append(mentions, doctext.Mention{Span: spans("mention"), Href: "/x"})
		}
		var all, marked strings.Builder
		for _, b := range doctext.New(in, nonNegative(mentions), hit, domain.Span{}).Blocks {
			for _, r := range b.Runs {
				for _, p := range r.Pieces {
					all.WriteString(p.Text)
					if r.Hit {
						marked.WriteString(p.Text)
					}
				}
			}
		}
		if got, want := solid(all.String()), solid(string(runes)); got != want {
			t.Fatalf("the blocks hold %q, want %q", got, want)
		}
		if got, want := solid(marked.String()), solid(hit.Slice(string(runes))); hit.Start >= 0 && got != want {
			t.Fatalf("marked is %q, want %q", got, want)
		}
	})
}

func nonNegative(mentions []doctext.Mention) []doctext.Mention {
	var out []doctext.Mention
	for _, m := range mentions {
		if m.Span.Start >= 0 {
			out = append(out, m)
		}
	}
	return out
}

// solid removes white space from a text.
func solid(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

func TestOnPages(t *testing.T) {
	t.Parallel()
	whole := text()
	if got := doctext.OnPages(whole, span(content, "met Bob")); len(got) != 1 || got[0].Page != 1 || got[0].Words != "met Bob" || got[0].At <= 0.3 || got[0].At >= 0.5 {
		t.Errorf("on one page: %+v", got)
	}
	over := doctext.OnPages(whole, span(content, "They left.\n\nSecond"))
	if len(over) != 2 || strings.TrimSpace(over[0].Words) != "They left." || over[1] != (doctext.Words{Page: 2, Words: "Second"}) {
		t.Errorf("on two pages: %+v", over)
	}
	whole.Pages[0].Unit = domain.UnitSlide
	for what, got := range map[string][]doctext.Words{
		"a slide": doctext.OnPages(whole, span(content, "met Bob")), "nothing": doctext.OnPages(whole, domain.Span{Start: 90, End: 90}), "white space": doctext.OnPages(text(), span(content, "\n\n")),
	} {
		if len(got) != 0 {
			t.Errorf("%s stands on %+v", what, got)
		}
	}
}
