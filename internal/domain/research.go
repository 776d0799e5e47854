package domain

// A PlannedQuestion is one question of a plan of research.
type PlannedQuestion struct {
	N     int    `json:"n"` // from 1
	Text  string `json:"text"`
	Topic string `json:"topic,omitempty"` // words of the library that Text is about
	Round int    `json:"round"`           // from 1; 0 if a person wrote it
	Came  Came   `json:"came,omitempty"`  // once its run is over
}

// Came is the outcome of a planned question.
type Came string

// What can come of a question; "" of one that was not answered to the end.
const (
	CameAnswered Came = "answered"
	CameAbove    Came = "above"   // answered by sentences that an earlier question has
	CameNothing  Came = "nothing" // the documents give no answer
)
