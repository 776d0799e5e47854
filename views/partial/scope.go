package partial

import "github.com/clewhq/clew/internal/domain"

// A ScopeItem is one term of what a question is asked within.
type ScopeItem struct {
	Term string // as forms send it
	Sign string // # before a tag, @ before a document, or a word before a day
	Name string
}

// Scope returns the terms of a scope. A document without a name was deleted.
func Scope(s domain.Scope, names map[domain.DocumentID]string) []ScopeItem {
	var items []ScopeItem
	for _, t := range s.Tags {
		items = append(items, ScopeItem{domain.WithinTag + ":" + t, "#", t})
	}
	for _, id := range s.Documents {
		name := names[id]
		if name == "" {
			name = "a deleted document"
		}
		items = append(items, ScopeItem{domain.WithinDocument + ":" + string(id), "@", name})
	}
	if s.From != "" {
		items = append(items, ScopeItem{domain.WithinFrom + ":" + s.From, "added from ", s.From})
	}
	if s.To != "" {
		items = append(items, ScopeItem{domain.WithinTo + ":" + s.To, "added until ", s.To})
	}
	return items
}

// A WithinOption is a term that completes what is being typed.
type WithinOption struct {
	ScopeItem
	Note string
}
