package summarize

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// preProcess cuts the texts into parts.
func (n *nodes) preProcess(ctx *stategraph.Context, s State) (update, error) {
	parts, read, warnings, err := Cut(ctx, n.Texts, n.Counter, s.Workspace, s.Documents)
	if err != nil {
		return update{}, err
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(parts), "part", "parts") + " of at most 1,000 tokens"})
	return state.Merge(n.read.Set(read), n.contents.Set(parts), n.warnings.Add(warnings...)), nil
}

// Cut cuts the texts of documents into parts of at most PartTokens, and lists the texts it read. A document without
// text is a warning.
func Cut(ctx context.Context, t Texts, c Counter, w domain.WorkspaceID, documents []domain.DocumentID) (parts []Part, read []Read, warnings []string, err error) {
	parts, read = []Part{}, []Read{}
	for _, id := range documents {
		text, err := readText(ctx, t, w, id)
		if err != nil {
			return nil, nil, nil, err
		}
		read = append(read, Read{id, domain.Hash([]byte(text.Content))})
		cut, err := chunk.Split(ctx, id, text, chunk.Options{Tokens: PartTokens, Counter: c})
		if err != nil {
			return nil, nil, nil, err
		}
		for _, c := range cut {
			parts = append(parts, Part{N: len(parts) + 1, Document: id, Span: c.Span, Page: c.Page})
		}
		if len(cut) > 0 {
			continue
		}
		d, err := t.Document(ctx, w, id)
		if err != nil {
			return nil, nil, nil, err
		}
		warnings = append(warnings, fmt.Sprintf("%s has no text to summarise.", d.Name))
	}
	return parts, read, warnings, nil
}

// readText reads the text of a document, which may be deleted at any time.
func readText(ctx context.Context, t Texts, w domain.WorkspaceID, id domain.DocumentID) (domain.Text, error) {
	text, err := t.Text(ctx, w, id)
	if domain.KindOf(err) == domain.NotFound {
		return text, domain.Because(domain.NotFound, err, "One of the documents was deleted, or has not been read yet. Choose the documents again.")
	}
	return text, err
}

// EachPart calls f with each part and its text. It fails with kind NotFound if a document was deleted, and with kind Conflict if one
// has changed since it was cut.
func EachPart(ctx context.Context, t Texts, w domain.WorkspaceID, parts []Part, f func(p Part, text string)) error {
	var document domain.DocumentID
	var runes []rune
	for _, p := range parts {
		if p.Document != document {
			text, err := readText(ctx, t, w, p.Document)
			if err != nil {
				return err
			}
			document, runes = p.Document, []rune(text.Content)
		}
		if p.Span.End > len(runes) {
			return domain.Errorf(domain.Conflict, "A document changed while it was being read. Order it again.")
		}
		f(p, string(runes[p.Span.Start:p.Span.End]))
	}
	return nil
}

// documentOf returns the document of a part, or "" if there is no such part.
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
	err := EachPart(ctx, n.Texts, s.Workspace, s.Contents, func(p Part, text string) {
		sends = append(sends, n.part.Send(partTask{Options: s.options(), Part: p, Text: text, Of: len(s.Contents)}))
	})
	return stategraph.Fan(sends...), err
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
		if ctx.Err() != nil || domain.Temporary(err) || ConcernsAll(err) {
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

// ConcernsAll reports whether a failure is not due to the part: the key is
// refused, the disk is full, a cap is reached.
func ConcernsAll(err error) bool {
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
		return update{}, domain.Errorf(domain.Invalid, "No part could be summarised. %s", warnings[0]) // waiting would not help
	}
	return state.Merge(n.collapsed.Set(usable), n.warnings.Add(warnings...)), nil
}

// shouldCollapse collapses once more if the summaries are too long for one
// account and rounds are left.
func (n *nodes) shouldCollapse(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
	if tokens(s.Collapsed) <= s.tokenMax() || s.MaxCollapses > 0 && s.Rounds >= s.MaxCollapses {
		return stategraph.Choose[State](caseFits), nil
	}
	return stategraph.Choose[State](caseTooLong), nil
}

