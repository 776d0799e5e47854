package main

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/connections"
	"github.com/clewhq/clew/internal/llm"
)

// A lackedEmbedder stands for an embedding model that is connected, while this process
// lacks its files or its key. What needs vectors waits for a process that has them: a
// document that was read without would be found by words alone, and nobody would know.
type lackedEmbedder struct{ model, why string }

var _ llm.Embedder = (*lackedEmbedder)(nil)

// unembeddable returns the connected embedding model if it can't be used here, or nil.
func unembeddable(kept connections.Set, given config.Config) *lackedEmbedder {
	i := slices.IndexFunc(kept, func(c connections.Connection) bool { return c.Role == connections.Embed && c.Problem != "" })
	if i < 0 || given.Embed.Given() {
		return nil
	}
	return &lackedEmbedder{embeddingModel(config.Config{Embed: kept[i].Endpoint()}), kept[i].Problem}
}

// Model implements llm.Embedder.
func (l *lackedEmbedder) Model() string { return l.model }

// Embed implements llm.Embedder.
func (l *lackedEmbedder) Embed(context.Context, []string) ([][]float32, error) {
	return nil, &llm.Error{Fault: llm.Unreachable, Message: "The embedding model " + l.model + " is connected, and this process can't use it, so this waits for one that can. " + l.why}
}
