package answer

import (
	"fmt"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The sentences that return a greeting or thanks.
const (
	saysHello    = "Hello! Ask what you want to know from the documents, or for a summary, a list, a comparison or a chart."
	saysWelcome  = "You are welcome! Ask on, or for a summary, a list, a comparison or a chart."
	saysAddFirst = "Hello! Add documents, and ask about them once they are read."
	saysAbout    = "What do the documents say about %s?"
	saysTopics   = "What topics do the documents cover?"
)

// mostNames is how many entities a greeting suggests to ask about.
const mostNames = 2

// greet returns a greeting or thanks with what can be asked. Nothing is searched.
func (n *nodes) greet(ctx *stategraph.Context, s State) (state.Update[State], error) {
	ask, err := n.intent(ctx, s)
	if err != nil {
		return state.Update[State]{}, err
	}
	stats, err := n.Library.Stats(ctx, s.Workspace)
	if err != nil && domain.KindOf(err) != domain.Unavailable {
		return state.Update[State]{}, err
	}
	l := languageNamed(ask.Language)
	says := saysHello
	switch {
	case err == nil && stats.Chunks == 0:
		says = saysAddFirst
	case ask.Kind == intent.Thanks:
		says = saysWelcome
	}
	c := resumeComposer(Text{}, ctx.Emit)
	c.Remark(l.says(says))
	if says != saysAddFirst {
		survey, err := n.Surveyor.Entities(ctx, s.Workspace, s.UserContext.Within, intent.Any, mostNames)
		if err != nil && domain.KindOf(err) != domain.Unavailable {
			return state.Update[State]{}, err
		}
		for _, p := range survey.Parts {
			c.Remark(fmt.Sprintf(l.says(saysAbout), p.Names[0]))
		}
		c.Remark(l.says(saysTopics))
	}
	ctx.Emit(domain.EventWritten, domain.Written{Sentences: len(c.sentences())})
	sentences := c.sentences()
	for i := range sentences {
		sentences[i].Supported = true
	}
	return state.Merge(n.generation.Set(c.answer()), n.sentences.Set(sentences), n.citations.Set(c.citations)), nil
}
