package lang

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/views/format"
)

// number puts the marks of the page's language into numbers that are written as in English.
func number(ctx context.Context, text string) string {
	if marks := Of(ctx).marks; marks != nil {
		return marks.Replace(text)
	}
	return text
}

// Int formats n with a mark between thousands.
func Int(ctx context.Context, n int) string { return number(ctx, format.Int(n)) }

// Decimal formats x with a number of digits after the decimal sign.
func Decimal(ctx context.Context, x float64, digits int) string {
	return number(ctx, strconv.FormatFloat(x, 'f', digits, 64))
}

// Count formats n with its noun in the singular or plural.
func Count(ctx context.Context, n int, one, many string) string {
	return Int(ctx, n) + " " + Noun(ctx, n, one, many)
}

// Noun returns the noun of n things, where their number stands by itself.
func Noun(ctx context.Context, n int, one, many string) string {
	return T(ctx, format.Noun(n, one, many))
}

// Bytes formats a size as [format.Bytes] does.
func Bytes(ctx context.Context, n int64) string { return number(ctx, format.Bytes(n)) }

// Duration formats a duration as [format.Duration] does.
func Duration(ctx context.Context, d time.Duration) string { return number(ctx, format.Duration(d)) }

// Millis formats a duration in whole milliseconds without a unit, for a column that names it.
func Millis(ctx context.Context, d time.Duration) string { return number(ctx, format.Millis(d)) }

// moment is the layout of a date with its time of day.
const moment = "2 January 2006, 15:04"

// Moment formats a date with its time of day.
func Moment(ctx context.Context, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Date(ctx, t, moment)
}

// Date formats a date by a layout, which is a phrase of the catalogue, with the name of the month.
func Date(ctx context.Context, t time.Time, layout string) string {
	layout = T(ctx, layout)
	for _, name := range []string{"January", "Jan"} {
		if before, after, found := strings.Cut(layout, name); found {
			return t.Format(before) + T(ctx, t.Format(name)) + t.Format(after)
		}
	}
	return t.Format(layout)
}
