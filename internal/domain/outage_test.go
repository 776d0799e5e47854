package domain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

type looker func() error

func (l looker) Look(context.Context) error { return l() }

func TestOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var found error
		looks := 0
		o := domain.Outage{Pause: 5 * time.Second, Now: time.Now, Server: looker(func() error {
			looks++
			time.Sleep(time.Second)
			return found
		})}
		standing := func(want error, looked int) {
			t.Helper()
			began := time.Now()
			if err := o.Standing(); !errors.Is(err, want) {
				t.Errorf("after %d looks: %v, want %v", looks, err, want)
			}
			if synctest.Wait(); time.Since(began) > 0 || looks != looked {
				t.Errorf("it took %v, with %d looks, want none and %d", time.Since(began), looks, looked)
			}
		}
		standing(nil, 0)
		gone := domain.Errorf(domain.Unavailable, "It does not answer.")
		since := time.Now()
		synctest.Wait()
		found = gone
		err := o.Begin(gone)
		if at, ok := domain.AwaySince(err); !ok || !at.Equal(since) || domain.KindOf(err) != domain.Unavailable || domain.InWords(err) != gone.Message {
			t.Errorf("the error is %v, since %v", err, at)
		}
		standing(gone, 0)
		time.Sleep(5 * time.Second)
		standing(gone, 1)
		standing(gone, 1) // one look at a time
		time.Sleep(2 * time.Second)
		standing(gone, 1) // and a pause after it
		time.Sleep(5 * time.Second)
		synctest.Wait()
		found = domain.Errorf(domain.Invalid, "It rejects the password.")
		standing(gone, 2)
		time.Sleep(2 * time.Second)
		standing(found, 2)
		if at, ok := domain.AwaySince(o.Standing()); !ok || !at.Equal(since) {
			t.Errorf("away since %v, want %v", at, since)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		found = nil
		o.Standing()
		time.Sleep(2 * time.Second)
		standing(nil, 3)
		o.Suspect()
		o.Suspect()
		standing(nil, 4)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		found = gone
		o.Suspect()
		standing(nil, 5) // a look goes on
		time.Sleep(2 * time.Second)
		standing(gone, 5)
		o.End()
	})
}

// late never answers.
type late struct{}

func (late) Look(ctx context.Context) error {
	<-ctx.Done()
	return fmt.Errorf("make indexes: %w", ctx.Err())
}

// TestALookWithoutTimeFindsTheServerAway: what a look returns is what everybody else is told meanwhile, so it has to be an
// error that passes.
func TestALookWithoutTimeFindsTheServerAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := domain.Outage{Pause: time.Hour, Now: time.Now, Server: late{}, Says: "It does not answer."}
		o.Suspect()
		time.Sleep(time.Minute)
		synctest.Wait()
		if err := o.Standing(); domain.KindOf(err) != domain.Unavailable || domain.InWords(err) != o.Says || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the outage stands as %v, of the kind %s", err, domain.KindOf(err))
		}
	})
}
