package partial

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// AsksProps is the data for the question of a run to a person before it writes.
type AsksProps struct {
	Conversation domain.ConversationID
	Message      domain.MessageID
	Run          domain.RunID
	Nothing      bool // nothing relevant was found
	Hints        bool // a hint may be given
	MaxHint      int  // code points
	Passages     []AskedPassage
	Find         string // searched for in the library
	Found        []AskedPassage
	Hint         string // filled into the field
	Problem      string // why a reply was rejected

	Draft []string // for a summary, in place of all these
}

// An AskedPassage is a passage that the answer may use.
type AskedPassage struct {
	domain.Grading
	Text string // its beginning; "" if it was deleted
	Use  bool   // it is chosen
}

func (p AsksProps) url() string     { return link.Reply(p.Conversation, p.Message) }
func (p AsksProps) foundID() string { return "found-" + string(p.Run) }

func (p AsksProps) title(ctx context.Context) string {
	if p.Draft != nil {
		return lang.T(ctx, "Before the summary is written")
	}
	if p.Nothing {
		return lang.T(ctx, "Nothing that was found is relevant")
	}
	return lang.T(ctx, "Before the answer is written")
}

func (p AsksProps) lead(ctx context.Context) string {
	if p.Nothing {
		return lang.T(ctx, "Tick what does belong, or search for it yourself.")
	}
	return lang.T(ctx, "The answer will be written from the ticked passages. Untick what does not belong, or add what is missing.")
}

func (p AsksProps) writes(ctx context.Context) string {
	if p.Nothing {
		return lang.T(ctx, "Answer with what there is")
	}
	return lang.T(ctx, "Write the answer")
}

func (p AsksProps) relevant() []AskedPassage { return p.graded(true) }
func (p AsksProps) refused() []AskedPassage  { return p.graded(false) }

func (p AsksProps) graded(relevant bool) (list []AskedPassage) {
	return lists.Filter(p.Passages, func(a AskedPassage) bool { return (a.Verdict == domain.Relevant) == relevant })
}

func (p AsksProps) refusedTitle(ctx context.Context) string {
	return lang.F(ctx, "%s refused", lang.Count(ctx, len(p.refused()), "passage that was", "passages that were"))
}

// verdict introduces the reason of a grade.
func (a AskedPassage) verdict(ctx context.Context) string {
	if a.Verdict == domain.Relevant {
		return lang.T(ctx, "Relevant:")
	}
	return lang.T(ctx, "Refused:")
}
