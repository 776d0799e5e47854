package builtin

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// Graph looks up entities by key. See graphstore.Reader.
type Graph interface {
	ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error)
}

// known returns the entities with the given keys, or none if the graph can't be
// reached; the search reports that.
func known(ctx context.Context, g Graph, w domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	entities, err := g.ByKey(ctx, w, keys)
	if domain.KindOf(err) == domain.Unavailable {
		return nil, ctx.Err()
	}
	return entities, err
}

// Answering returns the roles for answering without a model: grading by the nearest
// sentence, rewriting with fewer words and names from the graph, and answers that
// quote. They are deterministic. The writer pauses for pace between words; 0 means no
// pause.
func Answering(g Graph, ranker nearest.Ranker, words answer.Words, pace time.Duration) answer.Roles {
	readings := &answerReader{ranker: ranker, words: words}
	return answer.Roles{
		Condenser: condenser{g}, Grader: grader{readings}, Rewriter: rewriter{g, readings}, Writer: writer{readings, pace}, Supporter: supporter{},
		Specifier: charter{}, Counts: true, Words: words,
	}
}
