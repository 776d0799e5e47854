package questions

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/facts"
)

// Rest returns the part of an answer that has not been shown yet. If checking changed what was shown, it returns the whole
// answer.
func Rest(said, answer string) string {
	if rest, ok := strings.CutPrefix(answer, said); ok {
		return rest
	}
	if Unmarked(said) == Unmarked(answer) { // the marks were added after it was written
		return ""
	}
	return "\n\nChecked, the answer is:\n\n" + answer
}

// mark is a mark of a citation.
var mark = regexp.MustCompile(`\s*\[\d{1,3}\]`)

// Unmarked returns a text without marks, each run of white space as one space.
func Unmarked(text string) string {
	return domain.OneLine(mark.ReplaceAllString(text, ""))
}

// Print prints the answer with its sources.
func (r Reply) Print(w io.Writer) error { return r.PrintAfter(w, "") }

// PrintAfter prints what is missing of the answer after the words of it that were shown, then its sources, its charts, and
// what came close to an answer. If the words were shown without marks, it names the sentences of each source.
func (r Reply) PrintAfter(w io.Writer, said string) error {
	const fromWeb = "From the web, not from the library:"
	if r.Web && said == "" {
		fmt.Fprintln(w, fromWeb)
	}
	if _, err := fmt.Fprintln(w, Rest(said, r.Answer)); err != nil {
		return err
	}
	if r.Web && said != "" {
		fmt.Fprintln(w, fromWeb)
	}
	unmarked := said != "" && !strings.HasPrefix(r.Answer, said) && strings.TrimSpace(said) != r.Answer && Unmarked(said) == Unmarked(r.Answer)
	for _, c := range r.Citations {
		sentences := ""
		if unmarked {
			sentences = r.citing(c.N)
		}
		fmt.Fprintf(w, "  [%d] %s%s: “%s”%s\n", c.N, c.Where(), cmp.Or(ofWeb(c.Web), origin(c.Facts)), domain.OneLine(c.Text), sentences)
	}
	for _, p := range r.Pictures {
		fmt.Fprintf(w, "  picture beside [%d], %s: %s %s\n", p.N, domain.Where(p.Document, p.Page, ""), domain.OneLine(p.Title()), p.Address)
	}
	for _, s := range r.Sentences {
		if !s.Supported && s.Reason != "" {
			fmt.Fprintf(w, "  no passage supports: “%s” (%s)\n", s.Text, s.Reason)
		}
	}
	for _, f := range r.Figures {
		printFigure(w, f)
	}
	for _, p := range r.Passages {
		fmt.Fprintf(w, "  %s  %s: “%s” (%s)\n", p.Grade, domain.Where(p.Document, p.Page, p.Place), domain.Cut(domain.OneLine(p.Text), maxPrinted), p.Reason)
	}
	if r.Cost != "" {
		fmt.Fprintf(w, "  %s\n", r.Cost)
	}
	if len(r.Closest) > 0 {
		fmt.Fprintln(w, "Closest:")
	}
	for _, c := range r.Closest {
		fmt.Fprintf(w, "  %s: “%s” (%s)\n", c.Document, c.Text, c.Reason)
	}
	return nil
}

// maxPrinted is how much of a passage is printed, in code points.
const maxPrinted = 400

// citing names the sentences of the answer that cite a source.
func (r Reply) citing(n int) string {
	var sentences []string
	for i, s := range r.Sentences {
		if slices.Contains(s.Citations, n) {
			sentences = append(sentences, strconv.Itoa(i+1))
		}
	}
	if len(sentences) == 1 {
		return ", for sentence " + sentences[0]
	}
	return ", for sentences " + strings.Join(sentences, ", ")
}

