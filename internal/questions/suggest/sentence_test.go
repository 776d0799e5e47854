package suggest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuestionsOfSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language, sentence string
		want               []string
	}{
		{"en", "The regatta is moved from 17 June to 1 July because the lock is closed.", []string{"Why is the regatta moved from 17 June to 1 July?"}},
		{"en", "Edda Moen left the club because the boathouse leaked.", []string{"Why did Edda Moen leave the club?"}},
		{"en", "Mercers' Bridge was rebuilt in 1899 with three arches in place of seven.", []string{"When was Mercers' Bridge rebuilt?"}},
		{"en", "In 1899 Mercers' Bridge was rebuilt with three arches.", []string{"When was Mercers' Bridge rebuilt with three arches?"}},
		{"en", "Edda Moen founded the Hollin Choir in 1902 with nine singers.", []string{"When did Edda Moen found the Hollin Choir?", "Who founded the Hollin Choir?"}},
		{"en", "The Hollin Choir was founded by Edda Moen.", []string{"Who founded the Hollin Choir?"}},
		{"en", "The last verse was written by Edda Moen in 1910.", []string{"When was the last verse written by Edda Moen?"}},
		{"en", "The Drapers' Society paid for the repair of Copper Bridge.", []string{"Who paid for the repair of Copper Bridge?"}},
		{"en", "The watchman Amos Lunt discovered the fire at the Hollin Mill shortly before two.", []string{"Who discovered the fire at the Hollin Mill?"}},
		{"en", "The repainting of Copper Bridge cost 118 crowns, since only the boards need paint.", []string{"How much did the repainting of Copper Bridge cost?"}},
		{"en", "The trip costs £9, paid through the account.", []string{"How much does the trip cost?"}},
		{"en", "Ten lessons cost 72 pounds.", []string{"How much do ten lessons cost?"}},
		{"en", "The rent is £835 a month, payable in advance.", []string{"How much is the rent?"}},
		{"en", "The tenants pay a deposit of £1,670, which the landlord lodges.", []string{"How much is the deposit?"}},
		{"en", "The cake sale raised £412.60 for the new climbing frame.", []string{"How much did the cake sale raise for the new climbing frame?"}},
		{"en", "The oil needs three weeks to harden.", []string{"How long does the oil need to harden?"}},
		{"en", "The coach leaves at 8:20 from the side gate.", []string{"When does the coach leave?"}},
		{"en", "Bicycles are kept in the yard and not in the stairwell.", []string{"Where are bicycles kept?"}},
		{"en", "If you have no rye, use buckwheat.", []string{"What can I do if I have no rye?"}},
		{"en", "If the tank is full, the lamp turns red.", []string{"What happens if the tank is full?"}},
		{"en", "To drain the tank all the time, remove the rubber plug.", []string{"How do I drain the tank all the time?"}},
		{"en", "Edda Moen was a teacher in Hollin.", []string{"Who was Edda Moen?"}},

		{"de", "Die Wasserzähler werden am 21. November zwischen 14 und 18 Uhr abgelesen.", []string{"Wann werden die Wasserzähler abgelesen?"}},
		{"de", "Im Jahr 1893 wurde der Bahnhof eröffnet.", []string{"Wann wurde der Bahnhof eröffnet?"}},
		{"de", "Wegen der Bohrungen müssen alle Fahrräder entfernt werden.", []string{"Warum müssen alle Fahrräder entfernt werden?"}},
		{"de", "Die Brücke ist gesperrt, weil ein Pfeiler nachgibt.", []string{"Warum ist die Brücke gesperrt?"}},
		{"de", "Der Verleih kostet 20 Euro am Tag.", []string{"Wie viel kostet der Verleih?"}},
		{"de", "Die Kaution beträgt 900 Euro.", []string{"Wie hoch ist die Kaution?"}},
		{"de", "Wenn der Behälter voll ist, leuchtet die Lampe.", []string{"Was passiert, wenn der Behälter voll ist?"}},
		{"de", "Das alte Zollhaus steht neben der Schleuse.", []string{"Wo steht das alte Zollhaus?"}},
	} {
		r := reader{language: tt.language}
		var got []string
		for _, q := range r.ask(tt.sentence) {
			got = append(got, q.text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.sentence, diff)
		}
	}
}

// TestSentencesThatAreNotAsked leaves out what says nothing without the sentences
// before it, and what has no form that is safe.
func TestSentencesThatAreNotAsked(t *testing.T) {
	t.Parallel()
	for language, sentences := range map[string][]string{
		"en": {
			"It was founded in 1902.",
			"This bridge was opened in 1871.",
			"The bridge was opened in 1871.",
			"Their house was sold in 1871 to the miller.",
			"The money was not paid in 1871.",
			"Older versions are affected by the same fault.",
			"If you'd like to know more, write to us.",
			"If it is full, the lamp turns red.",
			"Edda Moen says the bridge was closed in 1871.",
			"To this end, a fund was opened.",
			"THE CLUB WAS FOUNDED IN 1902.",
			"Who was elected in 1902?",
			"- founded in 1902",
			"Was in 1902.",
			"In 1902.",
			"Because because because because.",
			"If if if if, if.",
		},
		"de": {"Sie wurde 1893 eröffnet.", "Dieser Bahnhof wurde 1893 eröffnet.", "Dort steht das alte Zollhaus.", "Am Ende.", "Wenn, wenn, wenn.", "Am 3. war am 4. bis."},
		"fr": {"The rent is £835 a month."},
		"":   {"Le loyer est de 835 euros par mois.", "Was ist am 3. Mai?"},
	} {
		for _, s := range sentences {
			if got := (reader{language: language}).ask(s); len(got) > 0 {
				t.Errorf("%s: %v", s, got)
			}
		}
	}
}

func FuzzAsk(f *testing.F) {
	f.Add("The trip costs £9, paid through the account.")
	f.Add("Am 3. war am 4. bis Uhr der.")
	f.Fuzz(func(t *testing.T, sentence string) {
		for _, language := range []string{"en", "de"} {
			r := reader{text: sentence, language: language}
			r.ask(sentence)
			r.asks(sentence)
		}
	})
}
