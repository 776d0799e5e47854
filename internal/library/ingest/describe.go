package ingest

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/stategraph"
)

//go:embed prompts/describe.tmpl
var describeText string

// The roles of prompts.
const (
	RoleDescribe = "describe"
	RoleFields   = "fields"
)

// Prompts returns the prompts of the models that describe pictures and fill in fields.
func Prompts() []prompts.Prompt { return []prompts.Prompt{describePrompt(), fieldsPrompt()} }

// The parts of the prompt of descriptions, and their bounds.
const (
	systemPart     = "picture"
	userPart       = "picture_user"
	maxDescription = 600  // code points
	maxSaid        = 1000 // tokens, including thoughts
)

// describePrompt returns the prompt of the model that describes pictures.
func describePrompt() prompts.Prompt {
	return prompts.Prompt{
		Role: RoleDescribe, About: "Describes the pictures of documents, where a model that sees is set.", Version: "1", Builtin: describeText,
		Parts: []prompts.Part{
			{Name: systemPart, About: "the instructions", System: true, Data: struct{}{}},
			{Name: userPart, About: "what goes with the picture", Data: pictureData{}},
		},
	}
}

type pictureData struct {
	Caption prompts.Outside `about:"the caption of the picture, if it has one"`
}

// Describing is the model that describes pictures. The zero Describing describes none.
type Describing struct {
	Chat llm.Chat
	Most int // pictures per document
}

// describe has a model describe the first pictures of a document, and adds the descriptions to the text below them.
// Pictures that it can't describe are left out, with a note; if the model can't be reached, it returns an error.
func (n nodes) describe(ctx *stategraph.Context, d domain.Document, t domain.Text, pin int) (out domain.Text, err error) {
	if n.Describing.Chat == nil || n.Prompts == nil || len(t.Pictures) == 0 {
		return t, nil
	}
	n.pauses.Begin(string(d.ID))
	defer func() { n.pauses.End(ctx, string(d.ID), err) }()
	prompt, err := n.Prompts.Text(ctx, d.Workspace, RoleDescribe, pin)
	if err != nil {
		return t, err
	}
	for i := range t.Pictures[:min(len(t.Pictures), n.Describing.Most)] {
		p := &t.Pictures[i]
		said, err := n.look(ctx, d, *p, prompt)
		if err != nil && (ctx.Err() != nil || failsEveryChunk(err) || domain.Temporary(err)) {
			return t, err
		}
		if err != nil {
			t.Warnings = append(t.Warnings, fmt.Sprintf("The pictures could not be described from picture %d on: %s", p.Number, domain.InWords(err)))
			break
		}
		if said != "" {
			p.Description, p.Model = said, n.Describing.Chat.Model()
		}
	}
	if left := len(t.Pictures) - n.Describing.Most; left > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("Only the first %d pictures were described. DESCRIBE_PICTURES changes that.", n.Describing.Most))
	}
	return parse.WithWords(t, parse.DescribedAs), nil
}

// look asks the model what a picture shows.
func (n nodes) look(ctx *stategraph.Context, d domain.Document, p domain.Picture, prompt *prompts.Text) (string, error) {
	messages, err := llm.Messages(prompt, systemPart, struct{}{}, userPart, pictureData{prompts.Fence("caption", p.Caption)})
	if err != nil {
		return "", err
	}
	messages[len(messages)-1].Images = []llm.Image{{Media: p.Media, Hash: p.Hash, Data: p.Data}}
	answer, err := llm.Ask(ctx, n.Describing.Chat, llm.Request{
		Messages: messages, MaxTokens: maxSaid, Prompt: RoleDescribe + "/" + prompt.Version, Owner: domain.CallOwner{Workspace: d.Workspace, Document: d.Becomes()},
	}, func(kind string, payload any) { ctx.Emit(kind, payload) })
	if err != nil {
		return "", err
	}
	return oneSentence(llm.WithoutThoughts(answer.Text)), nil
}

// oneSentence joins a description into one sentence, so that every quotation of it names the model.
func oneSentence(said string) string {
	said = strings.NewReplacer(". ", "; ", "! ", "; ", "? ", "; ", "[", "(", "]", ")").Replace(domain.OneLine(said))
	return strings.TrimRight(domain.Cut(said, maxDescription), " .;")
}
