package viewstest

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

func citation(n, page int, name, text string) domain.Citation {
	return domain.Citation{N: n, Document: name, DocumentID: "d-courier", Page: page, Span: SpanOf(Cited), Text: text}
}

// FirstTurn returns a finished answer with an unsupported sentence.
func FirstTurn() partial.TurnProps {
	return partial.TurnProps{
		Conversation: "k1", Message: "m1", Run: "run1283", Question: "Who designed the Lantern Bridge?", Status: partial.TurnDone, Took: 2100 * time.Millisecond,
		Sentences: []domain.Sentence{
			{Text: "Ilse Marrant designed it in 1885 for the crossing at Marrow Ford.", Citations: []int{1}, Supported: true},
			{Text: "Tobin Harrow checked her drawings before the ribs were cast at Pell Foundry.", Citations: []int{2}, Supported: true},
			{Text: "It was the first iron bridge in the valley."},
		},
		Citations: []domain.Citation{citation(1, 0, "marrant-drawings.pdf", "Bridge for Marrow Ford, I. Marrant, 1885"), citation(2, 0, "pell-foundry-accounts.md", "ribs cast to the drawings Mr Harrow had checked")},
	}
}

// SecondTurn returns an answer of two paragraphs; live if it is being written.
func SecondTurn(live bool) partial.TurnProps {
	p := partial.TurnProps{Conversation: "k1", Message: "m2", Run: run, Question: question, Status: partial.TurnAnswering, After: 31,
		Text: "The Orrin Courier was first: on 3 October 1909 it printed a letter from the toll keeper Hanne Brook, who had counted seven loose rivets under the downstream rib. [1] Its editor, Nadia Corvel, sent the letter to the works of Harrow & Kestle, and they confirmed the count within the week. [2]\n\nThe repair was paid for by a levy of two pence on each cart, collected at Marrow Ford from January 1910. [3] Pell Foundry gave the iron at"}
	if live {
		return p
	}
	p.Status, p.Text, p.Took, p.Tokens = partial.TurnDone, "", 6200*time.Millisecond, 7571
	p.Sentences = []domain.Sentence{
		{Text: "The Orrin Courier was first: on 3 October 1909 it printed a letter from the toll keeper Hanne Brook, who had counted seven loose rivets under the downstream rib.", Citations: []int{1}, Supported: true},
		{Text: "Its editor, Nadia Corvel, sent the letter to the works of Harrow & Kestle, and they confirmed the count within the week.", Citations: []int{2}, Supported: true},
		{Text: "The repair was paid for by a levy of two pence on each cart, collected at Marrow Ford from January 1910.", Citations: []int{3}, Supported: true, Paragraph: 1},
		{Text: "The bridge did not close while the work was done.", Paragraph: 1},
	}
	p.Citations = []domain.Citation{
		citation(1, 3, "courier-1909-10-03.pdf", "I have counted seven that turn under the thumb"),
		citation(2, 41, "harrow-kestle-daybook.pdf", "Brook’s seven found, and no others"), citation(3, 1, "levy-roll-1910.pdf", ""),
	}
	return p
}

func asking() page.AskProps {
	trace := AnswerTrace(false)
	return page.AskProps{
		App: fills(app("Lantern Bridge rivets", layout.Ask)), Conversation: "k1", Turns: []partial.TurnProps{FirstTurn(), SecondTurn(true)}, Trace: &trace, MaxQuestion: 4000, Now: Now,
		Conversations: []page.ConversationItem{
			{ID: "k1", Title: "Lantern Bridge rivets", State: "answering", UpdatedAt: Now}, {ID: "k2", Title: "Who printed the Courier in 1911?", UpdatedAt: Now},
			{ID: "k3", Title: "Tolls at Marrow Ford, 1890–1914", UpdatedAt: Now.AddDate(0, 0, -1)}, {ID: "k4", Title: "Pell Mill and Pell Paper Mill", State: "nothing close", UpdatedAt: Now.AddDate(0, 0, -1)},
			{ID: "k5", Title: "Chronology of Hollow Bridge", UpdatedAt: Now.AddDate(0, -1, -7)},
		},
	}
}

func fills(p layout.Props) layout.Props {
	p.Fills = true
	return p
}

func askNew() page.AskProps {
	p := page.AskProps{App: fills(app("Ask", layout.Ask)), MaxQuestion: 4000, Now: Now, Suggestions: trials}
	p.App.Model = ""
	p.Problem, p.Question = "The question has 5,200 characters, the most is 4,000. Ask for less at once, or add the long text as a document.", "Who"
	return p
}

