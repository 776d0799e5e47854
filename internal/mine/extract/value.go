package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// The types of a property's value.
const (
	Text   = "text"
	Number = "number"
	Year   = "year"
	Date   = "date"
	YesNo  = "yes/no"
)

// ValueTypes lists the types of a property's value.
func ValueTypes() []string { return []string{Text, Number, Year, Date, YesNo} }

const (
	monthNames = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
	yearDigits = `[-−]?\d{1,4}(?: ?(?:bce?|ce|ad))?`
	dayDigits  = `\d{1,2}(?:st|nd|rd|th)?`
)

var (
	numberForm = regexp.MustCompile(`^[-+−]?\d[\d  ,.]*%?$`)
	yearForm   = regexp.MustCompile(`^(?i:` + yearDigits + `)$`)
	dateForm   = regexp.MustCompile(`^(?i:` + yearDigits + `|\d{1,4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}` +
		`|(?:` + dayDigits + ` )?(?:of )?` + monthNames + `,?(?: ` + yearDigits + `)?|` + monthNames + ` ` + dayDigits + `,?(?: ` + yearDigits + `)?)$`)
)

// fitsType reports whether a value is of a type; "" is text.
func fitsType(value, kind string) bool {
	value = strings.TrimSpace(value)
	switch kind {
	case Number:
		return numberForm.MatchString(value)
	case Year:
		return yearForm.MatchString(value)
	case Date:
		return dateForm.MatchString(value)
	case YesNo:
		return slices.Contains([]string{"yes", "no", "true", "false"}, strings.ToLower(value))
	}
	return true
}

// Keys returns the properties that the schema declares for a label or a type.
func (s Schema) Keys(of string) []string {
	var keys []string
	for _, r := range s.rules(of) {
		keys = append(keys, r.Key)
	}
	return keys
}

// CheckValue returns an error of kind Invalid for a value that is not of the
// type which the schema declares for a property of a label or a type.
func (s Schema) CheckValue(of, key, value string) error {
	for _, r := range s.rules(of) {
		if strings.EqualFold(r.Key, key) && !fitsType(value, r.Type) {
			return domain.Errorf(domain.Invalid, "“%s” is not of the type %s, which the schema requires of %s.", value, r.Type, r.Key)
		}
	}
	return nil
}
