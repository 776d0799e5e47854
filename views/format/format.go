// Package format writes numbers, sizes and times, each the same way on all pages.
package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Int formats n with commas between thousands.
func Int(n int) string {
	if n < 0 {
		return "−" + Int(-n)
	}
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Capital returns a text whose first letter is a capital.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Count formats n with its noun in the singular or plural.
func Count(n int, one, many string) string {
	return Int(n) + " " + Noun(n, one, many)
}

// Noun returns the noun of n things, where their number stands by itself.
func Noun(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Bytes formats a size with one unit, in powers of 1,000 with at most one
// decimal.
func Bytes(n int64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB"}
	v, unit := float64(n), 0
	for v >= 999.5 && unit < len(units)-1 {
		v, unit = v/1000, unit+1
	}
	if unit == 0 || v >= 10 {
		return fmt.Sprintf("%.0f %s", v, units[unit])
	}
	return strings.Replace(fmt.Sprintf("%.1f %s", v, units[unit]), ".0 ", " ", 1)
}

// Duration formats a duration: "86 ms", "1.9 s", "12 s", "3 min 05 s", "2 h 10
// min".
func Duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "< 1 ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d.Round(time.Second) < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d.Round(time.Second) < time.Hour:
		s := int(d.Round(time.Second).Seconds())
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	m := int(d.Round(time.Minute).Minutes())
	return fmt.Sprintf("%d h %02d min", m/60, m%60)
}

// Millis formats a duration in whole milliseconds without a unit, for a column
// that names it.
func Millis(d time.Duration) string {
	if d > 0 && d < time.Millisecond {
		return "< 1"
	}
	return Int(int(d.Milliseconds()))
}

// Moment formats a date with its time of day.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2 January 2006, 15:04")
}

// Clock formats a time of day to the second.
func Clock(t time.Time) string { return t.Format("15:04:05") }

// Rate writes what a server allows in a minute, "" for any number.
func Rate(calls, tokens int) string {
	var parts []string
	if calls > 0 {
		parts = append(parts, Count(calls, "call", "calls"))
	}
	if tokens > 0 {
		parts = append(parts, Count(tokens, "token", "tokens"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + " per minute"
}

// Words turns a relation's type as stored ("WORKS_FOR") into words.
func Words(kind string) string {
	return strings.ToLower(strings.ReplaceAll(kind, "_", " "))
}
