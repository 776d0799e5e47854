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

// Summarising returns a summariser that works without a model: it keeps the
// sentences most similar to the others, whole and in order, each with its place
// in the document. It is deterministic. It pauses for pace between the words of
// the final summary; 0 means no pause.
func Summarising(pace time.Duration) summarize.Summariser { return excerpter{pace} }

type excerpter struct{ pace time.Duration }

var _ summarize.Summariser = excerpter{}

// The number of sentences kept of a part, and in the final summary.
var (
	mapSentences   = map[summarize.Length]int{summarize.Short: 2, summarize.Medium: 4, summarize.Long: 6}
	finalSentences = map[summarize.Length]int{summarize.Short: 3, summarize.Medium: 7, summarize.Long: 16}
)

// collapsedWords bounds a collapsed group, so that two of them fit into one
// group.
const collapsedWords = 280

// Map keeps the most representative sentences of a part.
func (x excerpter) Map(_ context.Context, r summarize.MapRequest, _ summarize.Emit) ([]summarize.Sentence, error) {
	var all []summarize.Sentence
	for _, span := range prose.Sentences(r.Text) {
		place := span.Shift(r.Part.Span.Start)
		all = append(all, summarize.Sentence{
			Text: strings.Join(strings.Fields(span.Slice(r.Text)), " "), Parts: []int{r.Part.N}, Span: &place,
		})
	}
	return excerpt(telling(all), r.Focus, mapSentences[r.Length], 0), nil
}

// Reduce keeps the most representative lines of the summaries.
func (x excerpter) Reduce(ctx context.Context, r summarize.ReduceRequest, _ summarize.Emit) ([]summarize.Sentence, error) {
	var all []summarize.Sentence
	for _, s := range r.Summaries {
		for _, line := range s.Sentences {
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

// telling drops lines that are not sentences, such as headings and table rows,
// unless there are no others.
func telling(lines []summarize.Sentence) []summarize.Sentence {
	const fewest = 4 // words
	said := slices.DeleteFunc(slices.Clone(lines), func(l summarize.Sentence) bool {
		return len(strings.Fields(l.Text)) < fewest || !strings.ContainsAny(lastRunes(l.Text, 3), ".!?…。！？")
	})
	if len(said) == 0 {
		return lines
	}
	return said
}

// lastRunes returns the last characters of a text, where an end mark may
// precede a quotation mark or a bracket.
func lastRunes(text string, n int) string {
	length := domain.Runes(text)
	return domain.Span{Start: max(0, length-n), End: length}.Slice(text)
}

// excerpt returns the best lines in order: at most most lines and, unless words
// is 0, that many words. It skips lines that repeat a chosen one and always
// keeps one line.
func excerpt(lines []summarize.Sentence, focus string, most, words int) []summarize.Sentence {
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
	out := make([]summarize.Sentence, len(taken))
	for j, i := range taken {
		out[j] = lines[i]
	}
	return out
}

// repeats reports whether most terms of a line are in a chosen one.
func repeats(terms [][]string, i int, taken []int) bool {
	return slices.ContainsFunc(taken, func(j int) bool {
		common := commonTerms(terms[i], terms[j])
		return common > 0 && 5*common >= 4*min(len(terms[i]), len(terms[j]))
	})
}

// distinctTerms returns the sorted, distinct terms of a text.
func distinctTerms(text string) []string {
	terms := prose.Terms(text)
	slices.Sort(terms)
	return slices.Compact(terms)
}

// commonTerms counts the common elements of two sorted lists.
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
