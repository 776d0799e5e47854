package prose

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

func TestEachRowOfATableIsASentence(t *testing.T) {
	t.Parallel()
	want := []string{"Words", "word | meaning", "send | one task for a node", "update | what a node returns", "and so on, a|b"}
	var got []string
	text := "Words\n\n" + strings.Join(want[1:], "\n")
	for _, s := range Sentences(text) {
		got = append(got, s.Slice(text))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sentences (-want +got)\n%s", diff)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{ // sentences parted by |
		{"plain", "One came. Two went! Did three stay?", "One came.|Two went!|Did three stay?"},
		{"initials", "The novel by J. R. Smith sold well. It won.", "The novel by J. R. Smith sold well.|It won."},
		{"initial after a hyphen", "The novel by Hans-J. Smith sold well. It won.", "The novel by Hans-J. Smith sold well.|It won."},
		{"titles", "Dr. Brown met Mr. Green. They left.", "Dr. Brown met Mr. Green.|They left."},
		{"country", "He lives in the U.S. It is large. The U.S. Army came.", "He lives in the U.S.|It is large.|The U.S. Army came."},
		{"company", "He founded Carrow Ltd. in 1872. It grew.", "He founded Carrow Ltd. in 1872.|It grew."},
		{"number", "See No. 5 there. He said no. Then he left.", "See No. 5 there.|He said no.|Then he left."},
		{"decimals", "It cost 3.50 crowns. Cheap.", "It cost 3.50 crowns.|Cheap."},
		{"quotes", `"Stop!" she cried. He said: "I will." Then he did.`, `"Stop!" she cried.|He said: "I will."|Then he did.`},
		{"curly quotes", "“Go.” “No.” They went.", "“Go.”|“No.”|They went."},
		{"brackets", "It rained. (It often did.) We left.", "It rained.|(It often did.)|We left."},
		{"mark in a name", "Yahoo! was bought. It sank.", "Yahoo! was bought.|It sank."},
		{"ellipsis", "He waited... and waited. Then… He left.", "He waited... and waited.|Then…|He left."},
		{"footnote", "It opened in 1960.[2] The town grew.[3][14] Fine.", "It opened in 1960.[2]|The town grew.[3][14]|Fine."},
		{"mark of a note", "It opened in 1960.[^2] The town grew.[^i][^14] Fine.", "It opened in 1960.[^2]|The town grew.[^i][^14]|Fine."},
		{"heading", "The Bridges\n\nThey stand. All of them.", "The Bridges|They stand.|All of them."},
		{"list", "- one thing\n- Another thing\n- the last", "- one thing|- Another thing|- the last"},
		{"notes", "house notes\nwifi password: hunter2\nspare key: with Mrs Okafor at number 14\nbin day: tuesday", "house notes|wifi password: hunter2|spare key: with Mrs Okafor at number 14|bin day: tuesday"},
		{"lines that were not wrapped", "take two bags\nbuy matches on the way to the cabin\nleave the dog\n\nit was\nwrapped", "take two bags|buy matches on the way to the cabin|leave the dog|it was\nwrapped"},
		{"wrapped line", "The bridge was built\nin 1812 by hand.", "The bridge was built\nin 1812 by hand."},
		{"Chinese", "他来了。她走了！真的吗？", "他来了。|她走了！|真的吗？"},
		{"Chinese quotes", "他说「好。」她笑了。", "他说「好。」|她笑了。"},
		{"emoji", "Great 🎉. Next 👍🏽 one.", "Great 🎉.|Next 👍🏽 one."},
		{"German day", "Sie starb am 31. Oktober 1931 in Wien. Am 3. August kam er, am Montag, 5. Mai, ging er.", "Sie starb am 31. Oktober 1931 in Wien.|Am 3. August kam er, am Montag, 5. Mai, ging er."},
		{"German days", "Der Markt war vom 3. bis 5. Mai und am 30./31. Dezember. Der Vertrag (10. Juni bis 10. Juli) gilt. Wien, 9. November 1918", "Der Markt war vom 3. bis 5. Mai und am 30./31. Dezember.|Der Vertrag (10. Juni bis 10. Juli) gilt.|Wien, 9. November 1918"},
		{"German century", "Im 18. und 19. Jahrhundert wuchs sie. Ende des 18./19. Jahrhunderts kam der 2. Weltkrieg.", "Im 18. und 19. Jahrhundert wuchs sie.|Ende des 18./19. Jahrhunderts kam der 2. Weltkrieg."},
		{"German ordinal", "Er wohnt im 4. Stock. Es war die 25. Wiederholung, an ihrem 40. Geburtstag und am 2. Advent.", "Er wohnt im 4. Stock.|Es war die 25. Wiederholung, an ihrem 40. Geburtstag und am 2. Advent."},
		{"German number at the end", "Er wurde der 3. Danach ging er. Es waren 12. Maud kam. Es kostete 3.50. Oktober war es.", "Er wurde der 3.|Danach ging er.|Es waren 12.|Maud kam.|Es kostete 3.50.|Oktober war es."},
		{"no German day", "Es waren 45. Oktober war es. Siehe S. 31.) Dezember war es. Um 1931. Januar kam.", "Es waren 45.|Oktober war es.|Siehe S. 31.)|Dezember war es.|Um 1931.|Januar kam."},
		{"English number at the end", "I am 31. Maud is 30. It opened on May 3. August was hot. They lost 12. April came.", "I am 31.|Maud is 30.|It opened on May 3.|August was hot.|They lost 12.|April came."},
		{"German list", "Punkt 3.\n\nOktober\n1. Mai\n2. Juni", "Punkt 3.|Oktober|1.|Mai|2.|Juni"},
		{"no mark", "words without an end", "words without an end"},
		{"blank", " \n ", ""},
		{"empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range Sentences(tt.text) {
				got = append(got, s.Slice(tt.text))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
				t.Errorf("sentences (-want +got)\n%s", diff)
			}
		})
	}
}

func TestSentencesCoverEveryWord(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"a", "B", "é", "東", "。", ".", "!", "\"", "”", " ", "\n", "[2]", "J.", "Dr.", "e\u0301", "🎉", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
		runes := []rune(text)
		covered, last := make([]bool, len(runes)), 0
		for _, s := range Sentences(text) {
			if s.Start < last || s.Empty() || s.End > len(runes) {
				t.Fatalf("span %v of %q after %d", s, text, last)
			}
			last = s.End
			for i := s.Start; i < s.End; i++ {
				covered[i] = true
			}
			if unicode.IsSpace(runes[s.Start]) || unicode.IsSpace(runes[s.End-1]) {
				t.Fatalf("sentence %q has white space at its ends", s.Slice(text))
			}
		}
		for i, r := range runes {
			if !unicode.IsSpace(r) && !covered[i] {
				t.Fatalf("%q at %d of %q is in no sentence", r, i, text)
			}
		}
	})
}

func BenchmarkSentences(b *testing.B) {
	text := strings.Repeat("The novel by J. R. Smith sold well in the U.S. and elsewhere. It won a prize. ", 10)
	b.SetBytes(int64(len(text)))
	var spans []domain.Span
	for b.Loop() {
		spans = Sentences(text)
	}
	if len(spans) != 20 {
		b.Fatalf("%d sentences", len(spans))
	}
}
