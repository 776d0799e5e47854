package measure

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// AnswerScore counts how the questions of a folder were answered.
type AnswerScore struct {
	Folder    string  `json:"folder"`
	Questions int     `json:"questions"`
	Answered  int     `json:"answered"`       // with citations
	YesNo     int     `json:"yes_no"`         // of the answered: the right answer is yes or no, which no sentence contains
	Right     int     `json:"right"`          // of the other answered: the text contains the right answer
	OneGold   int     `json:"cites_one_gold"` // of the answered: a needed passage is cited
	AllGold   int     `json:"cites_all_gold"` // of the answered: all needed passages are cited
	Good      int     `json:"right_or_all"`   // right, or citing all needed passages
	Blind     int     `json:"answered_blind"` // answered with the needed passages hidden
	P50       float64 `json:"ms_p50"`
	Replies   []Reply `json:"replies"`
	Blinded   []Reply `json:"replies_blind"` // with the needed passages hidden
}

// scoreAnswers compares replies with the judgements.
func scoreAnswers(open, blind []Reply, judgements []Judgement) AnswerScore {
	s := AnswerScore{Questions: len(judgements), Replies: open, Blinded: blind}
	var took []float64
	for i, j := range judgements {
		took = append(took, float64(open[i].Took.Microseconds())/1000)
		if blind[i].Answered {
			s.Blind++
		}
		if open[i].Answered {
			s.count(open[i], j)
		}
	}
	slices.Sort(took)
	s.P50 = domain.Percentile(took, 50)
	return s
}

// count adds an answered question.
func (s *AnswerScore) count(r Reply, j Judgement) {
	s.Answered++
	right := false
	if yesNo := j.Answer == "yes" || j.Answer == "no"; yesNo {
		s.YesNo++
	} else if right = j.holds(r.Answer); right {
		s.Right++
	}
	cited := 0
	for _, g := range j.Gold {
		if slices.Contains(r.Cited, g) {
			cited++
		}
	}
	all := cited == len(j.Gold) && cited > 0
	if cited > 0 {
		s.OneGold++
	}
	if all {
		s.AllGold++
	}
	if right || all {
		s.Good++
	}
}

// holds reports whether a text contains the words of the answer or an alias.
func (j Judgement) holds(text string) bool {
	words := " " + normalize(text) + " "
	return slices.ContainsFunc(append([]string{j.Answer}, j.Aliases...), func(a string) bool {
		a = normalize(a)
		return a != "" && strings.Contains(words, " "+a+" ")
	})
}

// normalize returns the words of a text in lower case, without articles and
// punctuation.
func normalize(text string) string {
	var words []string
	for w := range strings.FieldsSeq(prose.Key(text)) {
		if w != "a" && w != "an" && w != "the" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}
