package builtin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/answer/answertest"
)

func TestFormsMeet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"designer", "designed", true},
		{"printer", "print", true},
		{"repainting", "repaint", true},
		{"rebuilt", "rebuild", true},
		{"newspaper", "paper", true},
		{"added", "add", true},
		{"inspector", "inspection", true},
		{"composer", "composition", true},
		{"founder", "founded", true},
		{"discovery", "discovered", true},
		{"marriage", "married", true},
		{"wife", "married", true},
		{"bought", "buy", true},
		{"lane", "street", true},
		{"foundry", "founded", false},
		{"bridge", "bride", false},
		{"river", "rival", false},
		{"painted", "pointed", false},
		{"repair", "pair", false},
	} {
		if got := shareForm(formsOf(tt.a), formsOf(tt.b)); got != tt.want {
			t.Errorf("%s and %s: %v (%v, %v)", tt.a, tt.b, got, formsOf(tt.a), formsOf(tt.b))
		}
	}
}

func TestReadQuestion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text   string
		kind   answerKind
		wanted string
		own    string // the words of its own clause
	}{
		{"Who built Weir Bridge?", aPerson, "", "built Weir Bridge"},
		{"When was the mill sold?", aTime, "", "mill sold"},
		{"In which year was it sold?", aTime, "", "sold"},
		{"Where did Ann Lee live?", aPlace, "", "Ann Lee live"},
		{"How many lamps hang there?", aNumber, "", "lamps hang"},
		{"What caused the fire?", anything, "", "caused fire"},
		{"What happens to old lamps?", anything, "", "happens old lamps"},
		{"Why doesn't the mill turn?", aReason, "", "mill turn"},
		{"Which insurance company paid for the fire?", aNamed, "company", "insurance company paid fire"},
		{"Who sold the mill that Ann Lee built?", aPerson, "", "sold"},
		{"Who sold the mill built by Ann Lee?", aPerson, "", "sold"},
		{"Who painted the designer of Weir Bridge?", aPerson, "", "painted"},
		{"What did the man to whom Ann Lee sold a horse invent?", anything, "", "invent"},
		{"Who knew the man who sold the mill that Ann Lee built?", aPerson, "", "knew"},
		{"Tell me who sings.", aPerson, "", "sings"},
		{"Which Python version runs the mill?", aNamed, "version", "Python version runs mill"},
		{"On which day was it sold?", aTime, "", "sold"},
		{"What happens when the mill stops?", anything, "", "happens mill stops"},
		{"Was Weir Bridge built in 1812?", aVerdict, "", "Weir Bridge built 1812"},
		{"", anything, "", ""},
	} {
		q := readQuestion(tt.text, nil)
		if q.kind != tt.kind || q.wantedAs != tt.wanted {
			t.Errorf("%s: kind %v of %q", tt.text, q.kind, q.wantedAs)
		}
		var own []string
		for _, e := range ownClause(q.pieces) {
			own = append(own, e.text)
		}
		if got := strings.Join(own, " "); got != tt.own {
			t.Errorf("%s: its own clause is %q", tt.text, got)
		}
	}
}

// TestReadings matches questions against small passages that are not in the
// sample.
func TestReadings(t *testing.T) {
	t.Parallel()
	passages := answertest.Of(
		"Ingrid Solberg directed the film Northern Lights in 1962. She was born in Bergen. It won the Golden Reel.",
		"Northern Lights was shot by the cameraman Piet de Vries. De Vries later drowned off Texel.",
		"Marta Kowalska translated the novel Salt Roads into Polish. Anton Weiss wrote Salt Roads. Anton Weiss is the uncle of Ingrid Solberg.",
		"The Harbour Company bought the steamer Aurora from Lund Brothers. In 1931 the Aurora sank near Skagen with forty passengers.",
		"Ann Hill beat Bea Moor in the final of 1999.",
	).All
	for _, tt := range []struct{ question, want string }{ // want: the cited sentences, "" for no answer
		{"Where was Ingrid Solberg born?", "Ingrid Solberg directed the film Northern Lights in 1962. | She was born in Bergen."},
		{"Which prize did Northern Lights win?", ""}, // nothing says that it is a prize
		{"What did Northern Lights win?", "Ingrid Solberg directed the film Northern Lights in 1962. | It won the Golden Reel."},
		{"Who was the cameraman of the film that Ingrid Solberg directed?", "Ingrid Solberg directed the film Northern Lights in 1962. | Northern Lights was shot by the cameraman Piet de Vries."},
		{"Who translated the novel that Anton Weiss wrote?", "Anton Weiss wrote Salt Roads. | Marta Kowalska translated the novel Salt Roads into Polish."},
		{"Who translated the novel by the author of Salt Roads?", "Marta Kowalska translated the novel Salt Roads into Polish."},
		{"Which film did the niece of Anton Weiss direct?", ""},
		{"Where did the steamer that the Harbour Company bought sink?", "The Harbour Company bought the steamer Aurora from Lund Brothers. | In 1931 the Aurora sank near Skagen with forty passengers."},
		{"How many passengers did the Aurora have when she sank?", "In 1931 the Aurora sank near Skagen with forty passengers."},
		{"Who beat Bea Moor?", "Ann Hill beat Bea Moor in the final of 1999."},
		{"Who did Ann Hill beat?", "Ann Hill beat Bea Moor in the final of 1999."},
		{"Who was beaten by Ann Hill?", "Ann Hill beat Bea Moor in the final of 1999."},
		{"who directed northern lights?", "Ingrid Solberg directed the film Northern Lights in 1962."},
		{"Who composed the music of Northern Lights?", ""},
		{"When did the Titanic sink?", ""},
	} {
		r := read(tt.question, passages)
		var got []string
		for _, e := range r.evidence {
			got = append(got, r.propositions[e].text)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " | ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.question, diff)
		}
	}
}

// TestReadingsDependOnTheWordsAlone reads the same passages twice and tolerates
// words in any order.
func TestReadingsDependOnTheWordsAlone(t *testing.T) {
	t.Parallel()
	words := strings.Fields("Who which what the a man bridge that who built designed by of Ann Lee Weir Bridge paid 1812 , ? was did editor mill in when")
	passages := answertest.Of("Ann Lee built Weir Bridge in 1812.", "The mill paid for Weir Bridge. It was sold.").All
	rapid.Check(t, func(t *rapid.T) {
		question := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 25).Draw(t, "words"), " ")
		a, b := read(question, passages), read(question, passages)
		if !slices.Equal(a.evidence, b.evidence) {
			t.Fatalf("%v and %v", a.evidence, b.evidence)
		}
		for i := range passages {
			holds := slices.ContainsFunc(a.evidence, func(e int) bool { return a.propositions[e].passage == i })
			if holds != (a.why(i) != "") || a.whyNot(i) == "" {
				t.Fatalf("passage %d is evidence: %v; why %q, why not %q", i, holds, a.why(i), a.whyNot(i))
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	passages := answertest.Sample(b).All[:12]
	for i := 0; b.Loop(); i++ {
		read(fmt.Sprintf("Who paid for the repair of the bridge that Henrike Aldous designed in %d?", i), passages)
	}
}
