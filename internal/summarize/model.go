package summarize

import (
	"context"
	_ "embed"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

//go:embed prompts/summarise.tmpl
var builtinText string

// The prompt and its parts.
const (
	promptRole  = "summarise"
	mapPart     = "map"
	reducePart  = "reduce"
	userMessage = "_user" // ends the name of the part with the texts
)

// Prompt returns the prompt of the summariser.
func Prompt() prompts.Prompt {
	return prompts.Prompt{
		Role: promptRole, About: "Summarises each part of the documents, and then the summaries.", Version: "2", Builtin: builtinText,
		Parts: []prompts.Part{
			{Name: mapPart, About: "the instructions for one part", System: true, Data: instructions{}},
			{Name: mapPart + userMessage, About: "the part", Data: mapData{}},
			{Name: reducePart, About: "the instructions for summaries of parts", System: true, Data: instructions{}},
			{Name: reducePart + userMessage, About: "the summaries", Data: reduceData{}},
		},
	}
}

// instructions are the data of the system messages.
type instructions struct {
	Focus prompts.Outside `about:"what the summary is made for, if anything"`
	Words int             `about:"the most words to write"`
	Final bool            `about:"this account is the last one, which people read"`
}

type mapData struct {
	Text prompts.Outside `about:"the text of the part" need:"yes"`
}

type reduceData struct {
	Summaries []summaryData `about:"the summaries, in order"`
}

type summaryData struct {
	Marked prompts.Outside `about:"a summary, with the numbers of its parts in square brackets" need:"yes"`
}

// Maximum words of an account. Two collapsed ones fit into one group.
var (
	mapWords   = map[Length]int{Short: 50, Medium: 80, Long: 120}
	finalWords = map[Length]int{Short: 80, Medium: 200, Long: 500}
)

const collapseWords = 300

// ModelSummariser returns a summariser over a language model. A prompt for a
// part holds only the part's text, the focus and the length, so that a recorded
// answer serves every summary with the part.
func ModelSummariser(chat llm.Chat, book *prompts.Book) Summariser {
	return modelSummariser{chat, book}
}

type modelSummariser struct {
	chat    llm.Chat
	prompts *prompts.Book
}

// Map ties all sentences to the part.
func (m modelSummariser) Map(ctx context.Context, r MapRequest, emit Emit) ([]Sentence, error) {
	q, err := m.request(ctx, r.Options, mapPart, instructions{Words: mapWords[r.Length]}, mapData{prompts.Fence("passage", r.Text)})
	if err != nil {
		return nil, err
	}
	q.Salt, q.Owner = r.Salt, domain.CallOwner{Workspace: r.Workspace, Document: r.Part.Document}
	text, err := m.complete(ctx, q, r.Warn, emit)
	if err != nil {
		return nil, err
	}
	text, _ = cutMarks(text, nil) // footnotes of the passage, not numbers of parts
	sentences := ParseMarked(text, nil)
	for i := range sentences {
		sentences[i].Parts = []int{r.Part.N}
	}
	return sentences, nil
}

// Reduce ties each sentence to the parts that its marks name.
func (m modelSummariser) Reduce(ctx context.Context, r ReduceRequest, emit Emit) ([]Sentence, error) {
	in := instructions{Words: collapseWords, Final: r.Final}
	if r.Final {
		in.Words = finalWords[r.Length]
	}
	data := reduceData{}
	data.Summaries = lists.Map(r.Summaries, func(s Summary) summaryData { return summaryData{prompts.Fence("summary", s.Marked())} })
	q, err := m.request(ctx, r.Options, reducePart, in, data)
	if err != nil {
		return nil, err
	}
	q.Salt, q.Owner = r.Salt, domain.CallOwner{Workspace: r.Workspace, Run: r.Run}
	if r.Write != nil {
		// The numbers mean nothing to readers before the summary is finished.
		filter := markFilter(sentencesOf(r.Summaries), r.Write, func([]int) {})
		prose := llm.Prose{Words: filter.Write}
		q.OnText, q.OnAnew = prose.Write, func() {
			prose = llm.Prose{Words: filter.Write}
			*filter = *markFilter(sentencesOf(r.Summaries), r.Write, func([]int) {})
			r.Anew()
		}
		defer func() { prose.Close(); filter.Close() }()
	}
	text, err := m.complete(ctx, q, r.Warn, emit)
	if err != nil {
		return nil, err
	}
	return ParseMarked(text, sentencesOf(r.Summaries)), nil
}

// request fills in the messages of a part.
func (m modelSummariser) request(ctx context.Context, o Options, part string, in instructions, data any) (llm.Request, error) {
	text, err := m.prompts.Text(ctx, o.Workspace, promptRole, o.Prompts)
	if err != nil {
		return llm.Request{}, err
	}
	in.Focus = prompts.Fence("focus", o.Focus)
	messages, err := llm.Messages(text, part, in, part+userMessage, data)
	return llm.Request{Messages: messages, Prompt: part + "/" + text.Version}, err
}

// complete returns the text of one call.
func (m modelSummariser) complete(ctx context.Context, q llm.Request, warn func(string), emit Emit) (string, error) {
	answer, err := llm.Ask(ctx, m.chat, q, emit)
	if err != nil {
		return "", err
	}
	if err := answer.Unusable(); err != nil {
		return "", err
	}
	if cut := answer.Cut(); cut != "" && warn != nil {
		warn(cut)
	}
	return llm.Unwrap(answer.Text), nil
}
