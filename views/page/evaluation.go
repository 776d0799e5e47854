package page

import (
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// EvaluationProps show how well a person's own questions are answered.
type EvaluationProps struct {
	App       layout.Props
	Set       domain.SetID
	Sets      []Option // includes deleted ones that have evaluations
	Gone      bool     // the set was deleted
	Questions int      // of the set
	ToRefuse  int      // how many of them
	Form      SettingForm
	Working   []AtWork
	Lines     []EvaluationLine // newest first
	Compared  *ComparedProps   // nil until two have ended
	History   []HistoryPoint   // oldest first
}

// SettingForm is the form of an evaluation's setting.
type SettingForm struct {
	Methods  []Option
	Models   []Option
	Method   string
	Model    string
	Loops    string
	Passages string
	Together string // passages graded in one call
	Order    string // first passages that are ranked
	Steps    bool   // questions may be split
	BuiltIn  bool   // there is no model for these three
	Estimate string // about the cost and the time; "" if nothing is known
	Problem  string
}

// stepChoices lists what the model may do with a question.
var stepChoices = []Option{{Value: "no", Says: "as they are"}, {Value: "yes", Says: "in steps"}}

func (f SettingForm) steps() string {
	if f.Steps {
		return "yes"
	}
	return "no"
}

// An Option is a line of a choice.
type Option struct{ Value, Says string }

// AtWork is an evaluation in progress.
type AtWork struct {
	ID         domain.EvaluationID
	Setting    string
	Asked, All int
	Waits      string // why it makes no progress; "" if it does
}

// EvaluationLine is an evaluation in the list.
type EvaluationLine struct {
	ID       domain.EvaluationID
	At       time.Time
	Setting  string
	Model    string
	Status   string
	Changed  []string // since the previous one
	Against  string   // address of the comparison with the previous one; "" if there is none
	Asked    int
	ByHand   int // verdicts by a person
	Recall   string
	Right    string
	Wrong    string
	Refused  string
	Rightly  string // correctly refused
	Cost     string
	Tokens   int
	P50, P95 string
}

// ComparedProps are two evaluations side by side.
type ComparedProps struct {
	A, B         string // ids
	Choices      []Option
	ASaid, BSaid string
	Differs      []string
	Says         string
	Metrics      []MetricLine
	Alone        int // questions that only one of them has asked
	Tabs         []CountTab
	Words        string
	Tab          string
	Back         string // address of the page
	Pairs        []PairLine
	Pager        Pager
}

// MetricLine is a figure of two evaluations.
type MetricLine struct {
	Name     string
	A, B     string
	Change   string  // from A to B
	From, To float64 // places of A and B on the line, from 0 to 1
	Tells    string  // how many questions changed; "" if the figure has none
	URL      string  // of them
}

// CountTab leads to a part of a list of questions.
type CountTab struct {
	Name, URL string
	Count     int
	Current   bool
}

// PairLine is a question with two replies.
type PairLine struct {
	Question string
	Expected string
	URL      string // of both runs side by side
	A, B     ReplySide
	Change   string
}

// ReplySide is a reply in a table.
type ReplySide struct {
	Verdict string
	ByRule  string   // verdict of the rules, if a person's overrides it
	Judge   string   // address that a verdict by hand is posted to; "" until there is an answer
	ByHand  []string // verdicts that a person can give
	Back    string   // page to return to afterwards
	Ranks   string
	Time    string
	Cost    string
	URL     string // of its run; "" until there is one
}

// HistoryPoint is an evaluation in the drawing of all. The shares are percentages.
type HistoryPoint struct {
	At                     time.Time
	URL                    string
	Recall, Right, Refused int
	Changed                string
}

func (p EvaluationProps) set(ctx context.Context) string {
	if p.Gone {
		return lang.T(ctx, "The set was deleted. Its evaluations stay.")
	}
	said := lang.Count(ctx, p.Questions, "question", "questions")
	if p.ToRefuse > 0 {
		said += lang.F(ctx, ", %d of them to be refused", p.ToRefuse)
	}
	return said
}

func (p EvaluationProps) run(ctx context.Context) string {
	said := lang.F(ctx, "Ask %s", lang.Count(ctx, p.Questions, "question", "questions"))
	if p.Form.Estimate != "" {
		said += ", " + p.Form.Estimate
	}
	return said
}

// changes lists the points at which something changed, newest first.
func (p EvaluationProps) changes() (all []HistoryPoint) {
	for i := len(p.History) - 1; i >= 0 && len(all) < 4; i-- {
		if p.History[i].Changed != "" {
			all = append(all, p.History[i])
		}
	}
	return all
}

// verdictMark names the drawing of a verdict.
func verdictMark(verdict string) string {
	switch verdict {
	case "right", "refused rightly":
		return "right"
	case "half", "wrong", "refused", "failed":
		return verdict
	}
	return "open"
}

// changeSign returns a change with its sign.
func changeSign(ctx context.Context, change string) string {
	switch change {
	case "better":
		return lang.T(ctx, "↑ better")
	case "worse":
		return lang.T(ctx, "↓ worse")
	}
	return lang.T(ctx, "same")
}

// The drawing of a pair of figures.
const pairWidth, pairEdge = 124, 7

func at(share float64) string {
	return number1(pairEdge + min(max(share, 0), 1)*(pairWidth-2*pairEdge))
}

func (m MetricLine) span() string { return "M" + at(m.From) + " 10H" + at(m.To) }

// The drawing of the history.
const (
	histLeft, histRight, histTop, histBottom = 44, 572, 15, 150

	nameHeight = 17
)

func (p EvaluationProps) x(i int) float64 {
	if len(p.History) < 2 {
		return histLeft
	}
	return histLeft + float64(i)*(histRight-histLeft)/float64(len(p.History)-1)
}

func y(percent int) float64 { return histBottom - float64(percent)*(histBottom-histTop)/100 }

// line returns the path of a share over all evaluations.
func (p EvaluationProps) line(of func(HistoryPoint) int) string {
	var b strings.Builder
	for i, h := range p.History {
		b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + number1(p.x(i)) + " " + number1(y(of(h))))
	}
	return b.String()
}

