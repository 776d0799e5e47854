package summarize

import (
	"context"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/chunk"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// preProcess cuts the texts of all documents into parts.
func (n *nodes) preProcess(ctx *stategraph.Context, s State) (update, error) {
	parts, read := []Part{}, []Read{}
	var empty []string
	for _, id := range s.Documents {
		text, err := textOfDocument(ctx, n.Texts, s, id)
		if err != nil {
			return update{}, err
		}
		read = append(read, Read{id, domain.Hash([]byte(text.Content))})
		cut := chunk.Split(id, text, chunk.Options{Tokens: PartTokens, Counter: n.Counter})
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

// textOfDocument is the stored text of a document that may be deleted at any moment.
func textOfDocument(ctx context.Context, t Texts, s State, id domain.DocumentID) (domain.Text, error) {
	text, err := t.Text(ctx, s.Workspace, id)
	if domain.KindOf(err) == domain.NotFound {
		return text, domain.Because(domain.NotFound, err, "A document of this summary was deleted, or has not been read yet. Choose the documents again.")
	}
	return text, err
}

// partTask is one part on its way to be summarised.
type partTask struct {
	Asked
	Part Part   `json:"part"`
	Text string `json:"text"`
	Of   int    `json:"of"`
}

// fanOut sends every part to be summarised.
func (n *nodes) fanOut(ctx *stategraph.Context, s State) (stategraph.Route[State], error) {
	var sends []stategraph.Send[State]
	var open domain.DocumentID
	var runes []rune
	for _, p := range s.Contents {
		if p.Document != open {
			text, err := textOfDocument(ctx, n.Texts, s, p.Document)
			if err != nil {
				return stategraph.Route[State]{}, err
			}
			open, runes = p.Document, []rune(text.Content)
		}
		if p.Span.End > len(runes) {
			return stategraph.Route[State]{}, domain.Errorf(domain.Conflict, "A document changed while it was being summarised: summarise it again.")
		}
		words := string(runes[p.Span.Start:p.Span.End])
		sends = append(sends, n.part.Send(partTask{Asked: s.asked(), Part: p, Text: words, Of: len(s.Contents)}))
	}
	return stategraph.Fan(sends...), nil
}

// summarise has one part summarised. What can't be done for this part alone
// becomes a problem of it; the others go on.
func (n *nodes) summarise(ctx *stategraph.Context, t partTask) (update, error) {
	ctx.Emit(domain.EventProgress, domain.Progress{Total: t.Of})
	lines, err := n.Summariser.Map(ctx, MapRequest{Asked: t.Asked, Part: t.Part, Text: t.Text}, ctx.Emit)
	if err != nil {
		if ctx.Err() != nil || domain.Temporary(err) || everywhere(err) {
			return update{}, err
		}
		return n.summaries.Add(Summary{Part: t.Part.N, Lines: []Line{}, Problem: domain.InWords(err)}), nil
	}
	made := n.summary(lines)
	made.Part = t.Part.N
	if len(made.Lines) == 0 {
		made.Problem = "the model said nothing."
	}
	return n.summaries.Add(made), nil
}

// everywhere reports whether a failure says nothing about the part: the key is
// refused, or the disk is full.
func everywhere(err error) bool {
	kind := domain.KindOf(err)
	return kind == domain.Forbidden || kind == domain.Exhausted
}

// summary measures lines.
func (n *nodes) summary(lines []Line) Summary {
	if lines == nil {
		lines = []Line{}
	}
	return Summary{Lines: lines, Tokens: n.Counter.Count(textOf(lines))}
}

// collect begins the collapsing with the summaries of the parts.
func (n *nodes) collect(_ *stategraph.Context, s State) (update, error) {
	var warnings []string
	usable := []Summary{}
	for _, x := range s.Summaries {
		if x.Problem != "" {
			warnings = append(warnings, fmt.Sprintf("Part %d of %d was left out: %s", x.Part, len(s.Contents), x.Problem))
			continue
		}
		usable = append(usable, Summary{Lines: x.Lines, Tokens: x.Tokens})
	}
	if len(usable) == 0 {
		return update{}, domain.Because(domain.Unavailable, errors.New(warnings[0]), "No part could be summarised. %s", warnings[0])
	}
	return state.Merge(n.collapsed.Set(usable), n.warnings.Add(warnings...)), nil
}
