package builtin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

func chunkOf(text string) domain.Chunk {
	return domain.Chunk{Text: text, Span: domain.Span{Start: 0, End: domain.Runes(text)}}
}

// relationsOf mines a text and returns its relations, one per line.
func relationsOf(title, text string) string {
	g := (&Miner{}).Mine(title, chunkOf(text))
	var lines []string
	for _, r := range g.Relationships {
		line := fmt.Sprintf("%s %s %s", g.Nodes[r.Source].Name, r.Type, g.Nodes[r.Target].Name)
		for _, p := range r.Properties {
			line += " (" + p.Key + " " + p.Value + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestRelations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"active", "Ilse Marrant designed the Lantern Bridge.", "Ilse Marrant DESIGNED Lantern Bridge"},
		{"date", "Maud Ferring founded the Velmdale Courant in 1878.", "Maud Ferring FOUNDED Velmdale Courant (date 1878)"},
		{"noun before the subject", "The mason Jonah Brandreth built Weir Bridge.", "Jonah Brandreth BUILT Weir Bridge"},
		{"passive", "The Lantern Bridge was designed by Ilse Marrant in 1866.", "Ilse Marrant DESIGNED Lantern Bridge (date 1866)"},
		{"passive with a place", "The Kittiwake was built at Port Ansel by Lucas Thorpe.", "Kittiwake BUILT_AT Port Ansel\nLucas Thorpe BUILT Kittiwake"},
		{"irregular passive", "Emma was written by Jane Austen.", "Jane Austen WROTE Emma"},
		{"perfect", "Jane Austen has written Emma.", "Jane Austen WROTE Emma"},
		{"object with a noun", "Ruth Garland painted the portrait of Henrike Aldous.", "Ruth Garland PAINTED_PORTRAIT_OF Henrike Aldous"},
		{"object with a number", "Anna Lind signed contract 14 with the Carrow Foundry.", "Anna Lind SIGNED_CONTRACT_WITH Carrow Foundry"},
		{"two objects", "The Carrow Foundry cast the bell Great Margery for St Osyth's Church.", "Carrow Foundry CAST Great Margery\nCarrow Foundry CAST_FOR St Osyth's Church"},
		{"over a phrase", "Clara Munnings wrote a weekly column on health for the Velmdale Courant.", "Clara Munnings WROTE_COLUMN_FOR Velmdale Courant"},
		{"deed", "The Drapers' Benefit Society paid for the repair of Copper Bridge.", "Drapers' Benefit Society PAID_FOR_REPAIR_OF Copper Bridge"},
		{"no deed", "Anna Lind paid for the roof of Copper Bridge.", ""},
		{"receiver", "Gideon Sparrow sold Maud Ferring her first press.", ""},
		{"office", "The Osterby Bridge Trust appointed Nora Fitch inspector of Weir Bridge.", "Osterby Bridge Trust APPOINTED Nora Fitch"},
		{"as", "Matthias Dole succeeded Josias Thorne as master of the Carrow Foundry.", "Matthias Dole SUCCEEDED Josias Thorne\nMatthias Dole MASTER_OF Carrow Foundry"},
		{"is a", "Doria Ragland is the mother of Meghan Markle.", "Doria Ragland MOTHER_OF Meghan Markle"},
		{"apposition", "Olive Penn, editor of the Velmdale Courant, met Hubert Lacey.", "Olive Penn EDITOR_OF Velmdale Courant\nOlive Penn MET Hubert Lacey"},
		{"aside before the verb", "Ilse Marrant, a quiet engineer from Osterby, designed the Lantern Bridge.", "Ilse Marrant ENGINEER_FROM Osterby\nIlse Marrant DESIGNED Lantern Bridge"},
		{"relative clause", "Anna Lind, who founded the Swan Inn, left Osterby.", "Anna Lind FOUNDED Swan Inn\nAnna Lind LEFT Osterby"},
		{"joined subjects", "Marie Curie and Pierre Curie won the Nobel Prize.", "Marie Curie WON Nobel Prize\nPierre Curie WON Nobel Prize"},
		{"joined objects", "Anna Lind taught Bert Holm, Carl Ek and Dora Alm.", "Anna Lind TAUGHT Bert Holm\nAnna Lind TAUGHT Carl Ek\nAnna Lind TAUGHT Dora Alm"},
		{"joined verbs", "Anna Lind designed Weir Bridge and founded the Swan Inn.", "Anna Lind DESIGNED Weir Bridge\nAnna Lind FOUNDED Swan Inn"},
		{"film", "Airheads is a 1994 American comedy film written by Rich Wilkes and directed by Michael Lehmann.", "Rich Wilkes WROTE Airheads\nMichael Lehmann DIRECTED Airheads"},
		{"genitive", "Woody Allen's film Café Society opened the festival.", "Café Society FILM_OF Woody Allen"},
		{"pronoun", "Anna Lind lived in Osterby. She founded the Swan Inn.", "Anna Lind LIVED_IN Osterby\nAnna Lind FOUNDED Swan Inn"},
		{"the film", "Art Trouble is a comedy short. The short was directed by Ralph Staub.", "Ralph Staub DIRECTED Art Trouble"},

		{"based in", "The Tudley is a chain of shops based in Osterby, Kent and serves Carrow.", "Tudley BASED_IN Osterby\nTudley SERVES Carrow"},
		{"two deeds, one agent", "Airheads is a film written and directed by Michael Lehmann, and starring the comedian Adam Sandler.",
			"Michael Lehmann WROTE Airheads\nMichael Lehmann DIRECTED Airheads\nAirheads STARRING Adam Sandler"},
		{"two offices", "Anna Lind is the mother of Bert Holm and the editor of the Velmdale Courant.", "Anna Lind MOTHER_OF Bert Holm\nAnna Lind EDITOR_OF Velmdale Courant"},
		{"description of the last name", "Anna Lind is the mother of Dora Alm, daughter of Bert Holm.", "Anna Lind MOTHER_OF Dora Alm\nDora Alm DAUGHTER_OF Bert Holm"},
		{"maker", "Orphan Star is a novel by the writer Alan Foster.", "Alan Foster WROTE Orphan Star"},
		{"participle first", "Born and raised in Osterby, Anna Lind founded the Swan Inn.", "Anna Lind BORN_IN Osterby\nAnna Lind RAISED_IN Osterby\nAnna Lind FOUNDED Swan Inn"},
		{"verbs after commas", "Anna Lind left Osterby, joined the Carrow Foundry, and then built Weir Bridge.", "Anna Lind LEFT Osterby\nAnna Lind JOINED Carrow Foundry\nAnna Lind BUILT Weir Bridge"},
		{"organisation before an office", "They met the BBC journalist Anna Lind.", "Anna Lind JOURNALIST_OF BBC"},
		{"possessive in the sentence", "Bert Holm taught at Carrow School, where he met his wife Anna Lind.", "Bert Holm TAUGHT_AT Carrow School\nBert Holm MET Anna Lind\nAnna Lind WIFE_OF Bert Holm"},

		{"relative clause after a noun", "Airheads is a film that was released in 1994 by Fox Pictures.", "Fox Pictures RELEASED Airheads"},
		{"told of a work behind other names", "Airheads is a film about cadets at Carrow School in Osterby, directed by Michael Lehmann.", "Michael Lehmann DIRECTED Airheads"},
		{"callings and remarks in a list", "Airheads is a film starring the comedian Anna Lind, Bert Holm (in his debut) and Carl Ek.",
			"Airheads STARRING Anna Lind\nAirheads STARRING Bert Holm\nAirheads STARRING Carl Ek"},
		{"as whom", "Anna Lind appeared in \"Airheads\" (1994) as Rita Ek, and \"Emma\" (1996) as Jane Alm.",
			"Anna Lind APPEARED_AS Rita Ek\nAnna Lind APPEARED_AS Jane Alm\nAnna Lind APPEARED_IN Airheads\nAnna Lind APPEARED_IN Emma"},
		{"organisation before a calling", "They met the former Nottingham Rovers striker Ian Breckin.", "Ian Breckin STRIKER_OF Nottingham Rovers"},
		{"description with an adjective", "Anna Lind was Valentino's creative director.", "Anna Lind DIRECTOR_OF Valentino"},

		{"unable", "Anna Lind was unavailable to open Weir Bridge.", ""},
		{"condition first", "Unless Anna Lind built Weir Bridge, Bert Holm left.", ""},
		{"condition last", "The town pays if Anna Lind built Weir Bridge.", ""},
		{"condition on whoever was named", "Anna Lind left Osterby. Nobody would pay unless she built Weir Bridge.", "Anna Lind LEFT Osterby"},
		{"open", "They asked whether Anna Lind built Weir Bridge.", ""},
		{"denied", "It is not true that Anna Lind built Weir Bridge.", ""},
		{"said by nobody", "Nobody says that Anna Lind built Weir Bridge.", ""},
		{"said by nobody, without a conjunction", "Nobody says Anna Lind built Weir Bridge.", ""},
		{"tried", "Anna Lind refused to demonstrate the Lantern Engine. Carl Ek failed to buy Weir Bridge.", ""},
		{"alleged", "Anna Lind allegedly designed Weir Bridge.", ""},
		{"described as", "Anna Lind left Osterby as outlined in the Carrow Agreement.", "Anna Lind LEFT Osterby"},
		{"beyond a name", "Anna Lind is the owner of Weir Mill, a mill headquartered in Osterby.", "Anna Lind OWNER_OF Weir Mill"},
		{"name as an adjective", "Anna Lind won five NBA championships.", ""},
		{"only together", "Anna Lind and Weir Bridge are both in the book with Carl Ek.", ""},
		{"hedged", "Anna Lind designed Weir Bridge, which is disputed.", "Anna Lind DESIGNED Weir Bridge (confidence 0.4)"},
		{"far from its verb", "Anna Lind travelled in the very old big slow red night train to Osterby.", "Anna Lind TRAVELLED_TO Osterby (confidence 0.7)"},
		{"denied", "Anna Lind never designed Weir Bridge. Carl Ek did not build the Swan Inn.", ""},
		{"possible", "Anna Lind could have designed Weir Bridge. Carl Ek may own the Swan Inn.", ""},
		{"asked", "Anna Lind designed Weir Bridge?", ""},
		{"not the subject", "The captain of Osterby designed Weir Bridge.", ""},
		{"whose", "Anna Lind married Carl Ek's sister.", ""},
		{"ambiguous pronoun", "Anna Lind lived in Osterby. Berta Holm lived in Carrow. She founded the Swan Inn.", "Anna Lind LIVED_IN Osterby\nBerta Holm LIVED_IN Carrow"},
		{"modifier", "John Breckin is the uncle of Nottingham Forest player Ian Breckin.", "John Breckin UNCLE_OF Ian Breckin"},
		{"place after a comma", "He opened a store in Richmond, California called No Limit Records.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, relationsOf("", tt.text)); diff != "" {
				t.Errorf("relations of %q (-want +got)\n%s", tt.text, diff)
			}
		})
	}
}

