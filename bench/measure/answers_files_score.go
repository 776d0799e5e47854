package measure

import (
	"slices"
	"strings"
)

// FileVerdict says how a question about files was answered.
type FileVerdict string

// The verdicts. An answer is right if it begins with the expected yes or no, and
// contains one of the expected texts, and cites the expected file; whatever
// answers an unanswerable question is wrong. Quotations claim nothing: they show the
// expected text or not, at best in the first of them.
const (
	Right          FileVerdict = "right"
	Wrong          FileVerdict = "wrong"
	FalselyRefused FileVerdict = "falsely refused"
	RightlyRefused FileVerdict = "rightly refused"

	First    FileVerdict = "quoted first"
	Shown    FileVerdict = "quoted after others"
	NotShown FileVerdict = "not quoted"
	Quoted   FileVerdict = "quoted all the same" // of an unanswerable question
)

// FileVerdicts returns all verdicts, best first.
func FileVerdicts() []FileVerdict {
	return []FileVerdict{Right, First, Shown, NotShown, Wrong, FalselyRefused, Quoted, RightlyRefused}
}

// FileReply is the reply to one question about files.
type FileReply struct {
	FileQuestion
	Judged FileVerdict `json:"judged"`
	Reply  Reply       `json:"reply"`
}

// FileKind counts the verdicts on questions of one kind.
type FileKind struct {
	Kind      string              `json:"kind"`
	Questions int                 `json:"questions"`
	Verdicts  map[FileVerdict]int `json:"verdicts"`
}

// FileScore counts how the questions about files were answered.
type FileScore struct {
	Half      string      `json:"half"`
	Documents int         `json:"documents"`
	Missing   []string    `json:"missing"` // documents that were left out, and why
	Skipped   int         `json:"skipped"` // questions that need them
	Kinds     []FileKind  `json:"kinds"`   // by name; the last is all answerable ones, then the unanswerable
	Replies   []FileReply `json:"replies"`

	Orders []OrderScore `json:"orders"`
}

// add judges a reply and counts it.
func (s *FileScore) add(q FileQuestion, r Reply) {
	v := q.judge(r)
	s.Replies = append(s.Replies, FileReply{q, v, r})
	s.count(q.Kind, v)
	if q.Kind != unanswerable {
		s.count("all answerable", v)
	}
}

func (s *FileScore) count(kind string, v FileVerdict) {
	i := slices.IndexFunc(s.Kinds, func(k FileKind) bool { return k.Kind == kind })
	if i < 0 {
		s.Kinds = append(s.Kinds, FileKind{Kind: kind, Verdicts: map[FileVerdict]int{}})
		slices.SortFunc(s.Kinds, func(a, b FileKind) int { return strings.Compare(kindOrder(a.Kind), kindOrder(b.Kind)) })
		i = slices.IndexFunc(s.Kinds, func(k FileKind) bool { return k.Kind == kind })
	}
	s.Kinds[i].Questions++
	s.Kinds[i].Verdicts[v]++
}

// kindOrder sorts the sums behind the kinds.
func kindOrder(kind string) string {
	switch kind {
	case "all answerable":
		return "~1"
	case unanswerable:
		return "~2"
	}
	return kind
}

// judge returns the verdict on a reply.
func (q FileQuestion) judge(r Reply) FileVerdict {
	switch {
	case !r.Answered && q.Kind == unanswerable:
		return RightlyRefused
	case !r.Answered:
		return FalselyRefused
	case q.Begins && len(r.Quotes) > 0 && r.Quotes[0].Cited == q.Source && (q.begins(r.Quotes[0].Text) || q.begins(r.Answer)):
		return First
	case len(r.Quotes) > 0:
		return q.judgeQuotes(r.Quotes)
	case q.Kind == unanswerable || !q.fits(r):
		return Wrong
	}
	return Right
}

func (q FileQuestion) judgeQuotes(quotes []Quote) FileVerdict {
	if q.Kind == unanswerable {
		return Quoted
	}
	at := slices.IndexFunc(quotes, func(c Quote) bool { return c.Cited == q.Source && q.holds(oneSpace(c.Text)) })
	switch {
	case at < 0:
		return NotShown
	case at == 0 && !q.Begins:
		return First
	}
	return Shown
}

// begins reports whether a text begins with one of the expected ones, as a whole word.
func (q FileQuestion) begins(said string) bool {
	return slices.ContainsFunc(q.Expected, func(e string) bool {
		rest, ok := strings.CutPrefix(oneSpace(said), oneSpace(e))
		return ok && !strings.ContainsAny(rest[:min(len(rest), 1)], "0123456789.,") || ok && strings.HasPrefix(rest, ". ")
	})
}

// holds reports whether a text contains one of the expected ones.
func (q FileQuestion) holds(said string) bool {
	return len(q.Expected) == 0 || slices.ContainsFunc(q.Expected, func(e string) bool { return strings.Contains(said, oneSpace(e)) })
}

func (q FileQuestion) fits(r Reply) bool {
	said := oneSpace(r.Answer)
	if q.Verdict != "" && verdictOf(said) != q.Verdict {
		return false
	}
	return slices.Contains(r.Cited, q.Source) && q.holds(said)
}

func oneSpace(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// verdictOf returns the yes or no with which a text begins, or "".
func verdictOf(text string) string {
	first, _, _ := strings.Cut(text, " ")
	first = strings.TrimRight(first, ".,:;!")
	if first == "yes" || first == "no" {
		return first
	}
	return ""
}
