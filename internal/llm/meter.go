package llm

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A Meter counts what calls use, and holds back what must not be paid for.
type Meter interface {
	// Allow returns an error if a call must not be made. Its usage names the model, and has 1 for each
	// kind of token that the call will use.
	Allow(ctx context.Context, c Call) error

	// Spent counts a call that was made.
	Spent(ctx context.Context, c Call) error
}

// A Call is one call of a model that is paid for.
type Call struct {
	Owner domain.CallOwner
	Role  string // its purpose: "extract", "grade", "embed"
	Usage domain.Usage
}

// Metered returns c with its calls counted by m. It belongs within Record: what is
// answered from the record is not paid for.
func Metered(c Chat, m Meter) Chat {
	return around{c, func(ctx context.Context, r Request) (Response, error) {
		call := Call{Owner: ownerOf(ctx, r.Owner), Role: r.Role(), Usage: domain.Usage{Model: c.Model(), Input: 1, Output: 1}}
		if err := m.Allow(ctx, call); err != nil {
			return Response{}, err
		}
		answer, err := c.Complete(ctx, r)
		if err != nil {
			return answer, err
		}
		call.Usage = domain.Usage{Model: c.Model(), Input: answer.Usage.Input, Cached: answer.Usage.Cached, Output: answer.Usage.Output}
		if tab, ok := ctx.Value(tabKey{}).(*Call); ok {
			*tab = call
			return answer, nil
		}
		return answer, m.Spent(context.WithoutCancel(ctx), call)
	}}
}

// MeteredEmbedder returns e with its calls counted by m.
func MeteredEmbedder(e Embedder, m Meter) Embedder {
	return aroundEmbedder{e, func(ctx context.Context, texts []string) ([][]float32, error) {
		call := Call{Owner: ownerOf(ctx, domain.CallOwner{}), Role: "embed", Usage: domain.Usage{Model: e.Model(), Embedded: 1}}
		if err := m.Allow(ctx, call); err != nil {
			return nil, err
		}
		counted := 0
		vectors, err := e.Embed(context.WithValue(ctx, embeddedKey{}, &counted), texts)
		if err != nil {
			return nil, err
		}
		call.Usage.Embedded = cmp.Or(counted, estimate(texts))
		return vectors, m.Spent(context.WithoutCancel(ctx), call)
	}}
}

// tabKey is the key of the *Call that a Bookkeeper counts, in place of the meter.
type tabKey struct{}

// Role returns the purpose of a request, by the name of its prompt.
func (r Request) Role() string {
	role, _, _ := strings.Cut(r.Prompt, "/")
	role, _, _ = strings.Cut(role, "-")
	return role
}

// runesPerToken is the average length of a token, for servers that don't
// count.
const runesPerToken = 4

func estimate(texts []string) int {
	return lists.Sum(texts, func(text string) int { return Estimate(utf8.RuneCountInString(text)) })
}

// Estimate returns the approximate number of tokens in a text of a number of code points.
func Estimate(runes int) int { return runes/runesPerToken + 1 }

type embeddedKey struct{}

// CountEmbedded tells the meter, from within Embed, how many tokens the server has
// counted.
func CountEmbedded(ctx context.Context, tokens int) {
	if counted, ok := ctx.Value(embeddedKey{}).(*int); ok {
		*counted += tokens
	}
}

type ownerKey struct{}

// WithOwner returns a context whose calls are made for o unless they name another owner. Fields that o leaves empty
// keep their values.
func WithOwner(ctx context.Context, o domain.CallOwner) context.Context {
	return context.WithValue(ctx, ownerKey{}, ownerOf(ctx, o))
}

// OwnerOf returns the owner of the calls of ctx.
func OwnerOf(ctx context.Context) domain.CallOwner { return ownerOf(ctx, domain.CallOwner{}) }

// ownerOf returns o with its empty fields filled from the context.
func ownerOf(ctx context.Context, o domain.CallOwner) domain.CallOwner {
	around, _ := ctx.Value(ownerKey{}).(domain.CallOwner)
	return domain.CallOwner{
		Workspace: cmp.Or(o.Workspace, around.Workspace), Document: cmp.Or(o.Document, around.Document), Run: cmp.Or(o.Run, around.Run),
	}
}
