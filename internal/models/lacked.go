package models

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/models/connections"
)

// lacked stands for an embedding model that is connected, while this process lacks its
// files or its key. What needs vectors waits for a process that has them: a document
// that was read without would be found by words alone, and nobody would know.
type lacked struct{ model, why string }

var _ llm.Embedder = (*lacked)(nil)

// lackedOf returns the connected embedding model if it can't be used here, or nil.
func lackedOf(all connections.Connected, given config.Config) *lacked {
	i := slices.IndexFunc(all, func(c connections.Connection) bool { return c.Role == connections.Embed && c.Problem != "" })
	if i < 0 || given.Embed.Given() {
		return nil
	}
	return &lacked{embeddingModel(all[i].Endpoint()), all[i].Problem}
}

// Model implements llm.Embedder.
func (l *lacked) Model() string { return l.model }

// Embed implements llm.Embedder.
func (l *lacked) Embed(context.Context, []string) ([][]float32, error) {
	return nil, &llm.Error{Fault: llm.Unreachable, Message: "The embedding model " + l.model + " is connected, and this process can't use it, so this waits for one that can. " + l.why}
}
