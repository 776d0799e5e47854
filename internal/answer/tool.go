package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// ChartTool is the name of the tool that draws charts.
const ChartTool = "chart"

// MaxFigures is the most charts in an answer.
const MaxFigures = 4

// maxTask bounds the task of a call, in code points.
const maxTask = 500

// What the messages of the chart tool say to the writer.
const (
	placeholderText = "The chart is being made and will be put where your text stands now. Go on writing; don't wait for it, don't describe how it looks, and don't draw it in text."
	doneText        = "The chart is done and stands where you asked for it."
	failedText      = "The chart could not be made."
)

// chartOffer describes the tool to a model.
var chartOffer = llm.Tool{
	Name: ChartTool,
	Description: "Has a chart drawn of numbers that the passages state, and puts it where your text stands. " +
		"Call it when the question asks for a chart, or when several numbers are compared or change over time, and a picture says more than a sentence. Not for one or two numbers.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"task":{"type":"string",` +
		`"description":"what the chart is to show: which values, of what, over what; with the type of chart if the reader named one"}},` +
		`"required":["task"],"additionalProperties":false}`),
}

// chartCall returns a call of the chart tool.
func chartCall(task string) ToolCall {
	arguments, _ := json.Marshal(map[string]string{"task": task}) // strings always encode
	return ToolCall{Name: ChartTool, Arguments: string(arguments)}
}

// chartTask returns the task of a call, on one line of bounded length. The error
// of a bad call is for the writer to read.
func chartTask(call ToolCall) (string, error) {
	if call.Name != ChartTool {
		return "", errors.New("There is no tool of that name.")
	}
	var arguments struct {
		Task string `json:"task"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil {
		return "", fmt.Errorf("The arguments of %s are not a JSON object with a text named task.", ChartTool)
	}
	task := domain.Cut(oneLine(strings.ToValidUTF8(arguments.Task, "")), maxTask)
	if task == "" {
		return "", fmt.Errorf("The call of %s has no task: say what it is to show.", ChartTool)
	}
	return task, nil
}

// placeholder answers a call before its work begins.
func placeholder(f domain.Figure) Message {
	f.Status = domain.FigurePending
	return figureMessage(f, placeholderText)
}

// settled replaces the placeholder of a figure.
func settled(f domain.Figure) Message {
	if f.Status == domain.FigureFailed {
		return figureMessage(f, failedText)
	}
	return figureMessage(f, doneText)
}

func figureMessage(f domain.Figure, content string) Message {
	return Message{
		ID: "tool-" + f.ID, From: FromTool, ToolCallID: f.ID, Name: ChartTool,
		Status: f.Status, Content: content, Artifact: &Artifact{f},
	}
}

// refused answers a call that can't be followed.
func refused(call ToolCall, why string) Message {
	return Message{
		ID: "tool-" + call.ID, From: FromTool, ToolCallID: call.ID, Name: call.Name, Status: domain.FigureFailed,
		Content: why + " Go on in words.",
	}
}
