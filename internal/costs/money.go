package costs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Money is an amount in millionths of a currency's unit. Sums of it are exact.
type Money int64

// unit is one dollar, or one of another currency.
const unit Money = 1_000_000

// signs are written before an amount; other currencies are named after it.
var signs = map[string]string{"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}

// In writes an amount in a currency: with cents from a dime on, with two significant
// digits below, so that a small amount is never written as nothing.
func (m Money) In(currency string) string {
	places := 2
	for least := unit / 10; m > 0 && m < least && places < 6; least /= 10 {
		places++
	}
	return m.in(currency, places)
}

// Fine formats the cost of one or a few calls: with four decimal places below a dollar, so that the digits of a column
// align.
func (m Money) Fine(currency string) string {
	const places, least = 4, unit / 10_000
	switch {
	case m == 0 || m >= unit:
		return m.In(currency)
	case m > 0 && m < least/2:
		return "< " + least.in(currency, places)
	}
	return m.in(currency, places)
}

func (m Money) in(currency string, places int) string {
	if m < 0 {
		return "−" + (-m).in(currency, places)
	}
	digits := m.digits(places)
	if sign := signs[currency]; sign != "" {
		return sign + digits
	}
	return strings.TrimSpace(digits + " " + currency)
}

func (m Money) digits(places int) string {
	step := unit
	for range places {
		step /= 10
	}
	m = (m + step/2) / step * step // rounds half a step up
	whole, rest := m/unit, fmt.Sprintf("%06d", m%unit)
	return domain.Thousands(int(whole)) + "." + rest[:places]
}

// Decimal writes an amount as a plain number, which ParseMoney reads back exactly.
func (m Money) Decimal() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	text := fmt.Sprintf("%s%d.%06d", sign, m/unit, m%unit)
	whole, rest, _ := strings.Cut(text, ".")
	rest = strings.TrimRight(rest, "0")
	for len(rest) < 2 {
		rest += "0"
	}
	return whole + "." + rest
}

// MarshalJSON writes an amount as a number of units, not of millionths.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.Decimal()), nil }

// most is the largest amount that is read: sums of many such can't overflow.
const most = 1_000_000_000 * unit

// ParseMoney reads an amount such as 5, 0.15, $5.00 or 1,200.50, without going through a
// fraction of binary digits.
func ParseMoney(text string) (Money, error) {
	bad := domain.Errorf(domain.Invalid, "%q is not an amount of money: write it like 5 or 0.15, with at most six digits after the point.", text)
	s := strings.TrimSpace(text)
	for _, sign := range signs {
		s = strings.TrimPrefix(s, sign)
	}
	whole, rest, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(s), ",", ""), ".")
	if whole == "" && rest == "" || len(rest) > 6 || strings.ContainsAny(whole+rest, "+-_") {
		return 0, bad
	}
	n, err := strconv.ParseInt(whole+rest+strings.Repeat("0", 6-len(rest)), 10, 64)
	if err != nil || Money(n) > most {
		return 0, bad
	}
	return Money(n), nil
}

// UnmarshalJSON reads an amount as MarshalJSON writes it.
func (m *Money) UnmarshalJSON(data []byte) (err error) {
	*m, err = ParseMoney(string(data))
	return err
}
