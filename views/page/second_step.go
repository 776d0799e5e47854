package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/views/diagram/qr"
	"github.com/clewhq/clew/views/layout"
)

// StepProps reports whether codes are asked for at sign-in.
type StepProps struct {
	Asked    bool
	Left     int    // recovery codes
	Required bool   // for everybody
	Problem  string // why they are still required
}

// SecondStepProps is the data for the page that sets up codes.
type SecondStepProps struct {
	App     layout.Props
	Secret  string // as text to type
	Code    qr.Code
	Problem string
}

func (p SecondStepProps) viewBox() string { return fmt.Sprintf("0 0 %d %d", p.Code.Size, p.Code.Size) }

// grouped returns the secret in groups of four.
func (p SecondStepProps) grouped() string {
	var groups []string
	for group := range slices.Chunk([]byte(p.Secret), 4) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, " ")
}

// RecoveryProps is the data for the page that shows recovery codes.
type RecoveryProps struct {
	App   layout.Props
	Codes []string
	Next  string // next address
}