const curie = "Marie Curie, born in 1867, was a Polish and naturalised-French physicist and chemist who conducted pioneering research on radioactivity. " +
	"She was the first woman to win a Nobel Prize, the first person to win a Nobel Prize twice, and the only person to win a Nobel Prize in two scientific fields. " +
	"Her husband, Pierre Curie, was a co-winner of her first Nobel Prize, making them the first-ever married couple to win the Nobel Prize. " +
	"She was, in 1906, the first woman to become a professor at the University of Paris. Marie Curie won the Nobel Prize twice."

func TestCurie(t *testing.T) {
	t.Parallel()
	got := relationsOf("Marie Curie", curie)
	want := "Pierre Curie HUSBAND_OF Marie Curie\nPierre Curie WON Nobel Prize\nMarie Curie WON Nobel Prize"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("relations (-want +got)\n%s", diff)
	}
	g := (&Miner{}).Mine("Marie Curie", chunkOf("Marie Curie won the Nobel Prize. Marie Curie won the Nobel Prize twice."))
	if won := g.Relationships[0]; len(won.Spans) != 2 {
		t.Errorf("Marie Curie won has the spans %v, want the two sentences that state it", won.Spans)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, name, label string }{
		{"They met Dr Munnings there.", "Munnings", person},
		{"They met the composer Fusco there.", "Fusco", person},
		{"Koman (born 1945) came.", "Koman", person},
		{"Koman, who came, left.", "Koman", person},
		{"They met George T. Solomon.", "George T. Solomon", person},
		{"They crossed Weir Bridge.", "Weir Bridge", place},
		{"She was born in Karsholm.", "Karsholm", place},
		{"They saw the town of Osterby.", "Osterby", place},
		{"Osterby, a small town, has a river.", "Osterby", place},
		{"He read the Velmdale Courant.", "Velmdale Courant", organization},
		{"She left the University of Paris.", "University of Paris", organization},
		{"It became Carrow Ltd. after that.", "Carrow Ltd.", organization},
		{"He fell in the Battle of Karsholm.", "Battle of Karsholm", event},
		{"It was after the Candlemas Flood.", "Candlemas Flood", event},
		{"He saw the film Airheads.", "Airheads", work},
		{"Airheads is a 1994 comedy film.", "Airheads", work},
		{"The film was directed by Karsholm.", "Karsholm", person},
		{"It was released by Karsholm.", "Karsholm", organization},
		{"She appeared in Karsholm.", "Karsholm", work},
		{"Koman (1867 – 1934) and Ilse Brandt (1867–1934) came.", "Ilse Brandt", person},
		{"They met an academic, the poet Fusco and Koman.", "Koman", person},
		{"They read BBC reports.", "BBC", organization},
		{"She led the Velmdale Rooks.", "Velmdale Rooks", organization},
		{"They moved to Karsholm, Kent.", "Karsholm", place},
		{"She was nominated for the Fusco Prize.", "Fusco Prize", award},
		{"World War II began.", "World War II", event},
		{"They sang \"Golden Bridge\" there.", "Golden Bridge", work},
		{"The film was directed by Karl Koman and Jaxin Hall.", "Jaxin Hall", person},
		{"It was released in May 1994 by Karsholm in Norway.", "Karsholm", organization},
		{"They met Karsholm singer Ilse Brandt.", "Karsholm", organization},
		{"They read the Ilse T. Brandt Award list.", "Ilse T. Brandt Award", award},
		{"Karsholm Museum Osterby opened.", "Karsholm Museum Osterby", organization},
		{`It belongs to the genus "Karsholmia" there.`, "Karsholmia", domain.UnknownLabel},
		{"Nothing is known of the Zygote.", "Zygote", domain.UnknownLabel},

		{"They crossed the Karsholm region.", "Karsholm", place},
		{"They played in the Karsholm Origin competition of 1994.", "Karsholm Origin", event},
		{"They liked bands such as Karsholm.", "Karsholm", organization},
		{"They saw several cities, including Karsholm and Velma.", "Velma", place},
		{"It stars Anna Lind as Velma.", "Velma", person},
		{"They gave it to the Foundation in May.", "Foundation", organization},
		{"They read Chronicle of Karsholm there.", "Chronicle of Karsholm", work},
		{"Karsholm (1867, or later), also known as Velma, is a town.", "Velma", place},
		{"Karsholm, nicknamed the Swan, was a novel.", "Karsholm", work},
		{"Karsholm is a theatre and film director.", "Karsholm", person},
		{"They met Anna Lind, Carl Ek, Bert Holm, Karsholm Bridge and Zygote.", "Zygote", person},
		{"They released Karsholm under the GNU General Public License.", "GNU General Public License", domain.UnknownLabel},
		{"Karsholm is composed of wards.", "Karsholm", domain.UnknownLabel},
	} {
		g := (&Miner{}).Mine("", chunkOf(tt.text))
		i := slices.IndexFunc(g.Nodes, func(n domain.GraphNode) bool { return n.Name == tt.name })
		if i < 0 || g.Nodes[i].Label != tt.label {
			t.Errorf("%q: nodes %+v, want %s as %s", tt.text, g.Nodes, tt.name, tt.label)
		}
	}
}

