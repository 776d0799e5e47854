package llm

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/emit"
)

// reports keeps what a call says of how far it is.
type reports struct{ list []domain.Wait }

func (r *reports) Emit(kind string, payload any) {
	if w, ok := payload.(domain.Wait); ok && kind == domain.EventWait {
		r.list = append(r.list, w)
	}
}

func TestALongCallTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reported := func(work func(q *Request)) []domain.Wait {
			var r reports
			var q Request
			over := progress(context.WithValue(t.Context(), emit.Key{}, &r), &q)
			work(&q)
			over()
			return r.list
		}
		said := func(why string) domain.Wait { return domain.Wait{For: domain.WaitModel, Why: why} }
		got := reported(func(q *Request) {
			time.Sleep(6 * time.Second)
			q.OnProgress(1200)
			time.Sleep(10 * time.Second)
		})
		want := []domain.Wait{
			said("which has been at work for 5 seconds"), said("which has been writing for 15 seconds, 1,200 characters so far"), {For: domain.WaitModel, Over: true},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if got := reported(func(*Request) { time.Sleep(4 * time.Second) }); len(got) > 0 {
			t.Errorf("a short call tells %v", got)
		}
		if got := reported(func(*Request) { time.Sleep(time.Hour) }); len(got) > 66 {
			t.Errorf("a call of an hour tells %d times", len(got))
		}
	})
}
