package builtin

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
)

// charter draws counts of the graph, and tables, by rule. Charting numbers from
// sentences takes a model.
type charter struct{}

var _ chart.Specifier = charter{}

// Specify charts all available counts, or else a table.
func (charter) Specify(_ context.Context, r chart.Request, _ chart.Emit) (chart.Specification, error) {
	if len(r.Evidence.Counts) == 0 {
		s, _ := chart.SpecifyTable(r.Task, r.Evidence.Passages)
		return s, nil
	}
	return chart.SpecifyCounts(r.Task, r.Evidence.Counts), nil
}

// charting returns a turn that calls for a chart of counts or of a table, or that
// follows one of counts and describes it.
func charting(r answer.WriteRequest) (answer.Turn, bool) {
	switch {
	case r.Apology != "":
		remarks := []string{r.Apology}
		for _, f := range r.Failed {
			remarks = append(remarks, f.Problem)
		}
		return answer.Turn{Remarks: remarks}, true
	case len(r.Passages) > 0 && !drawsTable(r):
		return answer.Turn{}, false
	case r.Charts && len(r.Messages) == 0:
		arguments, err := json.Marshal(map[string]string{"task": r.Question})
		return answer.Turn{Calls: []answer.ToolCall{{Name: answer.ChartTool, Arguments: string(arguments)}}}, err == nil
	case len(r.Passages) > 0:
		return answer.Turn{Remarks: []string{fmt.Sprintf(answer.InLanguageOf(r.Question, answer.SaysDrawn), tabled(r))}}, true
	}
	return answer.Turn{Remarks: []string{chart.CountsNote(r.Question)}}, true
}

// drawsTable reports whether a question asks for a chart that a table of its passages
// makes.
func drawsTable(r answer.WriteRequest) bool { return tabled(r) != "" }

// tabled returns the name of the document whose table is drawn, "" if none is.
func tabled(r answer.WriteRequest) string {
	if r.Survey != nil || !chart.Requested(r.Question) {
		return ""
	}
	s, ok := chart.SpecifyTable(r.Question, r.Passages)
	if !ok {
		return ""
	}
	return r.Passages[s.Points[0].Passage-1].Name
}

// offers returns sentences that say what can be charted, where that was asked and there
// is nothing to draw.
func offers(r answer.WriteRequest) []string {
	if !chart.Requested(r.Question) || drawsTable(r) {
		return nil
	}
	return []string{chart.CountsHelp(r.Question)}
}
