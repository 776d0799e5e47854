package page

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// TokensProps fill the page of tokens.
type TokensProps struct {
	App     layout.Props
	Tokens  []auth.ShownToken
	Made    *auth.NewToken   // shown only once; nil unless one was just made
	Wanted  auth.TokenWanted // contents of the form
	Problem string           // why none was made
	Origin  string           // the program's address for the reader
	Now     time.Time
}

// tokenDays are the choices of how long a token lasts.
func (p TokensProps) tokenDays(ctx context.Context) []component.Choice {
	choices := make([]component.Choice, 0, 4)
	for _, days := range []int{7, 30, 90, 365} {
		choices = append(choices, component.Choice{Value: strconv.Itoa(days), Title: lang.F(ctx, "in %d days, %s", days, day(ctx, p.Now.AddDate(0, 0, days)))})
	}
	return choices
}

// chosenDays is the choice that the form shows.
func (p TokensProps) chosenDays() string {
	if p.Wanted.Days == 0 {
		return "90"
	}
	return strconv.Itoa(p.Wanted.Days)
}

// presets are the choices of a token's scopes.
func (p TokensProps) presets(ctx context.Context) [][3]string {
	return [][3]string{
		{"read-and-ask", lang.T(ctx, "Read and ask"), lang.T(ctx, "For an app or a screen that asks questions")},
		{"mcp", "MCP", lang.T(ctx, "For Claude, Cursor and other assistants: search, read and ask; they change nothing")},
		{auth.Everything, lang.T(ctx, "Everything"), lang.T(ctx, "What you may do yourself")},
		{"chosen", lang.T(ctx, "Chosen scopes"), lang.T(ctx, "Only what is ticked below")},
	}
}

// preset reports whether the form shows a preset as chosen.
func (p TokensProps) preset(name string) bool {
	return p.Wanted.Preset == name || p.Wanted.Preset == "" && name == "read-and-ask"
}

// scopes are those that whoever reads the page may have.
func (p TokensProps) scopes() []operation.Scope {
	return slices.DeleteFunc(operation.Scopes(), func(s operation.Scope) bool { return s.Check(p.App.Role) != nil })
}

func (p TokensProps) ticked(s operation.Scope) bool {
	return slices.Contains(p.Wanted.Scopes, string(s))
}

// secret is the token that was made, or a name for one in examples.
func (p TokensProps) secret() string {
	if p.Made != nil {
		return p.Made.Secret
	}
	return "YOUR_TOKEN"
}

// An example shows how a program connects.
type example struct{ id, title, text, note string }

func (p TokensProps) examples(ctx context.Context) []example {
	fill := strings.NewReplacer("ORIGIN", p.Origin, "TOKEN", p.secret()).Replace
	return []example{
		{"how-curl", "curl", fill(`curl ORIGIN/api/v1/ask \
  -H "Authorization: Bearer TOKEN" \
  -H "Content-Type: application/json" \
  -d '{"question": "What is this library about?"}'`), lang.F(ctx, "The API is described by %s", p.Origin) + "/api/v1/openapi.json."},
		{"how-openai", lang.T(ctx, "OpenAI clients, Open WebUI"), fill(`from openai import OpenAI

clew = OpenAI(base_url="ORIGIN/v1", api_key="TOKEN")
reply = clew.chat.completions.create(
    model="clew",
    messages=[{"role": "user", "content": "What is this library about?"}])
print(reply.choices[0].message.content)`), lang.F(ctx, "Every OpenAI client works: give it the address %s/v1, the token as key, and the model clew.", p.Origin)},
		{"how-mcp", lang.T(ctx, "MCP: Claude, Cursor, VS Code"), fill(`{
  "mcpServers": {
    "clew": {
      "url": "ORIGIN/mcp",
      "headers": {"Authorization": "Bearer TOKEN"}
    }
  }
}`), lang.T(ctx, "Without a network, clew mcp speaks over standard input.")},
	}
}

// may says what a token may do.
func may(t auth.ShownToken) string {
	return strings.Join(lists.Map(t.Scopes, func(s operation.Scope) string { return string(s) }), ", ")
}

func (p TokensProps) used(ctx context.Context, t auth.ShownToken) string {
	if t.Used.IsZero() {
		return lang.T(ctx, "Never used")
	}
	return lang.F(ctx, "Used %s from %s", ago(ctx, p.Now.Sub(t.Used)), t.Address)
}

// ends says when a token ends, or ended.
func (p TokensProps) ends(ctx context.Context, t auth.ShownToken) string {
	if left := t.Expires.Sub(p.Now); left <= 0 {
		return lang.F(ctx, "Expired on %s", day(ctx, t.Expires))
	}
	return lang.F(ctx, "Ends on %s", day(ctx, t.Expires))
}

func day(ctx context.Context, t time.Time) string { return lang.Date(ctx, t, "2 January 2006") }
