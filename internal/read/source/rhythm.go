package source

import (
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// The bounds of a rhythm.
const (
	leastRhythm = 5 * time.Minute
	mostRhythm  = 31 * 24 * time.Hour
)

const daily = "daily "

// AtOnce is the rhythm of sources that report their changes. They are also looked at each atOnceRest, because not every
// system reports all changes.
const (
	AtOnce     = "at once"
	atOnceRest = 15 * time.Minute
)

// checkRhythm returns a rhythm in its one form: a duration, a time of day as "daily 04:00", AtOnce, or "" for looks only on demand.
func checkRhythm(r string) (string, error) {
	r = strings.ToLower(domain.OneLine(r))
	switch r {
	case "", "never":
		return "", nil
	case AtOnce, "at-once":
		return AtOnce, nil
	}
	if at, is := strings.CutPrefix(r, daily); is {
		if t, err := time.Parse("15:04", at); err == nil {
			return daily + t.Format("15:04"), nil
		}
	}
	d, err := time.ParseDuration(r)
	if err != nil || d < leastRhythm || d > mostRhythm {
		return "", domain.Because(domain.Invalid, err, "How often it is looked at should be a time such as 30m, 1h or 24h, from 5m to 744h, or a time of day as daily 04:00, at once for a folder, or never.")
	}
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour), nil
	}
	return fmt.Sprintf("%dm", d/time.Minute), nil
}

// rhythmOf returns a rhythm in its one form, if places of a kind can be looked at so.
func rhythmOf(kind Kind, r string) (string, error) {
	r, err := checkRhythm(r)
	if _, notices := kind.(Noticer); err == nil && r == AtOnce && !notices {
		err = domain.Errorf(domain.Invalid, "Only a folder tells of its changes at once. Choose a time such as 5m.")
	}
	return r, err
}

// next returns when a source with a rhythm is looked at after now, the zero time for on demand.
func next(rhythm string, now time.Time) time.Time {
	if at, is := strings.CutPrefix(rhythm, daily); is {
		var hour, minute int
		if _, err := fmt.Sscanf(at, "%d:%d", &hour, &minute); err != nil {
			return time.Time{}
		}
		then := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
		if !then.After(now) {
			then = then.AddDate(0, 0, 1)
		}
		return then
	}
	if rhythm == AtOnce {
		return now.Add(atOnceRest)
	}
	d, err := time.ParseDuration(rhythm)
	if err != nil {
		return time.Time{}
	}
	return now.Add(d)
}
