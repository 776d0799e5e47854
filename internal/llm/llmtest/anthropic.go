package llmtest

import (
	"encoding/json"
	"net/http"
)

type anthropicWriter struct{}

func (anthropicWriter) whole(w http.ResponseWriter, q Request, r Reply) {
	var content []object
	if r.Text != "" {
		content = append(content, object{"type": "text", "text": r.Text})
	}
	for _, c := range r.Calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	u := r.usage(q)
	w.Write(encode(object{ //nolint:errcheck // a client that went away
		"id": "scripted", "type": "message", "role": "assistant", "model": q.Model, "content": content,
		"stop_reason": anthropicStop(r), "usage": object{"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "output_tokens": u.Output},
	}))
}

func (anthropicWriter) stream(w *stream, q Request, r Reply) {
	u := r.usage(q)
	w.event("message_start", object{"type": "message_start", "message": object{
		"id": "scripted", "type": "message", "role": "assistant", "model": q.Model, "content": []object{},
		"usage": object{"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "output_tokens": 1},
	}})
	w.event("ping", object{"type": "ping"})
	index := 0
	if r.Text != "" {
		w.event("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}})
		for _, text := range r.pieces() {
			w.piece("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}})
		}
		w.event("content_block_stop", object{"type": "content_block_stop", "index": 0})
		index++
	}
	for _, c := range r.Calls {
		w.event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}})
		for _, half := range halves(c.Arguments) {
			w.piece("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": object{"type": "input_json_delta", "partial_json": half}})
		}
		w.event("content_block_stop", object{"type": "content_block_stop", "index": index})
		index++
	}
	w.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": anthropicStop(r)}, "usage": object{"output_tokens": u.Output}})
	w.event("message_stop", object{"type": "message_stop"})
}

func anthropicStop(r Reply) string {
	switch r.stop() {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "tool_calls":
		return "tool_use"
	}
	return r.Stop
}
