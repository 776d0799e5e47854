package builtin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/summarize"
)

// Summarising summarises without a model: it takes over the sentences that
// most of the others have most in common with, whole, in their order, each with
// its place in the document. The same text always gets the same summary. Pace
// is the pause between the words of the final one as it is shown; 0 for none.
func Summarising(pace time.Duration) summarize.Summariser { return excerpter{pace} }

type excerpter struct{ pace time.Duration }

var _ summarize.Summariser = excerpter{}

// How many sentences are taken over: of a part, and into the final summary.
var (
	mapSentences   = map[summarize.Length]int{summarize.Short: 2, summarize.Medium: 4, summarize.Long: 6}
	finalSentences = map[summarize.Length]int{summarize.Short: 3, summarize.Medium: 7, summarize.Long: 16}
)

// collapsedWords bounds what a group of summaries is cut down to: two of them
// fit into one group again.
const collapsedWords = 280

// Map takes over the sentences of a part that say most of it.
func (x excerpter) Map(_ context.Context, r summarize.MapRequest, _ summarize.Emit) ([]summarize.Line, error) {
	var all []summarize.Line
	for _, span := range prose.Sentences(r.Text) {
		place := span.Shift(r.Part.Span.Start)
		all = append(all, summarize.Line{
			Text: strings.Join(strings.Fields(span.Slice(r.Text)), " "), Parts: []int{r.Part.N}, Span: &place,
		})
	}
	return excerpt(telling(all), r.Focus, mapSentences[r.Length], 0), nil
}

// Reduce takes over the lines that say most of what the summaries say.
func (x excerpter) Reduce(ctx context.Context, r summarize.ReduceRequest, _ summarize.Emit) ([]summarize.Line, error) {
	var all []summarize.Line
	for _, s := range r.Summaries {
		for _, line := range s.Lines {
			line.Paragraph = 0
			all = append(all, line)
		}
	}
	if !r.Final {
		return excerpt(all, r.Focus, len(all), collapsedWords), nil
	}
	lines := excerpt(all, r.Focus, finalSentences[r.Length], 0)
	if r.Write == nil {
		return lines, nil
	}
	for _, line := range lines {
		for word := range strings.FieldsSeq(line.Text) {
			r.Write(word + " ")
			if err := pause(ctx, x.pace); err != nil {
				return nil, err
			}
		}
	}
	return lines, nil
}

// telling leaves out lines that are no sentence, such as headings and rows of
// tables, unless there are no others.
func telling(lines []summarize.Line) []summarize.Line {
	const fewest = 4 // words
	said := slices.DeleteFunc(slices.Clone(lines), func(l summarize.Line) bool {
		return len(strings.Fields(l.Text)) < fewest || !strings.ContainsAny(lastRunes(l.Text, 3), ".!?…。！？")
	})
	if len(said) == 0 {
		return lines
	}
	return said
}

// lastRunes are the last characters of a text: its end mark may stand before
// a quotation mark or a bracket.
func lastRunes(text string, n int) string {
	length := domain.Runes(text)
	return domain.Span{Start: max(0, length-n), End: length}.Slice(text)
}

// excerpt is the best lines in their order: so many at most, of so many words
// together, where that is not 0. A line that repeats one already taken is left
// out. One line is always taken.
func excerpt(lines []summarize.Line, focus string, most, words int) []summarize.Line {
	terms := make([][]string, len(lines))
	for i, l := range lines {
		terms[i] = distinctTerms(l.Text)
	}
	rank := textRank(terms, distinctTerms(focus))
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case rank[a] > rank[b]:
			return -1
		case rank[a] < rank[b]:
			return 1
		}
		return a - b
	})
	var taken []int
	size := 0
	for _, i := range order {
		if len(taken) == most {
			break
		}
		n := len(strings.Fields(lines[i].Text))
		if words > 0 && len(taken) > 0 && size+n > words || repeats(terms, i, taken) {
			continue
		}
		taken, size = append(taken, i), size+n
	}
	slices.Sort(taken)
	out := make([]summarize.Line, len(taken))
	for j, i := range taken {
		out[j] = lines[i]
	}
	return out
}

// repeats reports whether most terms of a line are among those of one taken.
func repeats(terms [][]string, i int, taken []int) bool {
	return slices.ContainsFunc(taken, func(j int) bool {
		common := commonTerms(terms[i], terms[j])
		return common > 0 && 5*common >= 4*min(len(terms[i]), len(terms[j]))
	})
}

// distinctTerms are the terms of a text, each once, sorted.
func distinctTerms(text string) []string {
	terms := prose.Terms(text)
	slices.Sort(terms)
	return slices.Compact(terms)
}

// commonTerms counts what two sorted lists have in common.
func commonTerms(a, b []string) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch strings.Compare(a[i], b[j]) {
		case -1:
			i++
		case 1:
			j++
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}
