package pdf_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/parse/pdf"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// contentOf returns the content of the only page of a file.
func contentOf(t *testing.T, data string) pdf.Content {
	t.Helper()
	f, err := pdf.Open([]byte(data), 1<<24)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return f.Compose(f.Draw(context.Background(), f.Pages(1)[0]))
}

func textOf(c pdf.Content) string {
	text := ""
	for i, p := range c.Paragraphs {
		if i > 0 {
			text += " / "
		}
		text += p.Text
	}
	return text
}

func TestWhatIsNotSeen(t *testing.T) {
	t.Parallel()
	plain := pdftest.Lines(50, 700, 10, "The mill is closed.")
	secret := pdftest.Lines(50, 600, 10, "SECRET words")
	image := pdftest.Stream("/Subtype /Image /Width 1 /Height 1", "x")
	inks := "/ColorSpace << /Ink [/Separation /Black /DeviceGray 9 0 R] /Few [/Indexed /DeviceGray 1 <00FF>] >> /XObject << /X 4 0 R >> /ExtGState << /Thin << /ca 0.2 >> /Mask << /SMask << /S /Alpha >> >> >>"
	only, all := "The mill is closed.", "The mill is closed. / SECRET words"
	tests := []struct {
		name, content, want string
		hidden              pdf.Hidden
	}{
		{"white", plain + "1 1 1 rg " + secret, only, pdf.Hidden{White: true}},
		{"white in grey", plain + "1 g " + secret, only, pdf.Hidden{White: true}},
		{"white without ink", plain + "0 0 0 0 k " + secret, only, pdf.Hidden{White: true}},
		{"white of a palette", plain + "/Few cs 1 sc " + secret, only, pdf.Hidden{White: true}},
		{"nearly white", plain + ".99 .98 .99 rg " + secret, only, pdf.Hidden{White: true}},
		{"white on a white box on black", plain + "0 g 0 550 600 100 re f 1 g 0 580 600 50 re f " + secret, only, pdf.Hidden{White: true}},
		{"white until the state is restored", "q 1 g Q " + plain + secret, all, pdf.Hidden{}},
		{"white after another colour space", "1 g /Ink cs " + plain + secret, all, pdf.Hidden{}},
		{"full ink", plain + "/Ink cs 1 scn " + secret, all, pdf.Hidden{}},
		{"light grey", plain + ".8 g " + secret, all, pdf.Hidden{}},
		{"white on black", plain + "0 g 0 590 600 30 re f 1 g " + secret, all, pdf.Hidden{}},
		{"white on a drawing", plain + "0 .4 0 rg 0 590 m 600 590 l 600 640 l 0 640 l f 1 g " + secret, all, pdf.Hidden{}},
		{"white on an image", plain + "q 600 0 0 100 0 550 cm /X Do Q 1 g " + secret, all, pdf.Hidden{}},
		{"white on a shading", plain + "/S sh 1 g " + secret, all, pdf.Hidden{}},
		{"white on sheer white on black", plain + "0 g 0 550 600 100 re f q /Thin gs 1 g 0 550 600 100 re f Q 1 g " + secret, all, pdf.Hidden{}},
		{"white on a mask", plain + "/Mask gs 1 g " + secret, all, pdf.Hidden{}},
		{"not drawn", plain + "3 Tr " + secret, only, pdf.Hidden{Invisible: true}},
		{"not drawn over an image", plain + "q 600 0 0 100 0 550 cm /X Do Q 3 Tr " + secret, all, pdf.Hidden{}},
		{"not drawn under an image", plain + "3 Tr " + secret + "q 600 0 0 100 0 550 cm /X Do Q", all, pdf.Hidden{}},
		{"nothing else", "3 Tr " + secret, "SECRET words", pdf.Hidden{}},
		{"below the page", plain + pdftest.Lines(50, -300, 10, "SECRET words"), only, pdf.Hidden{Beyond: true}},
		{"beside the page", plain + pdftest.Lines(900, 600, 10, "SECRET words"), only, pdf.Hidden{Beyond: true}},
		{"partly on the page", plain + pdftest.Lines(570, 600, 10, "A word that goes over the edge"), "The mill is closed. / A word that goes over the edge", pdf.Hidden{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := contentOf(t, pdftest.Pages([]string{tt.content}, inks, image))
			if got := textOf(c); got != tt.want || c.Hidden != tt.hidden {
				t.Errorf("text %q, hidden %+v; want %q, %+v", got, c.Hidden, tt.want, tt.hidden)
			}
		})
	}
}

