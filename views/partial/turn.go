package partial

import (
	"context"
	"fmt"
	"slices"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// Live reports whether the answer is still to come, without a person's reply.
func (p TurnProps) Live() bool { return p.Unanswered() && p.Asks == nil }

// Unanswered reports whether the answer is still to come.
func (p TurnProps) Unanswered() bool { return p.Status == TurnWaiting || p.Status == TurnAnswering }

func (p TurnProps) turnID() string   { return "turn-" + string(p.Message) }
func (p TurnProps) answerID() string { return "answer-" + string(p.Run) }
func (p TurnProps) textID() string   { return "text-" + string(p.Run) }

// Stream returns the address of the turn's events, or "" if none will come. A run continues for a moment after its answer
// is stored.
func (p TurnProps) Stream() string {
	if p.Asks != nil || !p.Unanswered() && !p.Ending {
		return ""
	}
	return link.RunEvents(p.Run, p.After)
}

// Paragraphs groups the sentences of the answer.
func (p TurnProps) Paragraphs() [][]domain.Sentence {
	var out [][]domain.Sentence
	for i, s := range p.Sentences {
		if i == 0 || s.Paragraph != p.Sentences[i-1].Paragraph {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], s)
	}
	return out
}

// part is a paragraph of an answer with the charts before it.
type part struct {
	figures   []domain.Figure
	sentences []numbered // empty after the last paragraph
}

// numbered is a sentence with its number in the answer, from 1.
type numbered struct {
	domain.Sentence
	n     int
	cites []place
}

// notes returns the citations of a sentence at their positions.
func (p TurnProps) notes(s numbered) []note {
	return lists.Map(s.cites, func(c place) note { return note{c.at, cite(p, c.n)} })
}

// parts places the charts of the answer, each after the number of paragraphs it
// names, or after the last one.
func (p TurnProps) parts() []part {
	var out []part
	rest, n := p.Figures, 0
	cites := places(p.Text, p.Sentences)
	for _, paragraph := range p.Paragraphs() {
		var next part
		next.figures, rest = before(rest, paragraph[0].Paragraph)
		for _, s := range paragraph {
			n++
			next.sentences = append(next.sentences, numbered{s, n, cites[n-1]})
		}
		out = append(out, next)
	}
	if len(rest) > 0 {
		out = append(out, part{figures: rest})
	}
	return out
}

// before splits the charts into those placed before a paragraph and the rest.
func before(figures []domain.Figure, paragraph int) (here, later []domain.Figure) {
	for _, f := range figures {
		if f.Paragraph <= paragraph {
			here = append(here, f)
		} else {
			later = append(later, f)
		}
	}
	return here, later
}

// beforeFailure returns how many sentences were written before a pending chart failed, or 0 if none or all were.
func (p TurnProps) beforeFailure() int {
	n := 0
	for _, f := range p.Figures {
		if f.Status == domain.FigureFailed {
			n = max(n, f.Sentences)
		}
	}
	return n
}

// figure returns the props of one chart of the answer.
func (p TurnProps) figure(f domain.Figure) FigureProps {
	props := FigureProps{Conversation: p.Conversation, Message: p.Message, Branch: p.Branch, Run: p.Run, Figure: f}
	if p.OpenFigure == f.ID {
		props.Open = p.Open
	}
	return props
}

// opens reports whether the source of the answer's own citation n is open.
func (p TurnProps) opens(n int) bool { return p.OpenFigure == "" && p.Open == n }

// claims reports whether unsupported sentences are marked. An answer without
// citations or reasons says that nothing was found and needs no marks.
func (p TurnProps) claims() bool {
	return len(p.Citations) > 0 || slices.ContainsFunc(p.Sentences, func(s domain.Sentence) bool { return s.Reason != "" })
}

func (p TurnProps) source(n int) string {
	return link.OfBranch(link.Source(p.Conversation, p.Message, n), p.Branch)
}

func (p TurnProps) figures(ctx context.Context) string {
	said := ""
	if p.Took > 0 {
		said = lang.Duration(ctx, p.Took)
	}
	if p.Tokens > 0 {
		said += ", " + lang.Count(ctx, p.Tokens, "token", "tokens")
	}
	if p.Cost != "" {
		said += ", " + p.Cost
	}
	return said
}

// turn returns the address of the conversation with this answer and its steps.
func (p TurnProps) turn() string { return link.TurnAt(p.Conversation, p.Message, p.Branch) }

// traceSwap shows the steps of an answer beside the conversation. Without JavaScript
// the link opens the page with them.
var traceSwap = templ.Attributes{
	"hx-boost": "true", "hx-target": "#trace", "hx-select": "#trace", "hx-swap": "outerHTML show:none", "hx-push-url": "true",
}

// edited returns the question in the form that asks it again.
func (p TurnProps) edited() string {
	if p.Edit.Problem != "" {
		return p.Edit.Question
	}
	return p.Question
}

func (p TurnProps) editedWithin() []ScopeItem {
	if p.Edit.Problem != "" {
		return p.Edit.Within
	}
	return p.Within
}

// research returns the address that researches the question within the same part of the library.
func (p TurnProps) research() string {
	return link.ResearchOf(p.Question, lists.Map(p.Within, func(w ScopeItem) string { return w.Term })...)
}

func (p TurnProps) judgedID() string { return "judged-" + string(p.Run) }
func (p TurnProps) judge() string {
	return link.OfBranch(link.Judge(p.Conversation, p.Message), p.Branch)
}

// judges sends a judgement without leaving the page.
func (p TurnProps) judges(ctx context.Context) templ.Attributes {
	return templ.Attributes{"hx-post": link.At(ctx, p.judge()), "hx-target": "#" + p.judgedID(), "hx-swap": "outerHTML"}
}

// says reports whether the person called the answer good, or bad.
func (p TurnProps) says(good bool) bool { return p.Judged != nil && p.Judged.Good == good }

// press returns the value of a judgement button. Pressed again, it takes the judgement back.
func (p TurnProps) press(good bool) string {
	switch {
	case p.says(good):
		return ""
	case good:
		return "yes"
	}
	return "no"
}

// again returns the person's judgement of the answer.
func (p TurnProps) again() string {
	if p.says(true) {
		return "yes"
	}
	return "no"
}

// maxWebWords is the maximum length of the text sent to a web search, in code points.
const maxWebWords = 400

// quotedAt links the words of a citation to their document, or to the page of the web that contains them.
func quotedAt(ctx context.Context, c domain.Citation) templ.Attributes {
	if c.OfWeb() {
		return outward(c.Web.Address)
	}
	return templ.Attributes{"href": link.At(ctx, link.Passage(c.DocumentID, c.Span))}
}

// outward links a page of the web without revealing where its reader comes from.
func outward(address string) templ.Attributes {
	return templ.Attributes{"href": templ.URL(address), "rel": "noreferrer", "target": "_blank"}
}

func citeLabel(ctx context.Context, n int) string { return lang.F(ctx, "Source %d", n) }

func number(n int) string { return fmt.Sprint(n) }

// sourceSwap loads a source beside the answer. Without JavaScript the link
// opens the page with the source in it.
var sourceSwap = templ.Attributes{
	"hx-boost": "true", "hx-target": "#source", "hx-select": "#source > *", "hx-swap": "innerHTML show:none", "hx-push-url": "true",
}

// stream names the turn's events for the page's script.
func (p TurnProps) stream(ctx context.Context) templ.Attributes {
	if p.Stream() == "" {
		return nil
	}
	return templ.Attributes{"data-live": link.At(ctx, p.Stream()), "data-run": string(p.Run)}
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
