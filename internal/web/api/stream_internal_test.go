package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/trace"
)

// TestFramesAfterEach has a client cut off after each frame of news: it is sent the rest, and nothing twice, also where several steps
// ended with one event.
func TestFramesAfterEach(t *testing.T) {
	t.Parallel()
	var news questions.News
	for seq := range 9 {
		news.Events = append(news.Events, trace.Event{Seq: seq + 1})
	}
	for _, at := range []int{2, 5, 5, 5, 8} {
		news.Steps = append(news.Steps, questions.Told{Node: string(rune('a' + len(news.Steps))), At: at})
	}
	news.Gist = "It went well."
	since := func(seen place) (frames []frame) { // as [report.Runs.Follow] would tell it anew
		rest := questions.News{Gist: news.Gist}
		for _, e := range news.Events {
			if e.Seq > seen.event {
				rest.Events = append(rest.Events, e)
			}
		}
		for _, s := range news.Steps {
			if s.At > seen.event {
				rest.Steps = append(rest.Steps, s)
			}
		}
		if len(rest.Events) == 0 {
			return nil
		}
		frames, _ = framesOf(rest, seen)
		return frames
	}
	told := func(frames []frame) (list []any) {
		for _, f := range frames {
			list = append(list, f.data)
		}
		return list
	}
	whole := since(place{})
	var ids []string
	for i, f := range whole {
		ids = append(ids, f.seen.String())
		if diff := cmp.Diff(told(whole[i+1:]), told(since(f.seen))); diff != "" {
			t.Errorf("after %v: -want +got\n%s", f.seen, diff)
		}
	}
	if diff := cmp.Diff([]string{"1.1", "4.1", "4.2", "4.3", "7.1", "9"}, ids); diff != "" {
		t.Errorf("ids: -want +got\n%s", diff)
	}
}
