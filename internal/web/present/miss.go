package present

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/trace"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// maxClosest is the number of passages shown below a question without an answer.
const maxClosest = 3

// Miss returns what its run found instead of an answer, without
// the texts of the passages, see [Quote]. It returns nil for a turn that was answered,
// and for one whose run found nothing or is no longer kept.
func Miss(m ledger.Message, v *trace.View) *partial.MissProps {
	if m.Status != ledger.MessageDone || len(m.Figures) > 0 || len(m.Sentences) == 0 || said(m.Sentences) || len(m.Citations) > 0 {
		return nil
	}
	p := &partial.MissProps{BuiltIn: v.Tokens() == 0, Asked: wordings(m.Question, v)}
	for _, g := range closest(v) {
		if len(p.Closest) == maxClosest {
			p.Rest++
			p.RestUnread = p.RestUnread || g.Verdict != domain.Irrelevant
			continue
		}
		p.Closest = append(p.Closest, partial.NearProps{Chunk: g.Chunk, Document: g.Document, Name: g.Name, Page: g.Page, Place: g.Place, Verdict: g.Verdict, Reason: g.Reason, Score: score(v, g.Chunk)})
	}
	if len(p.Closest) == 0 {
		return nil
	}
	return p
}

// said reports whether an answer says anything from the library.
func said(sentences []domain.Sentence) bool {
	return slices.ContainsFunc(sentences, func(s domain.Sentence) bool { return !s.Remark })
}

// wordings returns what was searched for, with how many of the passages found
// were relevant.
func wordings(question string, v *trace.View) []partial.WordingProps {
	var asked []partial.WordingProps
	for _, s := range v.Steps {
		if n := len(s.Rewrites); n > 0 {
			question = s.Rewrites[n-1].To
		}
		if len(s.Methods) > 0 {
			asked = append(asked, partial.WordingProps{Text: question})
		}
		if len(asked) == 0 {
			continue
		}
		last := &asked[len(asked)-1]
		for _, g := range s.Grades {
			last.Graded++
			if g.Verdict == domain.Relevant {
				last.Relevant++
			}
		}
	}
	return asked
}

// closest returns the passages that were graded, each once, in the order of the
// first search that found them.
func closest(v *trace.View) []domain.Grading {
	var all []domain.Grading
	var order []domain.ChunkID
	for _, s := range v.Steps {
		for _, m := range s.Methods {
			if len(m.Ranked) > 0 {
				order = m.Ranked
			}
		}
		if len(s.Found) > 0 {
			order = nil
			for _, f := range s.Found {
				order = append(order, f.Chunk)
			}
		}
		var found []domain.Grading
		for _, g := range s.Grades {
			if !slices.ContainsFunc(all, func(o domain.Grading) bool { return o.Chunk == g.Chunk }) {
				found = append(found, g)
			}
		}
		place := func(g domain.Grading) int {
			if i := slices.Index(order, g.Chunk); i >= 0 {
				return i
			}
			return len(order)
		}
		slices.SortStableFunc(found, func(a, b domain.Grading) int { return place(a) - place(b) })
		all = append(all, found...)
	}
	return all
}

// score returns the score of a passage in the first search that found it.
func score(v *trace.View, id domain.ChunkID) float64 {
	for _, s := range v.Steps {
		if i := slices.IndexFunc(s.Found, func(f domain.FoundPassage) bool { return f.Chunk == id }); i >= 0 {
			return s.Found[i].Score
		}
	}
	return 0
}

// Chunks returns the passages that misses show.
func Chunks(misses ...*partial.MissProps) []domain.ChunkID {
	var ids []domain.ChunkID
	for _, p := range misses {
		if p == nil {
			continue
		}
		for _, n := range p.Closest {
			if !slices.Contains(ids, n.Chunk) {
				ids = append(ids, n.Chunk)
			}
		}
	}
	return ids
}

