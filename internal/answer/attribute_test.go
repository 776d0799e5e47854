package answer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// weirBridge are passages for answers without marks.
func weirBridge() []domain.Passage {
	var all []domain.Passage
	for i, p := range []struct{ title, text string }{
		{"Weir Bridge", "Weir Bridge crosses the Tarn. Ann Lee built it in 1812 for 14,500 pounds. It has one arch of grey stone."},
		{"Ann Lee", "Ann Lee was born in Elsford. She was an engineer, and her brother kept the toll house."},
		{"Swans", "The swans are hungry. Nobody pays for their corn."},
		{"Brücke", "Die Brücke wurde 1812 von Ann Lee gebaut. Sie hat einen Bogen."},
	} {
		at := 100 * i
		all = append(all, domain.Passage{Name: p.title + ".txt", Title: p.title, Chunk: domain.Chunk{
			ID: domain.ChunkID(p.title), Text: p.text, Span: domain.Span{Start: at, End: at + domain.Runes(p.text)},
		}})
	}
	return all
}

// TestAnAnswerWithoutMarksGetsThem has sentences as small models write them: rightly
// without marks, in other words, from two passages, and made up.
func TestAnAnswerWithoutMarksGetsThem(t *testing.T) {
	t.Parallel()
	const question = "Who built Weir Bridge?"
	for _, tt := range []struct {
		name, question, text, want string
	}{
		{"a copy", question, "Ann Lee built it in 1812 for 14,500 pounds.", "[Ann Lee built it in 1812 for 14,500 pounds.]"},
		{"in other words", question, "Weir Bridge was built by Ann Lee in the year 1812.", "[Ann Lee built it in 1812 for 14,500 pounds.]"},
		{"a name alone", question, "Ann Lee", "[Ann Lee built it in 1812 for 14,500 pounds.]"},
		{"a name alone with a full stop", question, "Ann Lee.", "[Ann Lee built it in 1812 for 14,500 pounds.]"},
		{"a number alone", "When was Weir Bridge built?", "1812.", "[Ann Lee built it in 1812 for 14,500 pounds.]"},
		{"a number written otherwise", "What did Weir Bridge cost?", "It cost 14500 pounds.", "[Ann Lee built it in 1812 for 14,500 pounds.]"},
		{"a pronoun in the passage", "How many arches has Weir Bridge?", "Weir Bridge has one arch.", "[It has one arch of grey stone.]"},
		{"two sentences", question, "Ann Lee built it. It has one arch of stone.", "[Ann Lee built it in 1812 for 14,500 pounds.] [It has one arch of grey stone.]"},
		{"two passages", "Where was the builder of Weir Bridge born?", "Ann Lee, who built Weir Bridge in 1812, was born in Elsford.", "[Ann Lee built it in 1812 for 14,500 pounds.][Ann Lee was born in Elsford.]"},
		{"another language", "Wer hat die Brücke gebaut?", "Ann Lee hat die Brücke 1812 gebaut.", "[Die Brücke wurde 1812 von Ann Lee gebaut.]"},
		{"another name", question, "Weir Bridge was built by Tom Crane in 1812.", ""},
		{"another number", question, "Ann Lee built Weir Bridge in 1821.", ""},
		{"part of a number", question, "Ann Lee built it for 500 pounds.", ""},
		{"nothing in common", question, "It is famous for its chocolate and its music.", ""},
		{"the question again", question, "It is not known who built Weir Bridge.", ""},
		{"words of the question and one more", question, "Weir Bridge is built of chocolate.", ""},
		{"a right and a wrong one", question, "Ann Lee built it. It was painted blue by Tom Crane.", "[Ann Lee built it in 1812 for 14,500 pounds.] "},
		{"no words", question, "...", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &composer{citations: []domain.Citation{}}
			c.Write(tt.text)
			c.attribute(tt.question, weirBridge())
			var got []string
			for _, s := range c.sentences() {
				quoted := ""
				for _, n := range s.Citations {
					quoted += "[" + c.citations[n-1].Text + "]"
				}
				got = append(got, quoted)
			}
			if quoted := strings.Join(got, " "); quoted != tt.want {
				t.Errorf("%q cites %q, want %q", tt.text, quoted, tt.want)
			}
			if c.plain.String() != tt.text {
				t.Errorf("the words became %q", c.plain.String())
			}
		})
	}
}

// TestMarksAreKeptWhereTheyAre gives a mark to a sentence between two that have
// theirs. The numbers follow the text.
func TestMarksAreKeptWhereTheyAre(t *testing.T) {
	t.Parallel()
	all := weirBridge()
	c := &composer{citations: []domain.Citation{}}
	c.Write("The swans are hungry.")
	c.Cite(all[2], domain.Span{Start: 200, End: 221})
	c.Write(" It has one arch. Ann Lee was born in Elsford.")
	c.Cite(all[1], domain.Span{Start: 100, End: 128})
	c.remark([]string{"The graph is away."})
	c.attribute("Who built Weir Bridge?", all)
	if want := "The swans are hungry. [1] It has one arch. [2] Ann Lee was born in Elsford. [3]\n\nThe graph is away."; c.answer() != want {
		t.Errorf("got %q", c.answer())
	}
	var names []string
	for i, cited := range c.citations {
		names = append(names, cited.Document)
		if cited.N != i+1 {
			t.Errorf("citation %d has the number %d", i+1, cited.N)
		}
	}
	if diff := cmp.Diff([]string{"Swans.txt", "Weir Bridge.txt", "Ann Lee.txt"}, names); diff != "" {
		t.Errorf("citations (-want +got)\n%s", diff)
	}
	if s := c.sentences(); !s[3].Remark || len(s[3].Citations) > 0 {
		t.Errorf("the remark is %+v", s[3])
	}
}

// TestEverySourceIsCited expects that each citation of an answer is one of some
// sentence, whatever the model writes around its marks.
func TestEverySourceIsCited(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[1] Ann Lee built it. [2]", "[1]", "[1][2] [3]", "[2] [1] Ann Lee.", "Ann Lee [9] built [1] it", "\n\n[1]\nAnn Lee built it.", "Ann Lee built it.\n\n[1] [2]"} {
		s := &script{texts: []string{"Ann Lee built it.", "It is one.", "So it is."}, searches: [][]int{{0, 1, 2}}, relevant: always, says: text}
		o, err := s.run(t, Begin{Question: "Who built it?"})
		if err != nil {
			t.Fatal(err)
		}
		used := map[int]bool{}
		for _, sentence := range o.Sentences {
			for _, n := range sentence.Citations {
				used[n] = true
			}
		}
		if len(used) != len(o.Citations) {
			t.Errorf("%q: sentences %+v cite %d of %d sources", text, o.Sentences, len(used), len(o.Citations))
		}
		if len(o.Sentences) == 0 {
			t.Errorf("%q became an answer without a sentence: %q", text, o.Generation)
		}
	}
}
