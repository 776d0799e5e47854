package answer

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// TestAQuotationIsOneSentence quotes several sentences at once, and goes on from the text
// that is kept.
func TestAQuotationIsOneSentence(t *testing.T) {
	t.Parallel()
	c := resumeComposer(Text{}, nil)
	c.Remark(SaysMostLikely)
	c.Quote(Quotation{Text: "“Ünder the bridge. Ann Lee built Weir Bridge.”", Passage: firstPassage, Span: domain.Span{Start: 28, End: 54}, Marks: []domain.Span{{Start: 28, End: 35}}})
	c = resumeComposer(c.text(), nil)
	c.Remark(SaysAlsoClose)
	c.Quote(Quotation{Text: "“Weir Bridge has one arch of stone.”", Passage: secondPassage, Span: secondPassage.Span, Close: true, Tie: "Weir Bridge"})
	const want = "Most likely:\n\n“Ünder the bridge. Ann Lee built Weir Bridge.” [1]\n\nAlso close:\n\n“Weir Bridge has one arch of stone.” [2]"
	if c.answer() != want {
		t.Errorf("answer %q", c.answer())
	}
	wantSaid := []domain.Sentence{
		{Text: SaysMostLikely, Citations: []int{}, Remark: true},
		{Text: "“Ünder the bridge. Ann Lee built Weir Bridge.”", Citations: []int{1}, Paragraph: 1, Quote: true},
		{Text: SaysAlsoClose, Citations: []int{}, Paragraph: 2, Remark: true},
		{Text: "“Weir Bridge has one arch of stone.”", Citations: []int{2}, Paragraph: 3, Quote: true},
	}
	if diff := cmp.Diff(wantSaid, c.sentences()); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	wantCited := []domain.Citation{
		{N: 1, Document: "a.txt", DocumentID: "A", Chunk: "a", Page: 2, Span: domain.Span{Start: 28, End: 54}, Text: "Ann Lee built Weir Bridge.", Marks: []domain.Span{{Start: 28, End: 35}}},
		{N: 2, Document: "b.txt", DocumentID: "B", Chunk: "b", Span: secondPassage.Span, Text: secondPassage.Text, Close: true, Tie: "Weir Bridge"},
	}
	if diff := cmp.Diff(wantCited, c.citations); diff != "" {
		t.Errorf("citations (-want +got):\n%s", diff)
	}
}

// TestNothingCloseNamesTheWords declines in the language of the question.
func TestNothingCloseNamesTheWords(t *testing.T) {
	t.Parallel()
	viaduct := domain.AskedWord{Text: "Viaduckt", Meant: "Viaduct", MeantIn: 1}
	marlock, opera, built := domain.AskedWord{Text: "Marlock"}, domain.AskedWord{Text: "opera"}, domain.AskedWord{Text: "built", Documents: 4}
	for _, tt := range []struct {
		question string
		words    []domain.AskedWord
		want     string
	}{
		{"Who built it?", []domain.AskedWord{built}, "Nothing close was found."},
		{"Who built the Viaduckt at Marlock?", []domain.AskedWord{viaduct, marlock, built}, "Nothing close was found. “Viaduckt” is in no document. Did you mean “Viaduct”? “Marlock” is in no document."},
		{"Who built the opera at Marlock?", []domain.AskedWord{marlock, opera}, "Nothing close was found. In no document: “Marlock”, “opera”."},
		{"Wer baute Marlock?", []domain.AskedWord{marlock}, "Es wurde nichts Naheliegendes gefunden. „Marlock“ steht in keinem Dokument."},
		{"Wer baute die Viaduckt?", []domain.AskedWord{viaduct}, "Es wurde nichts Naheliegendes gefunden. „Viaduckt“ steht in keinem Dokument. Meinten Sie „Viaduct“?"},
		{"Qui a construit la Viaduckt ?", []domain.AskedWord{viaduct}, "Rien de proche n'a été trouvé. «\u00a0Viaduckt\u00a0» n'est dans aucun document. Vouliez-vous dire «\u00a0Viaduct\u00a0» ?"},
		{"Wie heeft het viaduct gebouwd?", nil, "Er is niets gevonden dat in de buurt komt."},
		{"Quem foi o dono da ópera?", nil, "Nada próximo foi encontrado."},
	} {
		c := resumeComposer(Text{}, nil)
		c.decline(Writing{Asked: Asked{Question: tt.question}, Searched: true, Found: 3}, true, domain.Words{Words: tt.words})
		if got := c.answer(); got != tt.want {
			t.Errorf("%s\n got %q\nwant %q", tt.question, got, tt.want)
		}
	}
	c := resumeComposer(Text{}, nil)
	c.decline(Writing{Asked: Asked{Question: "Who built the Viaduckt?"}, Searched: true, Scoped: true}, true, domain.Words{Words: []domain.AskedWord{viaduct, built}})
	if got, want := c.answer(), "Nothing close was found. In none of the documents asked: “Viaduckt”."; got != want {
		t.Errorf("within some documents: got %q, want %q", got, want)
	}
}