// Quote adds to each passage the sentence that is closest to the question, with what
// follows it on the same line while that is short, and the words they share marked. It
// leaves out passages that were deleted.
func Quote(p *partial.MissProps, question string, passages []domain.Passage) {
	if p == nil {
		return
	}
	terms := prose.Terms(question)
	kept := p.Closest[:0]
	for _, n := range p.Closest {
		at := slices.IndexFunc(passages, func(f domain.Passage) bool { return f.ID == n.Chunk })
		if at < 0 {
			continue
		}
		f := passages[at]
		span := withNext(f.Text, closestSentence(f.Text, terms))
		n.Pieces, n.URL = shared(span.Slice(f.Text), terms), link.Passage(f.Document, span.Shift(f.Span.Start))
		n.Page, n.Place = f.PageOf(span.Shift(f.Span.Start)), f.Place(span.Shift(f.Span.Start))
		kept = append(kept, n)
	}
	p.Closest = kept
}

// closestSentence returns the sentence of a text that shares most of the terms, the
// first of several. Headings and rows of tables count only where a text has nothing
// else; where no sentence shares a term, it is the one below the closest of them.
func closestSentence(text string, terms []string) domain.Span {
	best, most := domain.Span{End: domain.Runes(text)}, -1
	var below domain.Span // below the closest heading or row, empty until there is one
	heading, row := best, -1
	for _, s := range prose.Sentences(text) {
		n := sharedTerms(s.Slice(text), terms)
		switch {
		case !saysSomething(s.Slice(text)):
			if n > row {
				heading, row, below = s, n, domain.Span{}
			}
			continue
		case below.Empty():
			below = s
		}
		if n > most {
			best, most = s, n
		}
	}
	switch {
	case most < 0 && row >= 0:
		return heading
	case most == 0 && row > 0 && !below.Empty():
		return below
	}
	return best
}

// maxQuote is how long a sentence may become with the next one, in code points.
const maxQuote = 160

// withNext adds the next sentence to one where both stand on a line and are short.
func withNext(text string, s domain.Span) domain.Span {
	for _, next := range prose.Sentences(text) {
		if next.Start < s.End {
			continue
		}
		both := domain.Span{Start: s.Start, End: next.End}
		if both.Len() <= maxQuote && saysSomething(s.Slice(text)) && saysSomething(next.Slice(text)) && !strings.Contains(both.Slice(text), "\n") {
			return both
		}
		break
	}
	return s
}

// saysSomething reports whether a part of a text is a sentence, and neither a heading,
// nor a row of a table, nor the number of an item.
func saysSomething(part string) bool {
	end := strings.TrimRight(part, "\"'”’»)]*_ ")
	last, _ := utf8.DecodeLastRuneInString(end)
	return strings.ContainsRune(".!?…。！？", last) && !strings.Contains(part, " | ") && len(prose.Words(part)) > 1
}

// sharedTerms counts the terms that a part of a text has, each once.
func sharedTerms(part string, terms []string) int {
	own := prose.Terms(part)
	n := 0
	for i, t := range terms {
		if slices.Contains(own, t) && !slices.Contains(terms[:i], t) {
			n++
		}
	}
	return n
}

// shared cuts a sentence at the words that are among the terms. Neighbours are
// marked together.
func shared(sentence string, terms []string) []partial.PieceProps {
	var pieces []partial.PieceProps
	at := 0 // end of the last piece
	add := func(to int, marked bool) {
		if text := (domain.Span{Start: at, End: to}).Slice(sentence); text != "" {
			pieces = append(pieces, partial.PieceProps{Text: text, Marked: marked})
		}
		at = to
	}
	var run domain.Span
	flush := func() {
		if !run.Empty() {
			add(run.Start, false)
			add(run.End, true)
		}
		run = domain.Span{}
	}
	for _, w := range prose.Words(sentence) {
		own := prose.Terms(w.Text)
		switch {
		case len(own) != 1 || !slices.Contains(terms, own[0]):
			flush()
		case run.Empty():
			run = w.Span
		default:
			run.End = w.Span.End
		}
	}
	flush()
	add(domain.Runes(sentence), false)
	return pieces
}