func recallOf(h HistoryPoint) int  { return h.Recall }
func rightOf(h HistoryPoint) int   { return h.Right }
func refusedOf(h HistoryPoint) int { return h.Refused }

// square and triangle return marks around a point.
func square(x, y float64) string {
	return "M" + number1(x-4) + " " + number1(y-4) + "h8v8h-8z"
}

func triangle(x, y float64) string {
	return "M" + number1(x) + " " + number1(y-5) + "l5 9h-10z"
}

// ends returns the positions of the three names on the right, kept apart from each other and above the days.
func (p EvaluationProps) ends() [3]string {
	last := p.History[len(p.History)-1]
	at := [3]float64{y(last.Recall), y(last.Right), y(last.Refused)}
	order := []int{0, 1, 2}
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			if at[order[j]] < at[order[i]] {
				order[i], order[j] = order[j], order[i]
			}
		}
	}
	for i := 1; i < len(order); i++ {
		at[order[i]] = max(at[order[i]], at[order[i-1]]+nameHeight)
	}
	for i, lowest := len(order)-1, float64(histBottom); i >= 0; i, lowest = i-1, at[order[i]]-nameHeight {
		at[order[i]] = min(at[order[i]], lowest)
	}
	return [3]string{number1(at[0] + 4), number1(at[1] + 4), number1(at[2] + 4)}
}

func (p EvaluationProps) told(ctx context.Context) string {
	first, last := p.History[0], p.History[len(p.History)-1]
	return lang.F(ctx, "%d evaluations: recall from %d to %d, right from %d to %d, refused though known from %d to %d per cent",
		len(p.History), first.Recall, last.Recall, first.Right, last.Right, first.Refused, last.Refused)
}

// dated reports whether a point has its day below it: all of a few, else every second.
func (p EvaluationProps) dated(i int) bool {
	return len(p.History) <= 7 || (len(p.History)-1-i)%2 == 0
}

func (c ComparedProps) pager() component.PagesProps {
	return component.PagesProps{URL: link.With(link.Evaluation, "a", c.A, "b", c.B, "show", c.Tab, "q", c.Words), Offset: c.Pager.Offset, Limit: c.Pager.Limit, Total: c.Pager.Total}
}

// KeptProps list the questions that are kept.
type KeptProps struct {
	App      layout.Props
	Set      domain.SetID
	SetName  string
	Sets     []CountTab
	Kept     []KeptLine // in the set
	Missing  []string   // expected documents that the library does not have
	Feedback []FeedbackLine
	Most     int
	Problem  string // with a file

	SetProblem string // with the name of a set
}

// KeptLine is a question that is kept.
type KeptLine struct {
	ID       domain.QuestionID
	Question string
	Expected string
}

// FeedbackLine is an answer that a person judged.
type FeedbackLine struct {
	Question, Reason string
	Good             bool
	URL              string // of the form that keeps the question
}

func (f FeedbackLine) said(ctx context.Context) string {
	said := lang.T(ctx, "Not helpful")
	if f.Good {
		said = lang.T(ctx, "Helpful")
	}
	if f.Reason != "" {
		said += ": " + f.Reason
	}
	return said
}

func (p KeptProps) missing(ctx context.Context) string {
	return lang.F(ctx, "The library has no %s. A question that needs it can't have it found: change the name, or add the document.", strings.Join(p.Missing, ", "))
}

// QuestionFormProps is the data for the form of a question.
type QuestionFormProps struct {
	App      layout.Props
	ID       domain.QuestionID // "" for a new one
	Set      domain.SetID      // set that contains it
	Sets     []Option
	Message  domain.MessageID
	Back     string
	Question string
	Answers  string // one per line
	Sources  string // one per line
	Answer   string // the given answer, for a question from a conversation
	Problem  string
}

// EvaluationResultProps show one evaluation.
type EvaluationResultProps struct {
	App     layout.Props
	Set     domain.SetID
	SetName string
	Work    AtWork
	Status  string
	At      time.Time
	Facts   []FactLine
	Figures []FactLine
	Replies []ReplyLine
	Pager   Pager
}

// FactLine is a named figure.
type FactLine struct{ Name, Value string }

// ReplyLine is a question of an evaluation with the reply.
type ReplyLine struct {
	N                  int
	Question, Expected string
	Answer, Problem    string
	ReplySide
}

func (r ReplyLine) id(ctx context.Context) string { return "question-" + lang.Int(ctx, r.N) }

func (p EvaluationResultProps) pager() component.PagesProps {
	return component.PagesProps{URL: link.OneEvaluation(p.Work.ID), Offset: p.Pager.Offset, Limit: p.Pager.Limit, Total: p.Pager.Total}
}

func (w AtWork) part() string { return "progress-" + string(w.ID) }

func (w AtWork) said(ctx context.Context) string {
	return lang.F(ctx, "%d of %d asked", w.Asked, w.All)
}

func (w AtWork) filled() string {
	if w.All == 0 {
		return fillTo(0)
	}
	return fillTo(100 * w.Asked / w.All)
}