func withSource() page.AskProps {
	p := asking()
	second := SecondTurn(false)
	second.Open = 1
	trace := AnswerTrace(true)
	p.Turns, p.Trace = []partial.TurnProps{FirstTurn(), second}, &trace
	p.Source = &partial.SourceProps{
		Conversation: "k1", Message: "m2", Numbers: []int{1, 2, 3}, Citation: second.Citations[0], About: courier(), Pages: 8,
		Text: Letter(), Mentions: Mentions(), Entities: named[:3],
	}
	return p
}

var runKinds = []page.RunKind{{Title: "All"}, {Title: "Answers", Name: "answer"}, {Title: "Documents", Name: "ingest"}, {Title: "Summaries", Name: "summarize"}}

func runs() page.RunsProps {
	return page.RunsProps{App: app("Runs", layout.Runs), Kinds: runKinds, Total: 1284, Older: "/runs?after=1-run76", Persons: []string{"ada", "ben"}, Nodes: []string{"generate", "parse"}, Items: []page.RunItem{
		{ID: run, Kind: "Answer", Subject: question, Status: "running", Began: Now},
		{ID: "run77", Kind: "Document read", Subject: "courier-1911-bound.pdf", Status: "failed", Problem: "The model answered 401: the key is not accepted. Check LLM_API_KEY.", Began: Now, Took: 3 * time.Second, FailedAt: "extract", Resumed: true},
		{ID: "run75", Kind: "Summary", Subject: "Summary of levy-board-minutes.docx", Status: "waiting", Asks: true, URL: "/summaries/s1", Began: Now, Took: 9 * time.Second},
		{ID: "run76", Kind: "Answer", Subject: "Who kept the toll at Marrow Ford in 1950?", Status: "done", Began: Now, Took: 840 * time.Millisecond, Tokens: 8_420, Capped: true, Person: "ben"},
	}}
}

func entities() page.GraphProps {
	return page.GraphProps{
		App: app("Entities", layout.Graph), Title: "Entities", Size: 3116, View: link.GraphView{Table: true},
		Labels: []page.GraphCheck{{Name: "Person", Count: 812, On: true}, {Name: "Place", Count: 640, On: true}, {Name: "Entity", Count: 1261, On: true}},
		List: &page.EntityList{Pager: page.Pager{Limit: 100, Total: 3116}, Items: []domain.Entity{
			{ID: "e1", Label: "Structure", Name: "Lantern Bridge", Aliases: []string{"the iron bridge", "Marrow Ford bridge"}, Mentions: 212, Documents: 61, Relations: 38},
			{ID: "e2", Label: "Person", Name: "Hanne Brook", Mentions: 29, Documents: 11, Relations: 7}, {ID: "e4", Label: "Organization", Name: "Harrow & Kestle", Mentions: 83, Documents: 24, Relations: 19},
			{ID: "e6", Label: "Ship", Name: "Halcyon", Mentions: 4, Documents: 1, Relations: 2},
		}},
	}
}

func entity() page.EntityProps {
	of := func(i int) domain.Entity {
		return domain.Entity{ID: named[i].ID, Label: named[i].Label, Name: named[i].Name}
	}
	at := func(d domain.DocumentID, s domain.Span) domain.Evidence {
		return domain.Evidence{Document: d, Spans: []domain.Span{s}}
	}
	return page.EntityProps{App: app("Edda Kestle", layout.Graph), About: explore.About{
		Entity: domain.Entity{ID: "e7", Label: "Person", Name: "Edda Kestle", Aliases: []string{"E. Kestle", "Miss Kestle"}, Properties: domain.Properties{{Key: "profession", Value: "engineer"}, {Key: "years", Value: "1906 to 1921"}}, Mentions: 29, Documents: 11},
		Out: []explore.Relation{
			{Type: "REBUILT", Other: of(0), Sentences: 7, First: at("d1", domain.Span{Start: 1, End: 9})},
			{Type: "REBUILT", Other: domain.Entity{ID: "e9", Label: "Structure", Name: "Hollow Bridge"}, Sentences: 1, First: at("d1", domain.Span{Start: 20, End: 29})},
			{Type: "PARTNER_IN", Other: of(3), Sentences: 4},
		},
		In: []explore.Relation{{Type: "WROTE_TO", Other: of(1), Sentences: 2, First: at("d2", domain.Span{Start: 3, End: 9})}},
		Quotes: []explore.Quote{
			{Document: "d1", Name: "levy-board-minutes.docx", Page: 44, At: domain.Span{Start: 1, End: 9}, Text: "In the dry summer of 1913 Edda Kestle hung the new deck of the Lantern Bridge from above, without a pier in the water.", Marks: []domain.Span{{Start: 26, End: 37}}},
			{Document: "d2", Name: "courier-1911-03-18.pdf", Page: 2, At: domain.Span{Start: 3, End: 9}, Text: "Miss Kestle, who holds half of the works, spoke last.", Marks: []domain.Span{{Start: 0, End: 11}}},
		},
		More:    27,
		Sources: []explore.Source{{ID: "d1", Name: "levy-board-minutes.docx", Count: 14}, {ID: "d2", Name: "courier-1911-03-18.pdf", Count: 3}},
	}}
}

