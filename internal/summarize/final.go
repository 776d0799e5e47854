package summarize

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Draft is what a person is shown before the last step, as the payload of its
// question. The answer is a list of texts in the same form, one for each
// summary that is to stay.
type Draft struct {
	Summaries []string `json:"summaries"` // with marks, see Summary.Marked
}

// finish makes the final summary of the collapsed ones, after a person has
// looked at them where that is wanted.
func (n *nodes) finish(ctx *stategraph.Context, s State) (update, error) {
	summaries := s.Collapsed
	if s.Review {
		edited, err := stategraph.Interrupt[[]string](ctx, draftOf(summaries))
		if err != nil {
			return update{}, err
		}
		summaries = n.edited(edited, summaries)
	}
	lines, condensed, err := n.final(ctx, s, summaries)
	if err != nil {
		return update{}, err
	}
	e := edition{ctx: ctx, texts: n.Texts, state: s}
	if err := e.take(lines); err != nil {
		return update{}, err
	}
	u := state.Merge(n.finalText.Set(e.text()), n.condensed.Set(condensed), n.sentences.Set(e.sentences), n.citations.Set(e.citations))
	if !condensed {
		u = state.Merge(u, n.warnings.Add(fmt.Sprintf(
			"Not fully condensed: after %s the summaries were still too long for one account, so they are given one after the other.", domain.Counted(s.Rounds, "round", "rounds"))))
	}
	return u, nil
}

// final has the last account written. Summaries that are still too long for
// it are what there is: they follow one another.
func (n *nodes) final(ctx *stategraph.Context, s State, summaries []Summary) (lines []Line, condensed bool, err error) {
	show := func(text string) { ctx.Emit(domain.EventToken, domain.Token{Text: text}) }
	if tokens(s.Collapsed) > TokenMax {
		lines = oneAfterTheOther(summaries)
		show(textOf(lines))
		return lines, false, nil
	}
	lines, err = n.Summariser.Reduce(ctx, ReduceRequest{Asked: s.asked(), Summaries: summaries, Final: true, Write: show}, ctx.Emit)
	if err == nil && len(lines) == 0 {
		err = domain.Errorf(domain.Unavailable, "The model returned an empty summary. Try again, or choose another model with LLM_MODEL_SUMMARY.")
	}
	return lines, true, err
}

// Unfinished is what there is of a summary whose run failed: the summaries one
// after the other, each sentence tied to its sources.
func Unfinished(ctx context.Context, t Texts, s State) ([]domain.Sentence, []domain.Citation, error) {
	e := edition{ctx: ctx, texts: t, state: s}
	err := e.take(oneAfterTheOther(s.Collapsed))
	return e.sentences, e.citations, err
}

// oneAfterTheOther makes each summary a paragraph.
func oneAfterTheOther(list []Summary) []Line {
	var out []Line
	for i, s := range list {
		for _, line := range s.Lines {
			line.Paragraph = i
			out = append(out, line)
		}
	}
	return out
}

func draftOf(list []Summary) Draft {
	d := Draft{Summaries: make([]string, len(list))}
	for i, s := range list {
		d.Summaries[i] = s.Marked()
	}
	return d
}

// edited reads what a person left of the summaries. If that is nothing, they
// stay as they were.
func (n *nodes) edited(texts []string, was []Summary) []Summary {
	from := linesOf(was)
	var out []Summary
	for _, text := range texts {
		if lines := ReadMarked(text, from); len(lines) > 0 {
			out = append(out, n.summary(lines))
		}
	}
	if len(out) == 0 {
		return was
	}
	return out
}

// edition ties the lines of a final summary to the characters of the parts
// that they were drawn from.
type edition struct {
	ctx       context.Context
	texts     Texts
	state     State
	open      domain.DocumentID // whose text and name are at hand
	name      string
	runes     []rune
	parts     map[int][]told  // read so far, by number
	terms     map[string]bool // of the line at hand
	sentences []domain.Sentence
	citations []domain.Citation
}

func (e *edition) take(lines []Line) error {
	e.sentences, e.citations, e.parts = []domain.Sentence{}, []domain.Citation{}, map[int][]told{}
	for _, line := range lines {
		e.terms = termsOf(line.Text)
		s := domain.Sentence{Text: line.Text, Citations: []int{}, Paragraph: line.Paragraph}
		for _, number := range line.Parts {
			n, err := e.cite(line, number)
			if err != nil {
				return err
			}
			if n > 0 && !slices.Contains(s.Citations, n) {
				s.Citations = append(s.Citations, n)
			}
		}
		s.Supported = len(s.Citations) > 0
		e.sentences = append(e.sentences, s)
	}
	return nil
}

// cite is the number of the citation of a line in a part, 0 when there is no
// such part.
func (e *edition) cite(line Line, number int) (int, error) {
	i := slices.IndexFunc(e.state.Contents, func(p Part) bool { return p.N == number })
	if i < 0 {
		return 0, nil
	}
	part := e.state.Contents[i]
	if err := e.read(part.Document); err != nil {
		return 0, err
	}
	span := e.place(line, part)
	for _, c := range e.citations {
		if c.DocumentID == part.Document && c.Span == span {
			return c.N, nil
		}
	}
	e.citations = append(e.citations, domain.Citation{
		N: len(e.citations) + 1, Document: e.name, DocumentID: part.Document, Page: part.Page, Span: span, Text: e.slice(span),
	})
	return len(e.citations), nil
}

func (e *edition) read(id domain.DocumentID) error {
	if e.open == id {
		return nil
	}
	text, err := textOfDocument(e.ctx, e.texts, e.state, id)
	if err != nil {
		return err
	}
	d, err := e.texts.Document(e.ctx, e.state.Workspace, id)
	if err != nil {
		return err
	}
	e.open, e.name, e.runes = id, d.Name, []rune(text.Content)
	return nil
}

// place is where in a part stands what a line says: the line itself, or the
// sentence that shares most words with it; the whole part when none does.
func (e *edition) place(line Line, part Part) domain.Span {
	if line.Span != nil && part.Span.Contains(*line.Span) {
		return *line.Span
	}
	if _, read := e.parts[part.N]; !read {
		e.parts[part.N] = sentencesOf(e.slice(part.Span), part.Span.Start)
	}
	return supporting(e.terms, e.parts[part.N], part.Span)
}

func (e *edition) slice(s domain.Span) string {
	return string(e.runes[min(s.Start, len(e.runes)):min(s.End, len(e.runes))])
}

// text is the summary with the numbers of its citations behind each sentence.
func (e *edition) text() string {
	var b strings.Builder
	for i, s := range e.sentences {
		if i > 0 {
			b.WriteString(gap(Line{Paragraph: e.sentences[i-1].Paragraph}, Line{Paragraph: s.Paragraph}))
		}
		b.WriteString(s.Text)
		for j, n := range s.Citations {
			if j == 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "[%d]", n)
		}
	}
	return b.String()
}