// TestLabelsOfTitles reads the labels of names in titles about a part of them.
func TestLabelsOfTitles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ title, name, want string }{
		{"2012–13 Karsholm season", "Karsholm", organization},
		{"1957 Karsholm season", "Karsholm", organization},
		{"Karsholm", "Karsholm", domain.UnknownLabel},
	} {
		g := (&Miner{}).Mine(tt.title, chunkOf("It was a good time for Karsholm there."))
		if len(g.Nodes) != 1 || g.Nodes[0].Name != tt.name || g.Nodes[0].Label != tt.want {
			t.Errorf("%s: %+v, want %s as %s", tt.title, g.Nodes, tt.name, tt.want)
		}
	}
}

func TestShortFormsTakeTheFullName(t *testing.T) {
	t.Parallel()
	g := (&Miner{}).Mine("", chunkOf("Ilse Marrant came to Osterby in 1860. There Marrant designed Weir Bridge. It held."))
	want := domain.GraphNode{Name: "Ilse Marrant", Label: person, Aliases: []string{"Marrant"}, Spans: []domain.Span{{Start: 0, End: 12}, {Start: 44, End: 51}}}
	if diff := cmp.Diff(want, g.Nodes[0]); diff != "" {
		t.Errorf("node (-want +got)\n%s", diff)
	}
	if got := relationsOf("Jim Lentz", "There Lentz managed Toyota Canada."); got != "Jim Lentz MANAGED Toyota Canada" {
		t.Errorf("relations %q, want the name of the title", got)
	}
	company := (&Miner{}).Mine("", chunkOf("Carrow Ltd. is in Osterby. Carrow grew."))
	if n := company.Nodes[0]; n.Name != "Carrow" || !slices.Equal(n.Aliases, []string{"Carrow Ltd."}) {
		t.Errorf("nodes %+v, want the company without its legal form first", company.Nodes)
	}
	two := (&Miner{}).Mine("", chunkOf("Ilse Brandt met Otto Brandt. Then Brandt left Osterby."))
	if !slices.ContainsFunc(two.Nodes, func(n domain.GraphNode) bool { return n.Name == "Brandt" }) {
		t.Errorf("nodes %+v: Brandt could be either", two.Nodes)
	}
}

