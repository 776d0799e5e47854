package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/layout"
)

// TokensProps fill the page of tokens.
type TokensProps struct {
	App     layout.Props
	Tokens  []auth.ShownToken
	Made    *auth.NewToken   // shown this once; nil if none was made now
	Wanted  auth.TokenWanted // what the form holds
	Problem string           // why none was made
	Origin  string           // the address of the program, as the reader has it
	Now     time.Time
}

// tokenDays are the choices of how long a token lasts.
func (p TokensProps) tokenDays() []component.Choice {
	choices := make([]component.Choice, 0, 4)
	for _, days := range []int{7, 30, 90, 365} {
		choices = append(choices, component.Choice{Value: strconv.Itoa(days), Title: fmt.Sprintf("in %d days, %s", days, day(p.Now.AddDate(0, 0, days)))})
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

// presets are the choices of what a token may do.
func (p TokensProps) presets() [][3]string {
	return [][3]string{
		{"read-and-ask", "Read and ask", "For an app or a screen that asks questions"},
		{"mcp", "MCP", "For Claude, Cursor and other assistants: search, read and ask; they change nothing"},
		{auth.Everything, "Everything", "What you may do yourself"},
		{"chosen", "Chosen scopes", "Only what is ticked below"},
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

func (p TokensProps) examples() []example {
	fill := strings.NewReplacer("ORIGIN", p.Origin, "TOKEN", p.secret()).Replace
	return []example{
		{"how-curl", "curl", fill(`curl ORIGIN/api/v1/ask \
  -H "Authorization: Bearer TOKEN" \
  -H "Content-Type: application/json" \
  -d '{"question": "What is this library about?"}'`), "The API is described by " + p.Origin + "/api/v1/openapi.json."},
		{"how-openai", "OpenAI clients, Open WebUI", fill(`from openai import OpenAI

clew = OpenAI(base_url="ORIGIN/v1", api_key="TOKEN")
reply = clew.chat.completions.create(
    model="clew",
    messages=[{"role": "user", "content": "What is this library about?"}])
print(reply.choices[0].message.content)`), "Every OpenAI client works: give it the address " + p.Origin + "/v1, the token as key, and the model clew."},
		{"how-mcp", "MCP: Claude, Cursor, VS Code", fill(`{
  "mcpServers": {
    "clew": {
      "url": "ORIGIN/mcp",
      "headers": {"Authorization": "Bearer TOKEN"}
    }
  }
}`), "Without a network, clew mcp speaks over standard input."},
	}
}

// may says what a token may do.
func may(t auth.ShownToken) string {
	words := make([]string, len(t.Scopes))
	for i, s := range t.Scopes {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

func (p TokensProps) used(t auth.ShownToken) string {
	if t.Used.IsZero() {
		return "Never used"
	}
	return "Used " + ago(p.Now.Sub(t.Used)) + " from " + t.Address
}

// ends says when a token ends, or ended.
func (p TokensProps) ends(t auth.ShownToken) string {
	if left := t.Expires.Sub(p.Now); left <= 0 {
		return "Expired on " + day(t.Expires)
	}
	return "Ends on " + day(t.Expires)
}

func day(t time.Time) string { return t.Format("2 January 2006") }