func TestStruckText(t *testing.T) {
	t.Parallel()
	// In Helvetica at 10, "The rent is " is 51 wide and "400" 16.7.
	line := pdftest.Lines(50, 700, 10, "The rent is 400 650 crowns.")
	const out, all = "The rent is 650 crowns.", "The rent is 400 650 crowns."
	tests := []struct {
		name, content, want string
		struck              bool
	}{
		{"a line", line + "1 w 101 703 m 118 703 l S", out, true},
		{"a thin box", line + "101 702.5 17 0.8 re f", out, true},
		{"before the text", "101 702.5 17 0.8 re f " + line, out, true},
		{"below", line + "101 698 17 0.8 re f", all, false},
		{"through more than the text", line + "20 702.5 500 0.8 re f", all, false},
		{"a box behind the text", line + "101 700 17 8 re f", all, false},
		{"white", line + "1 g 101 702.5 17 0.8 re f", all, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := contentOf(t, pdftest.Pages([]string{tt.content}, ""))
			if got := textOf(c); got != tt.want || c.Hidden.Struck != tt.struck {
				t.Errorf("text %q, struck %t; want %q, %t", got, c.Hidden.Struck, tt.want, tt.struck)
			}
		})
	}
	data := pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 << /Subtype /Type1 /BaseFont /Helvetica >> >> >> /Annots [<< /Subtype /StrikeOut /QuadPoints [101 709 118 709 101 698 118 698] >>] >>",
		pdftest.Stream("", line))
	if got := textOf(contentOf(t, data)); got != out {
		t.Errorf("with an annotation: %q", got)
	}
}

func TestRaisedFigures(t *testing.T) {
	t.Parallel()
	raised := func(before, figure, after string) string {
		return "BT /F1 12 Tf 50 700 Td (" + before + ") Tj 5 Ts /F1 7 Tf (" + figure + ") Tj 0 Ts /F1 12 Tf (" + after + ") Tj ET"
	}
	tests := []struct{ name, content, want string }{
		{"a power", raised("The reservoir holds 5 x 10", "6", " litres."), "The reservoir holds 5 x 10⁶ litres."},
		{"a negative power", raised("about 10", "-6", " m"), "about 10⁻⁶ m"},
		{"a unit", raised("It is 40 m", "2", " large."), "It is 40 m² large."},
		{"a note", raised("It cost 1200", "3", " crowns."), "It cost 1200 [^3] crowns."},
		{"a note's text", raised("", "3", " See the ledger."), "[^3] See the ledger."},
		{"an ordinal", raised("the 19", "th", " century"), "the 19th century"},
		{"a formula", "BT /F1 12 Tf 50 700 Td (Water is H) Tj -3 Ts /F1 7 Tf (2) Tj 0 Ts /F1 12 Tf (O.) Tj ET", "Water is H2O."},
		{"written after the line", "BT /F1 12 Tf 50 700 Td [(It cost 1200) -500 ( crowns.)] TJ ET BT /F1 7 Tf 1 0 0 1 112.3 705 Tm (3) Tj ET", "It cost 1200 [^3] crowns."},
		{"at the end of the line", "BT /F1 12 Tf 50 700 Td (It cost 1200) Tj ET BT /F1 12 Tf 50 660 Td (The end.) Tj ET BT /F1 7 Tf 1 0 0 1 112.3 705 Tm (3) Tj ET", "It cost 1200 [^3] / The end."},
		{"a quotation mark", "BT /F1 12 Tf 50 700 Td (He said) Tj 5 Ts /F1 7 Tf (\\222) Tj 0 Ts /F1 12 Tf ( so.) Tj ET", "He said’ so."},
		{"a sloping line", "1 .02 -.02 1 0 0 cm " + pdftest.Lines(50, 700, 10, "In 1931 the mill of 40 rooms stood on the bank of the river Orsen"), "In 1931 the mill of 40 rooms stood on the bank of the river Orsen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, page(t, tt.content, "")); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}
