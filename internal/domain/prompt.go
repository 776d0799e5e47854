package domain

import "time"

// PromptVersion is a change of a role's prompt.
type PromptVersion struct {
	Number int       `json:"number"` // among all changes of prompts in the workspace, from 1; 0 is the built-in text before any
	Role   string    `json:"role"`
	Text   string    `json:"text"` // "" means the built-in text
	Note   string    `json:"note"`
	Who    string    `json:"who"` // "" if there are no accounts
	At     time.Time `json:"at"`
}
