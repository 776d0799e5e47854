package builtin

import (
	"context"
	"encoding/json"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
)

// charter draws counts of the graph by rule. Charting numbers from texts takes
// a model.
type charter struct{}

var (
	_ chart.Specifier = charter{}
	_ answer.Counting = charter{}
)

// Specify charts all available counts.
func (charter) Specify(_ context.Context, r chart.Request, _ chart.Emit) (chart.Specification, error) {
	return chart.SpecifyCounts(r.Task, r.Evidence.Counts), nil
}

// Counts reports whether a question asks for a chart of counts.
func (charter) Counts(question string) bool { return chart.CountsRequested(question) }

// charting returns a turn that calls for a chart of counts, or that follows one
// and describes it.
func charting(r answer.WriteRequest) (answer.Turn, bool) {
	switch {
	case r.Apology != "":
		remarks := []string{r.Apology}
		for _, f := range r.Failed {
			remarks = append(remarks, f.Problem)
		}
		return answer.Turn{Remarks: remarks}, true
	case len(r.Passages) > 0:
		return answer.Turn{}, false
	case r.Charts && len(r.Messages) == 0:
		arguments, err := json.Marshal(map[string]string{"task": r.Question})
		return answer.Turn{Calls: []answer.ToolCall{{Name: answer.ChartTool, Arguments: string(arguments)}}}, err == nil
	}
	return answer.Turn{Remarks: []string{chart.CountsNote(r.Question)}}, true
}

// offers returns sentences that say what can be charted.
func offers(r answer.WriteRequest) []string {
	if !chart.Requested(r.Question) {
		return nil
	}
	return []string{chart.CountsHelp(r.Question)}
}
