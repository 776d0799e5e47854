package llmtest

import (
	"net/http"
)

type object = map[string]any

type openAIWriter struct{}

func (openAIWriter) whole(w http.ResponseWriter, q Request, r Reply) {
	message := object{"role": "assistant", "content": r.Text}
	if len(r.Calls) > 0 {
		var calls []object
		for _, c := range r.Calls {
			calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}})
		}
		message["tool_calls"] = calls
	}
	w.Write(encode(object{ //nolint:errcheck // a client that went away
		"id": "scripted", "object": "chat.completion", "model": q.Model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": r.stop()}},
		"usage":   openAIUsage(q, r),
	}))
}

// stream interleaves the pieces of parallel tool calls, as some servers do.
func (openAIWriter) stream(w *stream, q Request, r Reply) {
	chunk := func(delta object, finish any) object {
		return object{"object": "chat.completion.chunk", "model": q.Model, "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	w.event("", chunk(object{"role": "assistant", "content": ""}, nil))
	for _, text := range r.pieces() {
		if text != "" {
			w.piece("", chunk(object{"content": text}, nil))
		}
	}
	for i, c := range r.Calls {
		w.event("", chunk(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil))
	}
	for half := range 2 {
		for i, c := range r.Calls {
			w.piece("", chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": halves(c.Arguments)[half]}}}}, nil))
		}
	}
	w.event("", chunk(object{}, r.stop()))
	w.event("", object{"object": "chat.completion.chunk", "model": q.Model, "choices": []object{}, "usage": openAIUsage(q, r)})
	w.event("", "[DONE]")
}

func openAIUsage(q Request, r Reply) object {
	u := r.usage(q)
	return object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output, "prompt_tokens_details": object{"cached_tokens": u.Cached},
	}
}

// halves splits a text between two characters.
func halves(s string) [2]string {
	runes := []rune(s)
	return [2]string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}