func TestSpansLieInTheDocument(t *testing.T) {
	t.Parallel()
	text := "🌊 Été. Ilse Marrant designed the Lantern Bridge."
	document := strings.Repeat("é", 100) + text
	g := (&Miner{}).Mine("", domain.Chunk{Text: text, Span: domain.Span{Start: 100, End: 100 + domain.Runes(text)}})
	for _, n := range g.Nodes {
		for _, s := range n.Spans {
			if s.Slice(document) != n.Name {
				t.Errorf("span of %s holds %q", n.Name, s.Slice(document))
			}
		}
	}
	if got := g.Relationships[0].Spans[0].Slice(document); got != "Ilse Marrant designed the Lantern Bridge." {
		t.Errorf("the relation's span holds %q", got)
	}
}

func TestAnyTextGivesASoundGraph(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"Ilse Marrant", "Marrant", "Osterby", "She", "Her", "husband", "was", "founded", "by", "of", "and", "to", "win", "a", "the", "film",
		"in", "1878", ",", ",", ".", "'s", "(", ")", "\"", "who", "not", "editor", "sold", "appointed", "as", "starring", "é", "東", "\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), " ")
		g := (&Miner{}).Mine("Ilse Marrant", chunkOf(text))
		for _, n := range g.Nodes {
			if n.Name == "" || n.Label == "" || len(n.Spans) == 0 {
				t.Fatalf("%q: node %+v", text, n)
			}
		}
		for _, r := range g.Relationships {
			if r.Source == r.Target || r.Source >= len(g.Nodes) || r.Target >= len(g.Nodes) || r.Type == "" || len(r.Spans) == 0 {
				t.Fatalf("%q: relation %+v of %d nodes", text, r, len(g.Nodes))
			}
		}
		if diff := cmp.Diff(g, (&Miner{}).Mine("Ilse Marrant", chunkOf(text))); diff != "" {
			t.Fatalf("the same text gave another graph\n%s", diff)
		}
	})
}

