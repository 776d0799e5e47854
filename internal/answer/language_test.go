package answer

import (
	"strings"
	"testing"
)

func TestRefusalsAreInTheLanguageOfTheQuestion(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"Who founded the foundry?":                SaysNotOutright,
		"How did he die, and what was the cause?": SaysNotOutright,
		"foundry":                                   SaysNotOutright,
		"Wer hat die Gießerei gegründet?":           "Kein Satz sagt es ausdrücklich.",
		"Qui a fondé la fonderie ?":                 "Aucune phrase ne le dit expressément.",
		"¿Quién fundó la fundición de la ciudad?":   "Ninguna frase lo dice expresamente.",
		"Chi ha fondato la fonderia, e quando?":     "Nessuna frase lo dice espressamente.",
		"誰がこの工場を建てましたか?":                            SaysNotOutright,
		"Die Hard: who directed the film with him?": SaysNotOutright,
	} {
		o, err := (&script{texts: []string{"a"}, searches: [][]int{{0}}, relevant: never}).run(t, Begin{Question: question})
		if err != nil {
			t.Fatal(err)
		}
		if r := o.Result(); r.Answer != want || r.Answered {
			t.Errorf("%s: %s", question, r.Answer)
		}
	}
}

func TestEverySentenceIsTranslated(t *testing.T) {
	t.Parallel()
	for sentence, others := range translated {
		for i, other := range others {
			if other == "" || strings.Count(other, "%s") != strings.Count(sentence, "%s") {
				t.Errorf("%q is %q in language %d", sentence, other, i+1)
			}
		}
	}
}