// collapse reduces each group of summaries to one, up to AtOnce groups at a
// time.
func (n *nodes) collapse(ctx *stategraph.Context, s State) (update, error) {
	fitting, err := n.split(ctx, s.Collapsed, s.tokenMax())
	if err != nil {
		return update{}, err
	}
	groups := grouped(fitting, s.tokenMax())
	ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("Round %d: %s of %d tokens together, in %s.", s.Rounds+1,
		domain.Counted(len(s.Collapsed), "summary", "summaries"), tokens(s.Collapsed), domain.Counted(len(groups), "group", "groups"))})
	summaries := make([]Summary, len(groups))
	calls, callCtx := errgroup.WithContext(ctx)
	calls.SetLimit(n.AtOnce)
	for i, group := range groups {
		calls.Go(func() (err error) {
			n.pauses.Begin(string(s.Run))
			defer func() { n.pauses.End(ctx, string(s.Run), err) }()
			if err = callCtx.Err(); err == nil {
				summaries[i], err = n.reduce(callCtx, s, group, ctx.Emit)
			}
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return update{}, err
	}
	var warnings []string
	for i, x := range summaries {
		if x.Cut != "" {
			warnings, summaries[i].Cut = append(warnings, "An account of parts is not whole: "+x.Cut), ""
		}
	}
	return state.Merge(n.collapsed.Set(summaries), n.rounds.Add(1), n.warnings.Add(warnings...)), nil
}

// reduce reduces a group to one summary. A short one on its own stays unchanged
// until the next round.
func (n *nodes) reduce(ctx context.Context, s State, group []Summary, emit Emit) (Summary, error) {
	if len(group) == 1 && group[0].Tokens <= s.tokenMax()/2 {
		return group[0], nil
	}
	cut := ""
	sentences, err := n.Summariser.Reduce(ctx, ReduceRequest{Options: s.options(), Summaries: group, DocumentOf: s.documentOf, Warn: func(s string) { cut = s }}, emit)
	if err != nil {
		return Summary{}, err
	}
	if len(sentences) == 0 { // the model said nothing
		sentences = sentencesOf(group)
	}
	summary := n.summary(sentences)
	summary.Cut = cut
	return summary, nil
}

// grouped groups consecutive summaries that fit into one account of a number of tokens.
func grouped(list []Summary, most int) [][]Summary {
	var groups [][]Summary
	size := 0
	for _, s := range list {
		if last := len(groups) - 1; last >= 0 && size+s.Tokens <= most {
			groups[last] = append(groups[last], s)
			size += s.Tokens
			continue
		}
		groups, size = append(groups, []Summary{s}), s.Tokens
	}
	return groups
}

// split splits summaries that are too long for one account.
func (n *nodes) split(ctx context.Context, list []Summary, most int) ([]Summary, error) {
	var out []Summary
	for _, s := range list {
		if s.Tokens <= most {
			out = append(out, s)
			continue
		}
		sentences, err := n.splitSentences(ctx, s.Sentences, most)
		if err != nil {
			return nil, err
		}
		var open []Sentence
		for _, sentence := range sentences {
			if len(open) > 0 && n.Counter.Count(textOf(append(slices.Clip(open), sentence))) > most {
				out, open = append(out, n.summary(open)), nil
			}
			open = append(open, sentence)
		}
		out = append(out, n.summary(open))
	}
	return out, nil
}

// splitSentences splits sentences that are too long for one account.
func (n *nodes) splitSentences(ctx context.Context, sentences []Sentence, most int) ([]Sentence, error) {
	var out []Sentence
	for _, sentence := range sentences {
		if n.Counter.Count(sentence.Text) <= most {
			out = append(out, sentence)
			continue
		}
		cut, err := chunk.Split(ctx, "", domain.Text{Content: sentence.Text}, chunk.Options{Tokens: most, Counter: n.Counter})
		if err != nil {
			return nil, err
		}
		for _, c := range cut {
			out = append(out, Sentence{Text: c.Text, Parts: sentence.Parts, Paragraph: sentence.Paragraph})
		}
	}
	return out, nil
}

// Draft is the question to a reviewer before the last step. The answer is a
// list of texts in the same form, one for each summary to keep.
type Draft struct {
	Summaries []string `json:"summaries"` // with marks, see Summary.Marked
}

// MaxEdit is the longest edited text in code points.
const MaxEdit = 20_000

// Check fails with kind Invalid or TooLarge for texts that can't take the place of the draft's.
func (d Draft) Check(texts []string) error {
	if len(texts) > len(d.Summaries) {
		return domain.Errorf(domain.Invalid, "The draft has %s, not %d.", domain.Counted(len(d.Summaries), "text", "texts"), len(texts))
	}
	left := false
	for _, text := range texts {
		left = left || strings.TrimSpace(text) != ""
		if domain.Runes(text) > MaxEdit {
			return domain.Errorf(domain.TooLarge, "One of the texts has %d characters; the limit is %d.", domain.Runes(text), MaxEdit)
		}
	}
	if !left {
		return domain.Errorf(domain.Invalid, "Nothing is left to summarise: keep at least one of the texts.")
	}
	return nil
}

// finish writes the final summary of the collapsed ones, after a review if the
// run has one.
func (n *nodes) finish(ctx *stategraph.Context, s State) (update, error) {
	summaries := s.Collapsed
	if s.Review {
		edited, err := stategraph.Interrupt[[]string](ctx, draftOf(summaries))
		if err != nil {
			return update{}, err
		}
		summaries = n.applyEdits(edited, summaries)
	}
	cut := ""
	sentences, condensed, err := n.final(ctx, s, summaries, func(sentence string) { cut = sentence })
	if err != nil {
		return update{}, err
	}
	c := citer{ctx: ctx, texts: n.Texts, state: s}
	if err := c.cite(sentences); err != nil {
		return update{}, err
	}
	u := state.Merge(n.finalText.Set(c.text()), n.condensed.Set(condensed), n.sentences.Set(c.sentences), n.citations.Set(c.citations))
	if !condensed {
		u = state.Merge(u, n.warnings.Add(fmt.Sprintf(
			"Not fully condensed: after %s the summaries were still too long for one account, so they are listed one after the other.", domain.Counted(s.Rounds, "round", "rounds"))))
	}
	if cut != "" {
		u = state.Merge(u, n.warnings.Add(cut))
	}
	if said := drawnOn(c.citations, len(s.Documents)); said != "" && len(s.Warnings) == 0 { // warnings list the omitted parts
		u = state.Merge(u, n.warnings.Add(said))
	}
	return u, nil
}

// drawnOn describes how many of several documents a summary cites, or "" if it cites all: a large one has more sentences
// to choose from than a small one.
func drawnOn(citations []domain.Citation, documents int) string {
	cited := lists.SetOf(citations, func(c domain.Citation) domain.DocumentID { return c.DocumentID })
	if len(cited) == 0 || len(cited) >= documents {
		return ""
	}
	return fmt.Sprintf("Its sentences come from %d of %d documents. For more of the others, summarise them on their own.", len(cited), documents)
}

// final writes the last account. Summaries that are still too long for one are
// concatenated.
func (n *nodes) final(ctx *stategraph.Context, s State, summaries []Summary, warn func(string)) (sentences []Sentence, condensed bool, err error) {
	write := func(text string) { ctx.Emit(domain.EventToken, domain.Token{Text: text}) }
	anew := func() { ctx.Emit(domain.EventToken, domain.Token{Anew: true}) }
	if tokens(s.Collapsed) > s.tokenMax() {
		sentences = concatenate(summaries)
		write(textOf(sentences))
		return sentences, false, nil
	}
	sentences, err = n.Summariser.Reduce(ctx, ReduceRequest{Options: s.options(), Summaries: summaries, Final: true, Write: write, Anew: anew, Warn: warn, DocumentOf: s.documentOf}, ctx.Emit)
	if err == nil && len(sentences) == 0 {
		err = domain.Errorf(domain.Unavailable, "The model returned an empty summary. Try again, or choose another model with SUMMARY_MODEL.")
	}
	return sentences, true, err
}

// Unfinished returns the unfinished summary of a failed run: the summaries one after the other, each sentence with its
// citations.
func Unfinished(ctx context.Context, t Texts, s State) ([]domain.Sentence, []domain.Citation, error) {
	c := citer{ctx: ctx, texts: t, state: s}
	err := c.cite(concatenate(s.Collapsed))
	return c.sentences, c.citations, err
}

// concatenate makes each summary a paragraph.
func concatenate(summaries []Summary) []Sentence {
	var out []Sentence
	for i, summary := range summaries {
		for _, s := range summary.Sentences {
			s.Paragraph = i
			out = append(out, s)
		}
	}
	return out
}

func draftOf(summaries []Summary) Draft {
	d := Draft{Summaries: make([]string, len(summaries))}
	for i, s := range summaries {
		d.Summaries[i] = s.Marked()
	}
	return d
}

// applyEdits parses the edited texts. If nothing is left, the summaries stay
// unchanged.
func (n *nodes) applyEdits(texts []string, summaries []Summary) []Summary {
	sources := sentencesOf(summaries)
	var out []Summary
	for _, text := range texts {
		if sentences := ParseMarked(text, sources); len(sentences) > 0 {
			out = append(out, n.summary(sentences))
		}
	}
	if len(out) == 0 {
		return summaries
	}
	return out
}
