package evaluation

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
)

func printListing(w io.Writer, l Listing) error {
	err := operation.Table("", "The set has no questions yet.", func(q Kept) []any { return []any{q.ID, q.Text, q.expected()} })(w, l.Questions)
	for _, name := range l.Missing {
		fmt.Fprintf(w, "The library has no document %s, which a question expects.\n", name)
	}
	return err
}

// expected describes what is expected of the question's answer.
func (q Question) expected() string {
	var parts []string
	if len(q.Answers) > 0 {
		parts = append(parts, "says "+strings.Join(q.Answers, " or "))
	}
	if len(q.Sources) > 0 {
		parts = append(parts, "needs "+strings.Join(q.Sources, ", "))
	}
	return cmp.Or(strings.Join(parts, "; "), "is to be refused")
}

// columns returns a writer of columns.
func columns(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

func printEvaluation(out io.Writer, e Evaluation) error {
	w := columns(out)
	fmt.Fprintln(w, e.head())
	for _, r := range e.Score.Replies {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", r.N, r.Says(), r.Text, cmp.Or(r.Problem, string(r.Run)))
	}
	fmt.Fprintln(w, e.scored())
	return w.Flush()
}

func (e Evaluation) head() string {
	return fmt.Sprintf("%s\t%s\t%s\t%s", e.ID, e.CreatedAt.Format(time.DateTime), e.Status, e.Setting)
}

// scored returns the score in a line.
func (e Evaluation) scored() string {
	s := e.Score
	line := fmt.Sprintf("recall@5 %.2f, right %d of %d, half %d, wrong %d, refused %d, refused rightly %d of %d", s.Recall, s.Right, s.Known(), s.Half, s.Wrong, s.Refused, s.RefusedRightly, s.ToRefuse)
	if s.Found+s.NotFound > 0 {
		line += fmt.Sprintf(", found %d, not found %d", s.Found, s.NotFound)
	}
	if s.ByHand > 0 {
		line += fmt.Sprintf(", %d by hand", s.ByHand)
	}
	if s.Failed > 0 {
		line += fmt.Sprintf(", failed %d", s.Failed)
	}
	cost := "cost unknown"
	if !s.Unpriced {
		cost = s.Cost.In(e.Currency)
	}
	return line + fmt.Sprintf("; %s, %d tokens, %d ms (p50), %d ms (p95)", cost, s.Tokens, s.P50, s.P95)
}

func printHistory(out io.Writer, all []Evaluation) error {
	w := columns(out)
	if len(all) == 0 {
		fmt.Fprintln(w, "The questions of this set have not been evaluated yet.")
	}
	for i, e := range all {
		fmt.Fprintln(w, e.head())
		if !e.Working() {
			fmt.Fprintln(w, "  "+e.scored())
		}
		if i+1 < len(all) {
			fmt.Fprintln(w, "  changed: "+differences(all[i+1].Differences(e)))
		}
	}
	return w.Flush()
}

func differences(list []Difference) string {
	return cmp.Or(strings.Join(lists.Map(list, Difference.String), ", "), "nothing")
}

func printComparison(out io.Writer, c Comparison) error {
	w := columns(out)
	fmt.Fprintln(w, c.Says(c.A.Currency))
	fmt.Fprintln(w, "A: "+c.A.Setting.String()+"; "+c.A.scored())
	fmt.Fprintln(w, "B: "+c.B.Setting.String()+"; "+c.B.scored())
	fmt.Fprintln(w, "differs: "+differences(c.Differs))
	for _, p := range c.Pairs {
		if p.A.Verdict != p.B.Verdict {
			fmt.Fprintf(w, "%s\t%s\tA: %s (%s)\tB: %s (%s)\n", p.Change, p.Text, p.A.Says(), p.A.Run, p.B.Says(), p.B.Run)
		}
	}
	return w.Flush()
}
