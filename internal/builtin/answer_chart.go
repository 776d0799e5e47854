package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
)

// charter draws counts of the graph, and tables, by rule. Charting numbers from
// sentences takes a model.
type charter struct{}

var _ chart.Specifier = charter{}

// Specify charts all available counts, or else a table.
func (charter) Specify(_ context.Context, r chart.Request, _ chart.Emit) (chart.Specification, error) {
	if len(r.Evidence.Counts) == 0 {
		s, _ := specifyTable(r.Task, r.Evidence.Passages)
		return s, nil
	}
	return chart.SpecifyCounts(r.Task, r.Evidence.Counts), nil
}

// charting returns a turn that calls for a chart of counts or of a table, or that
// follows one of counts and describes it.
func charting(r answer.WriteRequest) (answer.Turn, bool) {
	drawn := tabled(r)
	switch {
	case r.Apology != "":
		remarks := []string{r.Apology}
		for _, f := range r.Failed {
			remarks = append(remarks, f.Problem)
		}
		return answer.Turn{Remarks: remarks}, true
	case len(r.Passages) > 0 && drawn == "":
		return answer.Turn{}, false
	case r.Charts && len(r.Messages) == 0:
		arguments, err := json.Marshal(map[string]string{"task": r.Question})
		return answer.Turn{Calls: []answer.ToolCall{{Name: answer.ChartTool, Arguments: string(arguments)}}}, err == nil
	case len(r.Passages) > 0:
		return answer.Turn{Remarks: []string{fmt.Sprintf(answer.InLanguageOf(r.Question, answer.SaysDrawn), drawn)}}, true
	}
	return answer.Turn{Remarks: []string{chart.CountsNote(r.Question)}}, true
}

// tabled returns the name of the document whose table makes the chart that a question asks for, or "" if there is none.
func tabled(r answer.WriteRequest) string {
	if r.Survey != nil || !chart.Requested(r.Question) {
		return ""
	}
	s, ok := specifyTable(r.Question, r.Passages)
	if !ok {
		return ""
	}
	return r.Passages[s.Points[0].Passage-1].Name
}

// offers returns sentences that say what can be charted, if a chart was requested that is not drawn and no passage names one.
func offers(r answer.WriteRequest) []string {
	if !chart.Requested(r.Question) || slices.ContainsFunc(r.Passages, func(p domain.Passage) bool { return chart.Shown(r.Question, p.Text) }) {
		return nil
	}
	return []string{chart.CountsHelp(r.Question)}
}

// drawable is a column of a table that a task may ask to draw.
type drawable struct {
	spec  chart.Specification
	by    map[int]bool // terms of the task in its head
	worth int

	hasNames bool // its table has all names of the task
}

// specifyTable draws the column of a table in the passages that a task names, over the first column: the one whose head has most
// words of the task. Columns of the same table that have other words of it become further series. It returns false if no table has
// such a column, nor only one that could be drawn and words of the task besides.
func specifyTable(task string, passages []domain.Passage) (chart.Specification, bool) {
	best, others := mostDrawable(task, passages)
	if best.worth == 0 {
		return chart.Specification{}, false
	}
	best.spec.Type = string(chart.TypeOf(task))
	if all := withSeries(best, others); len(all.Points) > len(best.spec.Points) {
		if _, mistakes := chart.Validate(all, chart.Evidence{Passages: passages}); len(mistakes) == 0 {
			return all, true
		}
	}
	return best.spec, true
}

// mostDrawable returns the column that a task asks for most, with all of its table. It is worth nothing if there is none.
func mostDrawable(task string, passages []domain.Passage) (best drawable, ofTable []drawable) {
	q := readTableQuestion(readAsked(task))
	for i, p := range passages {
		for _, g := range joinTables([]domain.Passage{p}) {
			columns := q.drawables(g, i+1)
			if len(columns) == 0 {
				continue
			}
			most := slices.MaxFunc(columns, func(a, b drawable) int { return cmp.Compare(a.worth, b.worth) })
			if most.worth > best.worth && (len(most.by) > 0 || most.worth > 1 || len(g.Head) == 2) {
				best, ofTable = most, columns
			}
		}
	}
	return best, ofTable
}

// drawnFrom returns the index of the passage whose table a question asks to draw by the head of a column, or -1. The table has all
// names of the question.
func drawnFrom(question string, passages []domain.Passage) int {
	if !chart.Requested(question) {
		return -1
	}
	best, _ := mostDrawable(question, passages)
	if len(best.by) == 0 || !best.hasNames {
		return -1
	}
	return best.spec.Points[0].Passage - 1
}

// drawables returns the columns of a table that can be drawn, from the passage with a number. It returns none if the task names
// only a column that can't be.
func (q *tableQuestion) drawables(g *grid, passage int) (all []drawable) {
	about, asked, asksOther := 0, false, false
	m, hasNames := q.match(g), true
	for i := range g.columns {
		m.explainHead(q, g, i)
	}
	for i, t := range q.terms {
		hasNames = hasNames && (!t.named || m.terms[i] || t.token == 0) // "Chart" comes first, so it has a capital
	}
	for _, t := range q.terms {
		if g.columns[0].names(t) {
			about += 2
		}
		if g.about[t.stem] {
			about++
		}
	}
	for i := 1; i < len(g.Head); i++ {
		d := drawable{spec: g.Chart(i, passage), by: map[int]bool{}, worth: about, hasNames: hasNames}
		for at, t := range q.terms {
			if g.columns[i].names(t) {
				d.by[at] = true
				d.worth += 4
			}
		}
		if len(d.spec.Points) < 2 {
			asksOther = asksOther || len(d.by) > 0
			continue
		}
		asked = asked || len(d.by) > 0
		if slices.ContainsFunc(q.measures, func(of string) bool { return g.columns[i].measure[of] }) {
			d.worth += 3
		}
		all = append(all, d)
	}
	if asksOther && !asked {
		return nil
	}
	return all
}

// withSeries returns a column with those whose heads have other words of the task, each as a series.
func withSeries(first drawable, columns []drawable) chart.Specification {
	s, named := first.spec, first.spec.Points[:0:0]
	said := first.by
	for _, d := range columns {
		isFirst := d.spec.Y == first.spec.Y
		apart := len(said) > 0 && len(d.by) > 0
		for at := range d.by {
			apart = apart && !said[at]
		}
		if !isFirst && !apart {
			continue
		}
		for _, p := range d.spec.Points {
			p.Series = d.spec.Y
			named = append(named, p)
		}
		if !isFirst {
			s.Title += ", " + d.spec.Title
			s.Y = ""
		}
	}
	s.Points = named
	return s
}
