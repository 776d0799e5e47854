package outline

import "github.com/clewhq/clew/internal/domain"

// A Section is a part of a report of research: a question of the plan with what was found, or the overview, whose question is "".
type Section struct {
	N         int               `json:"n"`
	Question  string            `json:"question,omitempty"`
	Round     int               `json:"round,omitempty"` // in which it was asked; 0 if a person wrote it
	Came      domain.Came       `json:"came,omitempty"`
	Remark    string            `json:"remark,omitempty"` // in place of sentences
	Sentences []domain.Sentence `json:"sentences"`
}
