package documents

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Progress is the progress of reading the library.
type Progress struct{ ledger.Reading }

// Progress sums up the documents that wait or are being read.
func (s *Service) Progress(ctx context.Context, w domain.WorkspaceID) (Progress, error) {
	r, err := s.Ledger.Reading(ctx, w, s.Now())
	return Progress{r}, err
}

// guess is the factor by which the number of passages in an uncut file may differ from the mean.
const guess = 1.5

// Left returns bounds on the time until everything that is not paused has been read, and false if they are unknown.
func (r Progress) Left() (least, most time.Duration, known bool) {
	if r.Slowest <= 0 || r.Running == 0 || r.UncutBytes > 0 && r.CutBytes == 0 {
		return 0, 0, false
	}
	rest, uncut := float64(r.Passages-r.Read), 0.0
	if r.UncutBytes > 0 {
		uncut = float64(r.UncutBytes) * float64(r.Passages) / float64(r.CutBytes)
	}
	seconds := func(passages, rate float64) time.Duration {
		return time.Duration(math.Ceil(passages/(rate*float64(r.Running)))) * time.Second
	}
	return seconds(rest+uncut/guess, r.Fastest), seconds(rest+uncut*guess, r.Slowest), true
}

// String describes in sentences how much has been read, how fast, and how long the rest takes. It is empty before the
// first file is cut.
func (r Progress) String() string {
	if r.Passages == 0 {
		return ""
	}
	var b strings.Builder
	about := ""
	if r.UncutBytes > 0 {
		about = "more than "
	}
	fmt.Fprintf(&b, "%s of %s%s passages read", domain.Thousands(r.Read), about, domain.Thousands(r.Passages))
	if r.Rate > 0 {
		fmt.Fprintf(&b, ", %s a second", rounded(r.Rate))
	}
	b.WriteString(".")
	if least, most, known := r.Left(); known {
		from, to := minutes(least), minutes(most)
		switch {
		case most <= 10*time.Second:
			b.WriteString(" A few seconds left.")
		case most < time.Minute:
			b.WriteString(" Less than a minute left.")
		case from == to:
			fmt.Fprintf(&b, " About %d min left.", to)
		default:
			fmt.Fprintf(&b, " About %d to %d min left.", from, to)
		}
	}
	return b.String()
}

func minutes(d time.Duration) int { return max(1, int(math.Round(d.Minutes()))) }

// rounded writes a rate with two digits that count.
func rounded(rate float64) string {
	if rate >= 10 {
		return domain.Thousands(int(math.Round(rate)))
	}
	return fmt.Sprintf("%.1f", rate)
}

// A Turn is an action on documents that wait or are being read.
type Turn string

// What can be done with documents that wait or are being read.
const (
	PauseThem Turn = "pause" // waiting ones begin only when they are resumed
	GoOnThem  Turn = "go-on"
	ReadFirst Turn = "first" // before all others
	StopThem  Turn = "stop"
)

// Turn does something with the documents that a query selects and that wait or are being read, and returns with how many it
// did.
func (s *Service) Turn(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery, turn Turn) (int, error) {
	docs, err := s.Ledger.ListDocuments(ctx, w, q)
	if err != nil {
		return 0, err
	}
	done := 0
	for i := range docs {
		d := docs[len(docs)-1-i] // the first of them is moved to the front last, so it ends up first
		if d.Status.Settled() {
			continue
		}
		did := true
		switch turn {
		case PauseThem:
			did, err = s.Queue.PauseOne(ctx, w, d.Run)
		case GoOnThem:
			did, err = s.Queue.Wake(ctx, w, d.Run)
		case ReadFirst:
			err = s.Queue.Prefer(ctx, w, d.Run)
		case StopThem:
			err = s.Stop(ctx, w, d.ID)
		default:
			err = domain.Errorf(domain.Invalid, "Choose what to do with the documents.")
		}
		if err != nil {
			return done, err
		}
		if did {
			done++
		}
	}
	return done, nil
}