func settings() page.SettingsProps {
	p := page.SettingsProps{App: layout.Props{Title: "Settings", Section: layout.Settings, Documents: 12, Entities: 80}, Results: []partial.CheckLine{
		{Works: true, Text: "The model qwen3:14b answered in 1.2 s."}, {Works: true, Text: "It calls tools: extraction and grading use them."}, {Text: "The embedding model answered 404: it does not know nomic-embed. Is it pulled?"},
	}}
	p.Form = page.ModelForm{
		Role: "answer", Title: "Answers, and every task without its own model", Server: "vllm", Address: "http://127.0.0.1:8000/v1", WithEmbed: true, TakesKey: true, KeyKept: true,
		Servers: []page.ServerChoice{{Name: "ollama", Title: "Ollama"}, {Name: "vllm", Title: "vLLM", Chosen: true}}, Hint: "Tool calls need two options.", Example: "the name given to vllm serve",
		Offered: []string{"qwen3:14b", "tiny"}, Said: "2 models on the server.",
	}
	p.Tried, p.Again, p.Unembedded = p.Results, page.AgainProps{Documents: 12, Bill: "340 passages, 340 calls, 400,000 to 600,000 tokens, $0.10 to $0.30"}, true
	loops := page.SettingField{Key: "MAX_LOOPS", Help: "How often a question may be rewritten if nothing relevant is found.", Value: "many", Kind: "int", Default: "3", Problem: "MAX_LOOPS is “many”, but should be a whole number."}
	p.Parts = []page.SettingPart{
		{Title: "Model", About: "Who writes, who searches by meaning", Rows: []page.SettingRow{
			{ID: "row-answer", Title: "Answers and reading", Value: "qwen3:14b at 127.0.0.1:11434", Note: "connected 23 November 2026 by ada", Verb: "Change", Open: true, Model: true, Forget: "answer"},
			{ID: "row-prompts", Title: "Prompts", Value: "2 of 17 changed", Verb: "Open", URL: "/settings/prompts"},
		}},
		{Title: "Reading", About: "Where documents come from", Rows: []page.SettingRow{
			{ID: "row-scans", Title: "Scans", Value: "English, up to 500 pages", Verb: "Change", Open: true, Problem: "Its key can't be read.", Fields: []page.SettingField{
				{Key: "OCR_LANGUAGES", Help: "Languages of scans.", Value: "eng", Kind: "string", Default: "eng"}, {Key: "KEEP_STRUCK", Help: "Keep text that is crossed out.", Value: "true", Kind: "bool"},
				{Key: "OCR", Help: "Whether scans are read.", Value: "auto", Fixed: true},
			}},
		}},
	}
	p.List = page.SettingList{Words: "loops", Counts: [3]int{118, 9, 4}, Groups: []page.SettingGroup{{Name: "Answers", Changed: 1, Open: true, Rows: []page.SettingRow{
		{ID: "row-MAX_LOOPS", Title: "MAX_LOOPS", Note: loops.Help, Value: "2", Set: "page, ada", Default: "3", Verb: "Change", Open: true, Care: "Nothing was saved.", Fields: []page.SettingField{loops}},
		{ID: "row-PASSAGES", Title: "PASSAGES", Note: "How many passages of each search are graded.", Value: "9", Set: "environment", Default: "8"},
	}}}}
	return p
}

// courier returns a document about which everything is known.
func courier() domain.Document {
	return domain.Document{
		ID: "d1", Name: "courier.pdf", Title: "The Orrin Courier, 3 October 1909", Source: domain.SourceWeb,
		Facts: domain.Facts{Author: "Maud Ferring", Published: "1909-10-03", Language: "en", Link: "https://courier.example/1909/10/03?page=4"},
	}
}
