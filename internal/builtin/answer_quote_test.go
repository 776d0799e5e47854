package builtin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/answertest"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// quotes asks the writer, and returns what it quotes with the words that it marks in
// braces.
func quotes(t *testing.T, question string, texts ...string) []string {
	t.Helper()
	shelf := answertest.Of(texts...)
	var n notes
	_, err := builtin.Answering(shelf, nearest.Ranker{}, nil, nil, 0).Writer.Write(context.Background(), answer.WriteRequest{Asked: asked(question), Passages: shelf.All}, &n, silent)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, q := range n.quoted {
		marked := q.Text
		for _, m := range q.Marks {
			said := m.Slice(q.Passage.Text)
			marked = strings.Replace(marked, said, "{"+said+"}", 1)
		}
		if q.Tie != "" {
			marked += " ~ " + q.Tie
		}
		if q.Close != (i > 0) || !q.Passage.Span.Contains(q.Span) {
			t.Errorf("quotation %d is %+v", i, q)
		}
		out = append(out, marked)
	}
	return out
}

// TestQuotes reads what is quoted of passages, and which words are marked.
func TestQuotes(t *testing.T) {
	t.Parallel()
	keepers := "Keepers of the light\n\nYears | Keeper | Pay\n1941–1960 | Jonas Crake | 12\n1961–1970 | Ann Lee | 14"
	manual := "It is fast. Let pack run alone.\n\nNAME\npack - put files in a box\n\n-v, --verbose\nlist the files while it packs them\n\n-d draw the files\n\nAUTHOR\nAnn Lee"
	for _, tt := range []struct {
		question, text, want string
	}{
		{"How much did it cost to repaint Copper Bridge?", "It rained. The repainting of Copper Bridge cost 118 crowns, since only the boards need paint.", "“The repainting of Copper Bridge cost {118 crowns}, since only the boards need paint.”"},
		{"How much was the roof?", "In 1924 the roof cost £1,200 in all.", "“In 1924 the roof cost {£1,200} in all.”"},
		{"When was the mill sold?", "The mill was sold to Tom Rook on 3 May 1924.", "“The mill was sold to Tom Rook on {3 May 1924}.”"},
		{"Who built the mill?", "The mill at Osterby was built by Tom Rook.", "“The mill at Osterby was built by {Tom Rook}.”"},
		{"Where was Tom Rook buried?", "Tom Rook, father of Ann Lee, was buried in Osterby.", "“Tom Rook, father of Ann Lee, was buried in {Osterby}.”"},
		{"What is the roof made of?", "The roof is made of hammered copper sheets.", "“The roof is made of {hammered copper sheets}.”"},
		{"Which option silences the pump?", "Call it with an option. The option --quiet silences the pump.", "“The option {--quiet} silences the pump.”"},
		{"How do I pack files with minus v?", manual, "“-v, --verbose — {list} the files while it packs them”"},
		{"How can I draw the files?", manual, "“{-d} draw the files”"},
		{"What is pack?", manual, "“pack - {put files in a box}”"},
		{"What does the command pack do?", manual, "“pack - {put files in a box}”"},
		{"How can I draw files?", "pack - put and draw files in a box\n\n-d draw files as they are, with all their lines", "“{-d} draw files as they are, with all their lines”"},
		{"Preis?", "Der Preis für das Boot ist hoch: 900 Kronen.", "„Der Preis für das {Boot ist hoch}: 900 Kronen.“"},
		{"Price?", "The price of the boat is high: 900 crowns.", "“The price of the {boat is high}: 900 crowns.”"},
		{"Price of boats?", "Ein Boot hat den Preis (price) von 900 Kronen.", "“Ein {Boot hat den Preis} (price) von 900 Kronen.”"},
		{"Who was the keeper in 1950?", keepers, "{Jonas Crake} — Keeper, 1941–1960"},
		{"What did gas cost in the second quarter?", "Item | First quarter | Second quarter | Third quarter\nGas | 305 | 122 | 64", "{122} — Second quarter, Gas"},
		{"What was the pay of Ann Lee?", keepers, "{14} — Pay, 1961–1970, Ann Lee"},
		{"Who led the choir in 1950?", "Ann Lee led the choir until 1940. Jonas Crake led the choir from 1941 to 1960.", "“{Jonas Crake} led the choir from 1941 to 1960.”"},
		{"What do I need for the soup?", "For the soup you need:\n- two onions\n- a leek\n\nSalt is sold by the door.", "“For the soup you need: {two onions}; a leek”"},
		{"How long do I hold the red button?", "To restart the pump:\n- open the lid\n- hold the red button for 5 seconds\n- close the lid", "“To restart the pump: … hold the red button for {5 seconds}”"},
		{"What are the opening hours?", "Opening hours\n\nMonday to Friday from nine to five.", "“Opening hours — {Monday to Friday from nine to five}.”"},
		{"Who is the chair?", "Meeting of May\n\nPresent: Ann Lee (chair), Tom Rook\n1. The roof leaks.", "“Present: {Ann Lee} (chair), Tom Rook”"},
		{"Who signed the lease?", "Status: signed Signed by: Ann Lee\n\nThe rent is 12 crowns.", "“Status: signed Signed by: {Ann Lee}”"},
		{"Is the pump heavy?", "Q: Is the pump heavy?\nA: No, it weighs 4 kg.", "“Q: Is the pump heavy? A: No, it {weighs 4 kg}.”"},
		{"When did Copper Bridge open?", "Copper Bridge is long. It opened in 1854.", "“Copper Bridge is long. It opened in {1854}.”"},
		{"Wer baute die Mühle?", "Die Mühle wurde von Tom Rook gebaut.", "„Die Mühle wurde von {Tom Rook} gebaut.“"},
		{"Wie viel kostete das Dach?", "Das Dach kostete 1.200 Euro.", "„Das Dach kostete {1.200 Euro}.“"},
		{"Quand le pont a-t-il ouvert ?", "Le pont a ouvert en 1854.", "«\u00a0Le pont a ouvert en {1854}.\u00a0»"},
	} {
		got := quotes(t, tt.question, tt.text)
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s\n got %q\nwant %q", tt.question, got, tt.want)
		}
	}
}

