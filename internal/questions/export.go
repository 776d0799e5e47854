package questions

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// An Exported conversation is one that leaves the program, with all its answers.
type Exported struct {
	ID      domain.ConversationID `json:"id"`
	Title   string                `json:"title"`
	Pinned  bool                  `json:"pinned,omitempty"`
	Created time.Time             `json:"created"`
	Updated time.Time             `json:"updated"`
	Turns   []ExportedTurn        `json:"turns"` // in order of time
}

// An ExportedTurn is a question with its answers.
type ExportedTurn struct {
	ID      domain.MessageID  `json:"id"`
	Follows domain.RunID      `json:"follows,omitempty"` // the run whose answer it follows
	Method  domain.MethodName `json:"method,omitempty"`
	Answers []ExportedAnswer  `json:"answers"` // to the original question
}

// An ExportedAnswer is an answer to a turn, as asked or by a branch.
type ExportedAnswer struct {
	Run       domain.RunID         `json:"run"`
	Branch    domain.BranchID      `json:"branch,omitempty"`
	Purpose   string               `json:"purpose,omitempty"` // of the branch
	Question  string               `json:"question"`
	Within    []string             `json:"within,omitempty"` // terms of the scope it was asked within
	Asked     time.Time            `json:"asked"`
	Status    ledger.MessageStatus `json:"status"`
	Problem   string               `json:"problem,omitempty"`
	Answer    string               `json:"answer"`
	Citations []domain.Citation    `json:"citations"`
	Figures   []domain.Figure      `json:"figures,omitempty"`
	Shown     bool                 `json:"shown,omitempty"` // in the line that the conversation opens with
}

// Export returns a conversation for export. The error is NotFound if there is no such conversation.
func (s *Service) Export(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) (Exported, error) {
	c, err := s.Ledger.Conversation(ctx, w, id)
	if err != nil {
		return Exported{}, err
	}
	t, err := s.Tree(ctx, w, id)
	if err != nil {
		return Exported{}, err
	}
	shown := lists.SetOf(t.Line(""), func(turn Turn) domain.RunID { return turn.Run })
	out := Exported{ID: c.ID, Title: c.Title, Pinned: c.Pinned, Created: c.CreatedAt, Updated: c.UpdatedAt, Turns: []ExportedTurn{}}
	for i, m := range t.messages {
		turn := ExportedTurn{ID: m.Message, Follows: m.Follows, Method: m.Method}
		for _, v := range t.versions(i) {
			a := exported(t.turn(v).Answer)
			a.Shown = shown[a.Run]
			turn.Answers = append(turn.Answers, a)
		}
		out.Turns = append(out.Turns, turn)
	}
	return out, nil
}

func exported(t ledger.Answer) ExportedAnswer {
	a := ExportedAnswer{
		Run: t.Run, Branch: t.Branch, Purpose: t.Purpose, Question: t.Question, Within: t.Scope.Terms(), Asked: t.CreatedAt, Status: t.Status, Problem: t.Problem,
		Answer: t.Text, Citations: t.Citations, Figures: t.Figures,
	}
	if a.Citations == nil {
		a.Citations = []domain.Citation{}
	}
	return a
}

// Markdown returns the line that the conversation opens with as text, with the sources
// below each answer. Words of documents and people can't act as marks of Markdown.
func (e Exported) Markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", Plain(e.Title))
	for _, turn := range e.Turns {
		for _, a := range turn.Answers {
			if a.Shown {
				a.markdown(&out)
			}
		}
	}
	return out.String()
}

func (a ExportedAnswer) markdown(out *strings.Builder) {
	fmt.Fprintf(out, "\n## %s\n\n*%s*\n", Plain(a.Question), strings.Join(append([]string{a.Asked.UTC().Format("2006-01-02 15:04 UTC")}, plainAll(a.Within)...), ", "))
	for p := range strings.SplitSeq(a.Answer, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			fmt.Fprintf(out, "\n%s\n", Plain(p))
		}
	}
	switch a.Status {
	case ledger.MessageStopped:
		fmt.Fprint(out, "\n*Stopped here.*\n")
	case ledger.MessageFailed:
		fmt.Fprintf(out, "\n*%s*\n", Plain(a.Problem))
	case ledger.MessageWaiting, ledger.MessageAnswering, ledger.MessageAsking:
		fmt.Fprint(out, "\n*Not answered yet.*\n")
	}
	for _, f := range a.Figures {
		if f.Chart != nil {
			chartTable(out, *f.Chart)
		}
	}
	for i, c := range a.Citations {
		if i == 0 {
			fmt.Fprintln(out)
		}
		cite(out, c)
	}
}

// chartTable writes the numbers of a chart as a table.
func chartTable(out *strings.Builder, c domain.Chart) {
	fmt.Fprintf(out, "\n| %s | | |\n| --- | --- | ---: |\n", Plain(c.Title))
	for _, s := range c.Series {
		for _, p := range s.Points {
			of := fmt.Sprint(p.X)
			if c.Type != domain.ChartScatter {
				of = c.Categories[p.Category]
			}
			fmt.Fprintf(out, "| %s | %s | %v %s |\n", Plain(s.Name), Plain(of), p.Value, Plain(c.Unit))
		}
	}
}

func cite(out *strings.Builder, c domain.Citation) {
	fmt.Fprintf(out, "- \\[%d\\] %s", c.N, Plain(c.Where()))
	if c.Text == "" {
		fmt.Fprintln(out, " (deleted)")
		return
	}
	fmt.Fprintf(out, "%s: “%s”\n", Plain(ofWeb(c.Web)), Plain(c.Text))
}

// marks escapes the characters with a meaning in Markdown.
var marks = strings.NewReplacer(
	"\n", " ", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "|", `\|`, "~", `\~`, "!", `\!`, "&", `\&`,
	"://", `\://`, "www.", `www\.`, "@", `\@`, // which become links automatically
)

// opening matches the beginning of a paragraph that Markdown gives a meaning.
var opening = regexp.MustCompile(`^(\d*)([-+=.)])`)

// Plain writes text so that Markdown shows it as it is.
func Plain(text string) string { return opening.ReplaceAllString(marks.Replace(text), `$1\$2`) }

func plainAll(texts []string) (all []string) {
	return lists.Map(texts, Plain)
}
