package summarize

import (
	"context"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// preProcess cuts the texts into parts.
func (n *nodes) preProcess(ctx *stategraph.Context, s State) (update, error) {
	parts, read := []Part{}, []Read{}
	var empty []string
	for _, id := range s.Documents {
		text, err := textOfDocument(ctx, n.Texts, s, id)
		if err != nil {
			return update{}, err
		}
		read = append(read, Read{id, domain.Hash([]byte(text.Content))})
		cut, err := chunk.Split(ctx, id, text, chunk.Options{Tokens: PartTokens, Counter: n.Counter})
		if err != nil {
			return update{}, err
		}
		for _, c := range cut {
			parts = append(parts, Part{N: len(parts) + 1, Document: id, Span: c.Span, Page: c.Page})
		}
		if len(cut) > 0 {
			continue
		}
		d, err := n.Texts.Document(ctx, s.Workspace, id)
		if err != nil {
			return update{}, err
		}
		empty = append(empty, fmt.Sprintf("%s has no text to summarise.", d.Name))
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(parts), "part", "parts") + " of at most 1,000 tokens"})
	return state.Merge(n.read.Set(read), n.contents.Set(parts), n.warnings.Add(empty...)), nil
}

// textOfDocument reads the text of a document, which may be deleted at any time.
func textOfDocument(ctx context.Context, t Texts, s State, id domain.DocumentID) (domain.Text, error) {
	text, err := t.Text(ctx, s.Workspace, id)
	if domain.KindOf(err) == domain.NotFound {
		return text, domain.Because(domain.NotFound, err, "A document of this summary was deleted, or has not been read yet. Choose the documents again.")
	}
	return text, err
}

// documentOf returns the document of a part, "" if there is no such part.
func (s State) documentOf(part int) domain.DocumentID {
	if part < 1 || part > len(s.Contents) {
		return ""
	}
	return s.Contents[part-1].Document
}

type partTask struct {
	Options
	Part Part   `json:"part"`
	Text string `json:"text"`
	Of   int    `json:"of"`
}

// fanOut sends every part to summarise.
func (n *nodes) fanOut(ctx *stategraph.Context, s State) (stategraph.Route[State], error) {
	var sends []stategraph.Send[State]
	var document domain.DocumentID
	var runes []rune
	for _, p := range s.Contents {
		if p.Document != document {
			text, err := textOfDocument(ctx, n.Texts, s, p.Document)
			if err != nil {
				return stategraph.Route[State]{}, err
			}
			document, runes = p.Document, []rune(text.Content)
		}
		if p.Span.End > len(runes) {
			return stategraph.Route[State]{}, domain.Errorf(domain.Conflict, "A document changed while it was being summarised: summarise it again.")
		}
		text := string(runes[p.Span.Start:p.Span.End])
		sends = append(sends, n.part.Send(partTask{Options: s.options(), Part: p, Text: text, Of: len(s.Contents)}))
	}
	return stategraph.Fan(sends...), nil
}

// summarise summarises one part. A failure that concerns only this part is
// recorded; the others continue.
func (n *nodes) summarise(ctx *stategraph.Context, t partTask) (u update, err error) {
	n.pauses.Begin(string(t.Run))
	defer func() { n.pauses.End(ctx, string(t.Run), err) }()
	ctx.Emit(domain.EventProgress, domain.Progress{Total: t.Of})
	cut := ""
	sentences, err := n.Summariser.Map(ctx, MapRequest{Options: t.Options, Part: t.Part, Text: t.Text, Warn: func(s string) { cut = s }}, ctx.Emit)
	if err != nil {
		if ctx.Err() != nil || domain.Temporary(err) || concernsAllParts(err) {
			return update{}, err
		}
		return n.summaries.Add(Summary{Part: t.Part.N, Sentences: []Sentence{}, Problem: domain.InWords(err)}), nil
	}
	summary := n.summary(sentences)
	summary.Part, summary.Cut = t.Part.N, cut
	if len(summary.Sentences) == 0 {
		summary.Problem = "the model said nothing."
	}
	return n.summaries.Add(summary), nil
}

// concernsAllParts reports whether a failure is not due to the part: the key is
// refused, the disk is full, a cap is reached.
func concernsAllParts(err error) bool {
	kind := domain.KindOf(err)
	return kind == domain.Forbidden || kind == domain.Exhausted || kind == domain.Capped
}

func (n *nodes) summary(sentences []Sentence) Summary {
	if sentences == nil {
		sentences = []Sentence{}
	}
	return Summary{Sentences: sentences, Tokens: n.Counter.Count(textOf(sentences))}
}

// collect passes on the summaries of the parts and warns of failed ones.
func (n *nodes) collect(_ *stategraph.Context, s State) (update, error) {
	var warnings []string
	usable := []Summary{}
	for _, x := range s.Summaries {
		if x.Problem != "" {
			warnings = append(warnings, fmt.Sprintf("Part %d of %d was left out: %s", x.Part, len(s.Contents), x.Problem))
			continue
		}
		if x.Cut != "" {
			warnings = append(warnings, fmt.Sprintf("Part %d of %d: %s", x.Part, len(s.Contents), x.Cut))
		}
		usable = append(usable, Summary{Sentences: x.Sentences, Tokens: x.Tokens})
	}
	if len(usable) == 0 {
		return update{}, domain.Because(domain.Unavailable, errors.New(warnings[0]), "No part could be summarised. %s", warnings[0])
	}
	return state.Merge(n.collapsed.Set(usable), n.warnings.Add(warnings...)), nil
}
