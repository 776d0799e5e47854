package chart

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/llm"
)

// Specification is a requested chart, none of which has been verified.
type Specification struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Unit   string  `json:"unit"`
	X      string  `json:"x"` // title of the axis of categories, or of X
	Y      string  `json:"y"` // title of the axis of values
	Points []Datum `json:"points"`
}

// Datum is one value of a specification with its claimed source.
type Datum struct {
	Series   string `json:"series"`
	Category string `json:"category"` // not of a scatter
	X        string `json:"x"`        // of a scatter: a number
	Value    string `json:"value"`    // a number as people write it
	Passage  int    `json:"passage"`  // number of the passage; 0 for none
	Count    int    `json:"count"`    // number of the count; 0 for none
}

// Limits of a model's answer, far above the limits of a chart.
const (
	maxAnswer = 1 << 20 // bytes
	maxData   = 2000
)

// ParseSpecification parses a model's answer: a JSON object, perhaps in a fence
// or between thoughts and words. Numbers may be strings and the reverse. The
// error is a sentence for the model.
func ParseSpecification(answer string) (Specification, error) {
	if len(answer) > maxAnswer {
		return Specification{}, errors.New("the answer is too long")
	}
	v, whole, err := llm.ReadJSON(answer, func(v any) bool {
		o, ok := v.(llm.Object)
		return ok && o.Has("points")
	})
	if err != nil {
		return Specification{}, errors.New("the answer holds no JSON object with points")
	}
	if !whole {
		return Specification{}, errors.New("the answer was cut off: give fewer points")
	}
	o, _ := v.(llm.Object)
	s := Specification{Type: o.Text("type"), Title: o.Text("title"), Unit: o.Text("unit"), X: textOf(o, "x"), Y: textOf(o, "y")}
	points := o.List("points")
	if len(points) > maxData {
		return Specification{}, errors.New("there are " + strconv.Itoa(len(points)) + " points, more than any chart may have")
	}
	for _, item := range points {
		p, ok := item.(llm.Object)
		if !ok {
			return Specification{}, errors.New("points is not a list of objects")
		}
		s.Points = append(s.Points, Datum{
			Series: textOf(p, "series"), Category: textOf(p, "category"), X: textOf(p, "x"), Value: textOf(p, "value"),
			Passage: number(p, "passage"), Count: number(p, "count"),
		})
	}
	return s, nil
}

// textOf returns a member that is a string or a number, else "".
func textOf(o llm.Object, name string) string {
	v, _ := o.Find(name)
	text, _ := v.(string)
	if jsonNumber.MatchString(text) {
		return plainNumber(text)
	}
	return text
}

var jsonNumber = regexp.MustCompile(`^-?\d+(?:\.\d+)?[eE][-+]?\d+$`)

// plainNumber writes a JSON number without an exponent, as in a text.
func plainNumber(digits string) string {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !strings.ContainsAny(digits, "eE") {
		return digits
	}
	return formatNumber(v)
}

// number returns a member that is a positive number, perhaps written as "[2]",
// else 0.
func number(o llm.Object, name string) int {
	n, err := strconv.Atoi(strings.Trim(textOf(o, name), "[] "))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

var plainDecimal = regexp.MustCompile(`^[-−+]?\d+(?:\.\d+)?$`)

// parseAmount parses a number of a specification.
func parseAmount(text string) (quantity, bool) {
	text = strings.TrimSpace(text)
	if plainDecimal.MatchString(text) && len(text) <= maxNumeral {
		v, err := strconv.ParseFloat(strings.TrimPrefix(strings.Replace(text, "−", "-", 1), "+"), 64)
		return quantity{values: []float64{v}, scale: 1}, err == nil
	}
	all := quantities(text)
	if len(all) == 0 {
		return quantity{}, false
	}
	return all[0], true
}
