package domain

import (
	"log/slog"
	"strings"
)

// LogValue makes the log show the error as ErrorValue does.
func (e *Error) LogValue() slog.Value { return ErrorValue(e) }

// ErrorValue returns err as a group for the log: its kind, its text as the
// message, and the causes that the text leaves out.
//
// A wrapped *Error is no slog.LogValuer, so the program's logger calls
// ErrorValue for every error.
func ErrorValue(err error) slog.Value {
	attrs := []slog.Attr{slog.String("kind", KindOf(err).String()), slog.String("message", err.Error())}
	if texts := hiddenCauses(err, []string{err.Error()})[1:]; len(texts) > 0 {
		attrs = append(attrs, slog.String("cause", strings.Join(texts, ": ")))
	}
	return slog.GroupValue(attrs...)
}

// hiddenCauses appends the texts in err's tree, outermost first, that are not
// part of one before them.
func hiddenCauses(err error, texts []string) []string {
	var causes []error
	switch e := err.(type) { //nolint:errorlint // each level of the chain is looked at by itself
	case interface{ Unwrap() error }:
		causes = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		causes = e.Unwrap()
	}
	for _, cause := range causes {
		if cause == nil {
			continue
		}
		if text := cause.Error(); !strings.Contains(strings.Join(texts, "\n"), text) {
			texts = append(texts, text)
		}
		texts = hiddenCauses(cause, texts)
	}
	return texts
}
