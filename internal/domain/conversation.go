package domain

// The longest title that a person gives a conversation, and the longest reason for
// what one says of an answer, in code points.
const (
	MaxTitle  = 200
	MaxReason = 500
)
