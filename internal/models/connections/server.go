package connections

import (
	"slices"

	"github.com/clewhq/clew/internal/config"
)

// A Server is a kind of server that models are connected from.
type Server struct {
	Name     string // as stored and given to commands
	Title    string
	Provider string // its protocol, as in the settings
	Address  string // its usual address; "" if it must be given
	Key      KeyUse
	Header   string // for the key; "" for the protocol's own
	Example  string // of a model's name
	Embeds   string // example of an embedding model's name; "" if there is none
	Only     string // its only model; "" if there are several
	Hint     string // useful information before connecting, in a sentence or two
}

// KeyUse reports whether a kind of server asks for a key.
type KeyUse int

// The uses of a key.
const (
	KeyNone KeyUse = iota
	KeyOptional
	KeyRequired
)

// Same is the server of a role that differs from Answer only by its model.
const Same = "same"

// Servers lists the kinds of servers in the order of pages.
func Servers() []Server {
	return []Server{
		{Name: "ollama", Title: "Ollama", Provider: "openai", Address: "http://127.0.0.1:11434/v1", Example: "qwen3:8b", Embeds: "nomic-embed-text",
			Hint: "Pull a model first: ollama pull qwen3:8b. Start Ollama with OLLAMA_CONTEXT_LENGTH=16384 or more, because it silently truncates longer prompts."},
		{Name: "openai", Title: "OpenAI", Provider: "openai", Address: "https://api.openai.com/v1", Key: KeyRequired, Example: "gpt-4.1-mini", Embeds: "text-embedding-3-small",
			Hint: "Create keys at platform.openai.com, under API keys."},
		{Name: "anthropic", Title: "Anthropic", Provider: "anthropic", Address: "https://api.anthropic.com/v1", Key: KeyRequired, Example: "claude-haiku-4-5",
			Hint: "Create keys at console.anthropic.com, under API keys. Anthropic has no embedding models: for search by meaning, connect one from another server."},
		{Name: "azure", Title: "Azure OpenAI", Provider: "openai", Key: KeyRequired, Header: "api-key", Example: "name of your deployment", Embeds: "name of another deployment",
			Hint: "The address is https://NAME.openai.azure.com/openai/v1 with the name of your resource. The model is the name of your deployment, which may be missing from the list of models."},
		{Name: "gemini", Title: "Gemini", Provider: "openai", Address: "https://generativelanguage.googleapis.com/v1beta/openai", Key: KeyRequired, Example: "gemini-2.5-flash", Embeds: "gemini-embedding-001",
			Hint: "Create keys at aistudio.google.com."},
		{Name: "vllm", Title: "vLLM", Provider: "openai", Address: "http://127.0.0.1:8000/v1", Key: KeyOptional, Example: "the name given to vllm serve", Embeds: "a model on a separate server",
			Hint: "Tool calls need vllm serve --enable-auto-tool-choice --tool-call-parser PARSER. The key is the one given with --api-key."},
		{Name: "llama.cpp", Title: "llama.cpp", Provider: "openai", Address: "http://127.0.0.1:8081/v1", Key: KeyOptional, Example: "any; the server has one model", Embeds: "a model on a separate server",
			Hint: "Start llama-server with --jinja for tool calls, and on another port such as --port 8081, because Clew listens on 8080."},
		{Name: "other", Title: "Other", Provider: "openai", Key: KeyOptional, Example: "name of the model", Embeds: "name of an embedding model",
			Hint: "Any server with the OpenAI protocol. Its address usually ends in /v1."},
		{Name: config.Builtin, Title: "This machine", Provider: config.Builtin, Only: "the small English model built into Clew",
			Hint: "A small English model that needs no server: nothing leaves this machine. If its files (23 MB) are there, it is used without being connected; clew model fetch gets them."},
	}
}

// Serves reports whether a kind of server has models for a role.
func (s Server) Serves(r Role) bool {
	if r == Embed {
		return s.Embeds != "" || s.Only != ""
	}
	return s.Only == ""
}

// ServerOf returns the kind of server of a name.
func ServerOf(name string) (Server, bool) {
	all := Servers()
	i := slices.IndexFunc(all, func(s Server) bool { return s.Name == name })
	if i < 0 {
		return Server{}, false
	}
	return all[i], true
}