// origin returns who wrote a cited document, when, and where it is, to be printed after its place, in English as all that is printed.
func origin(f domain.Facts) string {
	words := slices.DeleteFunc([]string{facts.Origin(context.Background(), f), f.Link}, func(w string) bool { return w == "" })
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// ofWeb returns where on the web something was read, and when, to be printed after its title, or "" for the library.
func ofWeb(p domain.WebPage) string {
	if p.Address == "" {
		return ""
	}
	return " (from the web, " + p.Address + ", " + p.Fetched.UTC().Format(time.DateOnly) + ")"
}

// Closest is a passage that came close where no answer was found.
type Closest struct {
	Document string `json:"document"`
	Text     string `json:"text"`
	Reason   string `json:"reason"` // why it is not an answer
}

// closest returns the passages that came close where a model found no answer.
func (a Asker) closest(ctx context.Context, m ledger.Answer, view *trace.View) (list []Closest, err error) {
	found := report.FoundFor(m, view)
	if found == nil || found.Quoted && len(found.Words) == 0 || len(found.Closest) == 0 {
		return nil, nil
	}
	sources, err := report.ReadSources(ctx, a.Ledger, m.Workspace, found)
	if err != nil {
		return nil, err
	}
	sources.Excerpts(ctx, found, m.Question, m.Citations)
	for _, n := range found.Closest {
		list = append(list, Closest{n.Name, n.Sentence(), cmp.Or(n.Reason, n.Said)})
	}
	return list, nil
}

// PrintAsked prints the question of a run to a person, and how to continue it.
func PrintAsked(w io.Writer, id domain.RunID, asked answer.Asking) {
	if asked.Summaries != nil {
		fmt.Fprintf(w, "Waiting for you. The summary will be made of this draft:\n")
		for _, text := range asked.Summaries {
			fmt.Fprintf(w, "\n%s\n", text)
		}
		fmt.Fprintf(w, "\nGo on with\n  clew run continue %s [--text TEXT]\n", id)
		return
	}
	fmt.Fprintln(w, "Waiting for you. These passages were found:")
	for _, g := range asked.Passages {
		fmt.Fprintf(w, "  %s  %s  %s: %s\n", g.Chunk, g.Said(), domain.Where(g.Name, g.Page, g.Place), g.Reason)
	}
	fmt.Fprintf(w, "Go on with\n  clew run continue %s [--drop PASSAGE] [--add PASSAGE]\n", id)
	if asked.Hints {
		fmt.Fprintf(w, "  clew run continue %s --hint WORDS\n", id)
	}
}

// printFigure prints a chart as a table with one row per point, followed by the
// sources of its numbers.
func printFigure(w io.Writer, f domain.Figure) {
	if f.Chart == nil {
		fmt.Fprintf(w, "\nNo chart of %q: %s\n", f.Task, f.Problem)
		return
	}
	c := f.Chart
	fmt.Fprintf(w, "\n%s\n", c.Title)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range c.Series {
		for _, p := range s.Points {
			fmt.Fprintf(table, "  %s\n", strings.Join(figureRow(c, s, p), "\t"))
		}
	}
	_ = table.Flush() // errors would have shown up earlier
	for _, cited := range c.Citations {
		fmt.Fprintf(w, "  [%d] %s%s: “%s”\n", cited.N, cited.Where(), ofWeb(cited.Web), domain.OneLine(cited.Text))
	}
}

// figureRow returns the cells of a point: series, category, value and source.
func figureRow(c *domain.Chart, s domain.Series, p domain.Point) []string {
	var row []string
	if len(c.Series) > 1 {
		row = append(row, s.Name)
	}
	if c.Type == domain.ChartScatter {
		row = append(row, inDigits(p.X))
	} else {
		row = append(row, c.Categories[p.Category])
	}
	value := inDigits(p.Value)
	if c.Unit != "" {
		value += " " + c.Unit
	}
	source := "counted in the graph"
	if p.Count == nil {
		source = fmt.Sprintf("[%d]", p.Citation)
	}
	return append(row, value, source)
}

func inDigits(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