// TestTheHeadOfAMailTiesNothing asks for what a mail says that names the same person in its head.
func TestTheHeadOfAMailTiesNothing(t *testing.T) {
	t.Parallel()
	got := quotes(t, "What does the carpenter want for the fence?",
		"Fence\n\nThe fence along the lane has rotted. Owen Pryce asks a carpenter for a price.",
		"From: Gareth Bright\nTo: Owen Pryce\nSubject: Your new fence\n\nEighteen metres of larch fence come to 640 pounds.")
	if all := strings.Join(got, "\n"); strings.Contains(all, "To: Owen Pryce") {
		t.Errorf("the head of the mail is quoted:\n%s", all)
	}
}

// TestTwoHopsAreTied quotes the sentence that tells what is asked first, and the one that
// it rests on with the name that ties them.
func TestTwoHopsAreTied(t *testing.T) {
	t.Parallel()
	got := quotes(t, "Who paid for the repair of the bridge that Henrike Aldous designed?",
		"The guild paid for the repair of Weir Bridge.",
		"Henrike Aldous designed Copper Bridge for foot passengers only.",
		"The Drapers' Benefit Society paid for the repair of Copper Bridge.",
		"The repair of the roof was late.")
	want := []string{
		"“The {Drapers' Benefit Society} paid for the repair of Copper Bridge.”",
		"“Henrike Aldous designed Copper Bridge for foot passengers only.” ~ Copper Bridge",
		"“The guild paid for the repair of {Weir Bridge}.”",
		"“The repair of the {roof was late}.”",
	}
	for i := range got {
		if i == 1 {
			got[i] = strings.NewReplacer("{", "", "}", "").Replace(got[i])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("quotes (-want +got)\n%s", diff)
	}
}

// TestASecondHopIsSearchedFor finds the passage that the first search leaves out behind
// others which say as much, by the name that the near one leads to.
func TestASecondHopIsSearchedFor(t *testing.T) {
	t.Parallel()
	texts := []string{"Henrike Aldous designed Copper Bridge for foot passengers only."}
	for range answer.DefaultLimit {
		texts = append(texts, "The guild paid for the repair, and paid the repair of a bridge"+strings.Repeat(" and another", len(texts))+".")
	}
	texts = append(texts, "In 1850, after long talks with the council of the town in the old hall, the Drapers paid for the repair of Copper Bridge with all that they had.")
	r := ask(t, answertest.Of(texts...), "Who paid for the repair of the bridge that Henrike Aldous designed?")
	if len(r.Citations) < 2 || !strings.Contains(r.Citations[0].Text, "Drapers") || r.Citations[1].Tie != "Copper Bridge" {
		t.Errorf("after %d rewrites: %s", r.LoopCount, r.Answer)
	}
	if r.LoopCount != 1 {
		t.Errorf("%d rewrites, want 1", r.LoopCount)
	}
	tying, ok := builtin.Answering(answertest.Of(), nearest.Ranker{}, nil, nil, 0).Rewriter.(answer.Tying)
	if !ok {
		t.Fatal("the rewriter ties nothing")
	}
	for question, want := range map[string]string{
		"Who paid for the repair of the bridge that Henrike Aldous designed?": "Copper Bridge paid repair",
		"What did Henrike Aldous design?":                                     "",
	} {
		got, ok, err := tying.Tie(context.Background(), asked(question), answertest.Of(texts[0]).All)
		if err != nil || got.Text != want || ok != (want != "") {
			t.Errorf("%s: %+v, %t, %v", question, got, ok, err)
		}
	}
}

// TestQuotesOfATime asks for what holds at a time: a sentence that says it does is quoted first.
func TestQuotesOfATime(t *testing.T) {
	t.Parallel()
	shelf := answertest.Of("Ann Lee led the choir from 1920 to 1940.", "Jonas Crake led the choir from 1941 to 1960.", "Tom Rook has led the choir since 1961.")
	for year, want := range map[int]string{1930: "Ann Lee", 1950: "Jonas Crake", 1995: "Tom Rook"} {
		var n notes
		asks := asked("Who led the choir?")
		asks.AsOf = domain.Day{Year: year}
		if _, err := builtin.Answering(shelf, nearest.Ranker{}, nil, nil, 0).Writer.Write(context.Background(), answer.WriteRequest{Asked: asks, Passages: shelf.All}, &n, silent); err != nil {
			t.Fatal(err)
		}
		if len(n.quoted) == 0 || !strings.HasPrefix(n.quoted[0].Text, "“"+want) {
			t.Errorf("as of %d: %+v, want %s first", year, n.quoted, want)
		}
	}
}
