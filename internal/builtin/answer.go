package builtin

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
)

// Graph is what the built-in roles ask the entity graph.
type Graph interface {
	ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error)
}

// known are the entities of some keys; none while the graph can't be reached,
// which the search tells whoever asked.
func known(ctx context.Context, g Graph, w domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	entities, err := g.ByKey(ctx, w, keys)
	if domain.KindOf(err) == domain.Unavailable {
		return nil, ctx.Err()
	}
	return entities, err
}

// Answering are the roles of answering without a model: grading by chains of
// sentences, rewording by the graph's names, and answers made of whole source
// sentences. They depend on nothing but what they are given, so the same
// question always gets the same answer. Pace is the pause between the words
// of an answer as it is shown; 0 for none.
func Answering(g Graph, pace time.Duration) answer.Roles {
	readings := &answerReader{}
	return answer.Roles{
		Condenser: condenser{g}, Grader: grader{readings}, Rewriter: rewriter{g}, Writer: writer{readings, pace}, Supporter: supporter{},
		Specifier: charter{}, Counting: charter{},
	}
}
