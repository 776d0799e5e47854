package builtin

import (
	"context"
	"math"
	"regexp"
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

// collapsedWords bounds a collapsed group so that two of them fit into one group.
const collapsedWords = 280

// Map keeps the most representative sentences of a part.
func (x excerpter) Map(_ context.Context, r summarize.MapRequest, _ summarize.Emit) ([]summarize.Sentence, error) {
	var all []summarize.Sentence
	for _, span := range prose.Sentences(r.Text) {
		place := span.Shift(r.Part.Span.Start)
		all = append(all, summarize.Sentence{
			Text: domain.OneLine(span.Slice(r.Text)), Parts: []int{r.Part.N}, Span: &place,
		})
	}
	return excerpt(own(telling(all)), choice{focus: r.Focus, most: mapSentences[r.Length]}), nil
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
	all = own(all)
	if !r.Final {
		return excerpt(all, choice{r.Focus, len(all), collapsedWords, r.DocumentOf}), nil
	}
	lines := excerpt(all, choice{r.Focus, finalSentences[r.Length], 0, r.DocumentOf})
	if r.Write == nil {
		return lines, nil
	}
	for _, line := range lines {
		for word := range strings.FieldsSeq(line.Text) {
			r.Write(word + " ")
			if err := domain.Sleep(ctx, x.pace); err != nil {
				return nil, err
			}
		}
	}
	return lines, nil
}

// boilerplate matches lines that many documents have in common and that say nothing of
// any: rights, licences, disclaimers and the navigation of pages.
var boilerplate = regexp.MustCompile(`(?i)©|\bcopyright\b|\ball rights reserved\b|\balle rechte vorbehalten\b|\btous droits réservés\b|\btodos los derechos reservados\b|\btutti i diritti riservati\b` +
	`|\b(apache|mit|bsd|gnu|creative commons|public) licen[cs]e\b|\b(licensed|distributed|released|redistributed?) under\b|\bgeneral public license\b|\bspdx-` +
	`|\bpermission is (hereby )?granted\b|\bredistributions? (of|in|and)\b|\bwithout (even the implied )?warranty\b|\bwarranties (or|of)\b|\bas[ -]is\b.*\bwarrant|\bproject gutenberg\b` +
	`|\b(skip to|jump to) (main )?(content|navigation)\b|\b(cookie|privacy) (policy|notice|settings)\b|\bterms of (use|service)\b|\bsign (in|up) (to|for)\b|\bsubscribe to our\b` +
	`|\bthis (e-?mail|message) (and any|is) (attachments|confidential|intended)\b|^\W*(page|seite) \d+( (of|von) \d+)?\W*$`)

// own drops boilerplate, unless most lines are boilerplate: then it is what the text is about.
func own(lines []summarize.Sentence) []summarize.Sentence {
	said := slices.DeleteFunc(slices.Clone(lines), func(l summarize.Sentence) bool { return boilerplate.MatchString(l.Text) })
	if 2*len(said) < len(lines) {
		return lines
	}
	return said
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

// choice holds the criteria for choosing excerpts.
type choice struct {
	focus string
	most  int                              // lines
	words int                              // 0 for no limit
	of    func(part int) domain.DocumentID // nil if all lines are from one document
}

// document returns the document of a line.
func (c choice) document(l summarize.Sentence) domain.DocumentID {
	if c.of == nil || len(l.Parts) == 0 {
		return ""
	}
	return c.of(l.Parts[0])
}

// excerpt returns the best lines in order. It skips lines that repeat a chosen one and always keeps one line. A line
// counts less the more lines of its document are chosen: otherwise a large document with many similar lines would
// outweigh all others.
func excerpt(lines []summarize.Sentence, c choice) []summarize.Sentence {
	terms := make([][]string, len(lines))
	for i, l := range lines {
		terms[i] = distinctTerms(l.Text)
	}
	rank := textRank(terms, distinctTerms(c.focus))
	shares := map[domain.DocumentID]float64{}
	worth := func(i int, l summarize.Sentence) float64 {
		share := 1 + shares[c.document(l)]
		return rank[i] / share / share
	}
	var taken []int
	size := 0
	seen := make([]bool, len(lines))
	for len(taken) < c.most && slices.Contains(seen, false) {
		best := -1
		for i, l := range lines {
			if !seen[i] && (best < 0 || worth(i, l) > worth(best, lines[best])) {
				best = i
			}
		}
		seen[best] = true
		n := len(strings.Fields(lines[best].Text))
		if c.words > 0 && len(taken) > 0 && size+n > c.words || repeats(terms, best, taken) {
			continue
		}
		taken, size = append(taken, best), size+n
		shares[c.document(lines[best])]++
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

// The parameters of TextRank: the probability of following an edge instead of
// restarting, and the change at which the walk has converged.
const (
	damping    = 0.85
	converged  = 1e-9
	mostRounds = 200
)

// textRank scores sentences by the stationary distribution of a walk that
// prefers similar sentences (Mihalcea and Tarau, "TextRank", 2004). With a
// focus, the walk restarts at sentences that contain its words. The terms of
// each sentence are distinct and sorted.
func textRank(terms [][]string, focus []string) []float64 {
	n := len(terms)
	weights := make([][]float64, n)
	sums := make([]float64, n)
	for i := range weights {
		weights[i] = make([]float64, n)
	}
	for i := range n {
		for j := range i {
			w := likeness(terms[i], terms[j])
			weights[i][j], weights[j][i] = w, w
			sums[i] += w
			sums[j] += w
		}
	}
	begin := outsets(terms, focus)
	rank := begin
	for range mostRounds {
		next := make([]float64, n)
		idle := 0.0 // mass of sentences unlike all others
		for j := range n {
			if sums[j] == 0 {
				idle += rank[j]
				continue
			}
			for i := range n {
				next[i] += rank[j] * weights[j][i] / sums[j]
			}
		}
		moved := 0.0
		for i := range n {
			next[i] = (1-damping)*begin[i] + damping*(next[i]+idle*begin[i])
			moved += math.Abs(next[i] - rank[i])
		}
		if rank = next; moved < converged {
			break
		}
	}
	return rank
}

// likeness returns the overlap of two sentences, normalised by length.
func likeness(a, b []string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	return float64(commonTerms(a, b)) / (math.Log(float64(len(a))) + math.Log(float64(len(b))))
}

// outsets returns the restart distribution: uniform, or 80 % on sentences with
// words of the focus.
func outsets(terms [][]string, focus []string) []float64 {
	const drawn = 0.8
	out := make([]float64, len(terms))
	total := 0.0
	for i := range terms {
		out[i] = float64(commonTerms(terms[i], focus))
		total += out[i]
	}
	for i := range out {
		even := 1 / float64(len(out))
		if total == 0 {
			out[i] = even
		} else {
			out[i] = drawn*out[i]/total + (1-drawn)*even
		}
	}
	return out
}
