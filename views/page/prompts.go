package page

import (
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/worddiff"
)

// PromptsProps fill the list of prompts.
type PromptsProps struct {
	App     layout.Props
	Prompts []PromptLine
}

// A PromptLine is the prompt of a role.
type PromptLine struct {
	Role, About string
	Edited      bool
	Version     domain.PromptVersion
}

// PromptProps fill the editor of a prompt.
type PromptProps struct {
	App         layout.Props
	Role, About string
	Parts       []PromptPart
	Versions    []domain.PromptVersion // the last first
	Current     domain.PromptVersion
	Edited      bool // Current is not the built-in text

	Text    string // in the form
	Note    string
	Base    int    // the version that was edited
	Problem string // why the text was refused; "" when it was not

	From, To int // versions whose difference is shown
	Diff     []worddiff.Part

	CanTry bool
	Words  string // to try the prompt with
	Trial  *Trial
}

// A PromptPart is a template of a prompt.
type PromptPart struct {
	Name, About string
	Variables   []PromptVariable
}

// A PromptVariable is something that a template can say.
type PromptVariable struct {
	Use             string // {{.Text}}
	About           string
	Needed, Outside bool
}

// A Trial shows a draft beside the text in force.
type Trial struct {
	Model   string // "" if there is none
	Passage string // title of the document that was found
	Sides   []TrialSide
}

// A TrialSide is the outcome of one of the texts.
type TrialSide struct {
	Name    string
	Problem string
	Calls   []TrialCall
}

// A TrialCall is a call of a model.
type TrialCall struct {
	Messages      []TrialMessage
	Form          string // the tool or schema asked for, if any
	Answer        string
	Input, Output int // tokens
	Recorded      bool
}

// A TrialMessage is a message of a call.
type TrialMessage struct{ Role, Text string }

func (l PromptLine) state() string {
	if !l.Edited {
		return "built-in"
	}
	return "edited, " + versionOf(l.Version)
}

// versionOf describes a version in a line.
func versionOf(v domain.PromptVersion) string {
	if v.Number == 0 {
		return "version 0"
	}
	words := []string{"version " + strconv.Itoa(v.Number), format.Moment(v.At)}
	if v.Who != "" {
		words = append(words, "by "+v.Who)
	}
	return strings.Join(words, ", ")
}

// rows returns the height of the editor in lines.
func (p PromptProps) rows() string {
	return strconv.Itoa(min(max(strings.Count(p.Text, "\n")+2, 16), 40))
}

func (p PromptProps) described() string {
	if p.Problem != "" {
		return "prompt-problem prompt-help"
	}
	return "prompt-help"
}

func (c TrialCall) tokens() string {
	text := format.Count(c.Input, "token", "tokens") + " sent, " + format.Int(c.Output) + " received"
	if c.Recorded {
		text += " (recorded before: it cost nothing)"
	}
	return text
}

func diffMark(k worddiff.Kind) string {
	return map[worddiff.Kind]string{worddiff.Gone: "−", worddiff.New: "+"}[k]
}

// diffLines returns the lines of a part to show. Of a long part that stayed, the
// first and the last lines are enough.
func diffLines(p worddiff.Part) []string {
	lines := strings.Split(p.Text, "\n")
	if around := 3; p.Kind == worddiff.Same && len(lines) > 2*around+1 {
		return append(append(lines[:around:around], "…"), lines[len(lines)-around:]...)
	}
	return lines
}
