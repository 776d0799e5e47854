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

// TestAQuestionAboutOneThingIsReadAgain writes what a question is about before it, in its language, and finds it again.
func TestAQuestionAboutOneThingIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ topic, question, want string }{
		{"Guildhall", "who built the bridge?", "As for Guildhall, who built the bridge?"},
		{"Louis I, Landgrave of Hesse", "where was he born?", "As for “Louis I, Landgrave of Hesse”, where was he born?"},
		{"Brücke", "wer baute die Mühle an der Velm?", "Zu Brücke: wer baute die Mühle an der Velm?"},
		{"Pont", "qui a construit le moulin de la vallée ?", "Quant à Pont, qui a construit le moulin de la vallée ?"},
	} {
		got := AsFor(tt.topic, tt.question)
		topic, rest, ok := TopicOf(got)
		if got != tt.want || !ok || topic != tt.topic || rest != tt.question {
			t.Errorf("%q, read as %q and %q, want %q", got, topic, rest, tt.want)
		}
	}
	for _, question := range []string{"Who built the bridge?", "", "As for", "As for , who?", "Zu:"} {
		if topic, rest, ok := TopicOf(question); ok || rest != question {
			t.Errorf("%q is about %q", question, topic)
		}
	}
}

func TestPlainQuestionsTellTheirLanguage(t *testing.T) {
	t.Parallel()
	for want, questions := range map[language][]string{
		english: {"Who paid Pavel?", "Velm Glassworks", "List all contracts", "Tell me about Pavel de la Cruz", "Compare El Paso and Los Angeles", "Is Müller in Zürich?",
			"When was Das Kapital written by Marx?", "Did Le Monde write about El Niño?", "Mayor of São João", "Hat size", "Müller?", "Is Düsseldorf-Oberbilk in Germany?", "Donaudampfschiff", "What does 'Wie geht es dir' mean?"},
		german: {"Wie viel bezahlte Zora Quint an Velm Glassworks?", "Wie heißt Pavels Frau?", "Nenne alle Brücken.", "Gibt es einen Vertrag?", "Welchen Betrag zahlte Pavel?",
			"In welcher Stadt wohnt Mira?", "Was kostet Glas?", "Worum geht es?", "Erkläre den Vertrag", "Muss Pavel zahlen?", "Seit wann arbeitet Lena bei Velm?", "Wer ist das?", "Kündigungsfrist?", "Öffnungszeiten"},
		french:     {"Qu'est-ce que Velm ?", "Liste tous les contrats", "D'où vient Ada ?", "Pavel a-t-il payé la facture ?", "Combien coûte le verre ?"},
		spanish:    {"¿Cuánto pagó Pavel?", "¿Hay un contrato?", "¿Pagó Pavel?", "Cuanto cuesta?", "Resume el contrato", "¿A quién pagó Ada?"}, //nolint:misspell // Spanish
		italian:    {"Quanto costa il vetro?", "Cosa vende Velm?", "Dov'è Linz?", "Com'è morto Pavel?", "Quando è morta Ada?"},
		dutch:      {"Wie betaalde Pavel?", "Wie bouwde de brug?", "Welke stad ligt bij Linz?", "Heeft Pavel betaald?"},
		portuguese: {"Quanto custa o vidro?", "Quanto pagou Ada?", "O que vende Velm?", "Quando morreu Ada?", "Quando partiu Pavel?"},
	} {
		for _, question := range questions {
			if got := languageOf(question); got != want {
				t.Errorf("%s: language %d, want %d", question, got, want)
			}
		}
	}
}