func TestTitlesNameTheirSubject(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ title, text, name, label string }{
		{"Everybody Wants to Be Italian", "Everybody Wants to Be Italian is a 2007 comedy.", "Everybody Wants to Be Italian", work},
		{"Conjuring (book)", "Conjuring is about conjuring.", "Conjuring", work},
		{"X&amp;Y", "X&Y is an album.", "X&Y", work},
		{"Wait for me ... wait", "Wait for me ... wait is a film.", "Wait for me ... wait", work},
		{"Brother Rat", "Brother Rat is a film.", "Brother Rat", work},
		{"Zygo", "It began with Zygo. The band broke up.", "Zygo", organization},
		{"Zygon", "Zygon came to Osterby. She stayed.", "Zygon", person},
		{"Jimmy McNatt", `James "Jimmy" McNatt led a team. McNatt and Scat McNatt won.`, `James "Jimmy" McNatt`, person},
		{"Virginia Military Institute", "Virginia Military Institute is a school. The VMI has cadets.", "Virginia Military Institute", organization},
	} {
		g := (&Miner{}).Mine(tt.title, chunkOf(tt.text))
		if g.Nodes[0].Name != tt.name || g.Nodes[0].Label != tt.label {
			t.Errorf("%s: nodes %+v, want %s as %s first", tt.title, g.Nodes, tt.name, tt.label)
		}
	}
	if g := (&Miner{}).Mine("Genre", chunkOf("The genre is a kind. Genre means kind.")); len(g.Nodes) > 0 {
		t.Errorf("nodes %+v of a common noun", g.Nodes)
	}
}
