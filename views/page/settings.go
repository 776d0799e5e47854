package page

import "strconv"

// example is a sample configuration of one provider.
type example struct{ name, lines string }

var examples = []example{
	{"Ollama, on this machine", `LLM_PROVIDER=openai
LLM_BASE_URL=http://127.0.0.1:11434/v1
LLM_MODEL=qwen3:14b
EMBED_PROVIDER=openai
EMBED_BASE_URL=http://127.0.0.1:11434/v1
EMBED_MODEL=nomic-embed-text`},
	{"OpenAI", `LLM_PROVIDER=openai
LLM_API_KEY=…
LLM_MODEL=gpt-4.1-mini
EMBED_PROVIDER=openai
EMBED_API_KEY=…
EMBED_MODEL=text-embedding-3-small`},
	{"Anthropic", `LLM_PROVIDER=anthropic
LLM_API_KEY=…
LLM_MODEL=claude-sonnet-4-5`},
	{"vLLM, llama.cpp and most others", `LLM_PROVIDER=openai
LLM_BASE_URL=http://your-server:8000/v1
LLM_MODEL=the-name-your-server-gives-it`},
}

func (s Setting) value() string {
	if s.Value == "" {
		return "not set"
	}
	return s.Value
}

func (p ErrorProps) status() string { return strconv.Itoa(p.Status) }

func (p ErrorProps) title() string {
	switch {
	case p.Status == 404:
		return "Nothing is here"
	case p.Status == 401 || p.Status == 403:
		return "That is not allowed"
	case p.Status == 413:
		return "That is too large"
	case p.Status == 503:
		return "Some servers do not respond"
	case p.Status >= 500:
		return "Something went wrong"
	}
	return "That did not work"
}

func (p ErrorProps) advice() string {
	switch {
	case p.Status == 404:
		return "It may have been deleted, or the address is incomplete."
	case p.Status == 403:
		return "Go back to where you were."
	case p.Status == 429:
		return "Wait, and then try again."
	case p.Status >= 500:
		return "Nothing was left half done. Try again in a moment; if the problem persists, see the log."
	}
	return "Go back, correct it, and try again."
}
