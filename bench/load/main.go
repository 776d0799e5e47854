// Command load measures the program under load: it starts a server on an empty
// data folder with the sample library and accounts, then lets many people ask,
// add documents and watch streams at once. It prints rates and percentiles, and
// fails if anything that was asked for was not carried out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"
)

// load is how much happens at once.
type load struct {
	askers    int // people who ask, each the next question when the last one is answered
	uploaders int // people who add one document after the other
	streams   int // opened on the list of documents and kept open
	duration  time.Duration
}

// streamsEach is how many streams each signed-in browser opens.
const streamsEach = 8

func main() {
	var l load
	clew := flag.String("clew", "../bin/clew", "the program to measure")
	flag.IntVar(&l.askers, "asking", 64, "people who ask at the same time")
	flag.IntVar(&l.uploaders, "uploading", 4, "people who add documents at the same time")
	flag.IntVar(&l.streams, "streams", 2000, "streams opened meanwhile")
	flag.DurationVar(&l.duration, "for", time.Minute, "how long")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *clew, l)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, clew string, l load) (err error) {
	s, err := startServer(ctx, clew, max(l.askers, l.uploaders))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	before, err := s.measure(ctx, load{askers: 1, duration: l.duration / 6})
	if err != nil {
		return err
	}
	opened, err := s.openStreams(ctx, l.streams)
	if err != nil {
		return err
	}
	defer opened.close()
	under, err := s.measure(ctx, l)
	if err != nil {
		return err
	}
	peak, err := s.peakMemory()
	if err != nil {
		return err
	}
	fmt.Printf("streams            %d open, %d refused, %d still open at the end\n", opened.open, opened.refused, opened.alive())
	fmt.Printf("one person asking  %s\n", before.asked)
	fmt.Printf("%-3d asking         %s\n", l.askers, under.asked)
	fmt.Printf("%-3d uploading      %s\n", l.uploaders, under.uploaded)
	fmt.Printf("peak memory        %.0f MB\n", float64(peak)/1e6)
	return errors.Join(before.err(), under.err())
}

// result counts the outcomes of the requests of one measurement.
type result struct {
	mu       sync.Mutex
	asked    tally
	uploaded tally
	errs     []error
}

func (r *result) err() error { return errors.Join(r.errs...) }

// fail notes an error. The first few say enough.
func (r *result) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errs) < 5 {
		r.errs = append(r.errs, err)
	}
}

func (r *result) add(t *tally, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.took = append(t.took, took)
}

func (r *result) refuse(t *tally) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.refused++
}

// measure lets people ask and upload for the duration of l. What has begun by
// then is finished.
func (s *server) measure(ctx context.Context, l load) (*result, error) {
	r, end := &result{}, time.Now().Add(l.duration)
	var all sync.WaitGroup
	each := func(n int, t *tally, do func(ctx context.Context, p *person, i int) error) {
		for k := range n {
			all.Go(func() {
				p := s.people[k%len(s.people)]
				for i := 0; time.Now().Before(end) && ctx.Err() == nil; i++ {
					began := time.Now()
					var later *tooManyError
					switch err := do(ctx, p, i); {
					case errors.As(err, &later):
						r.refuse(t)
						pause(ctx, later.after)
					case err != nil:
						r.fail(err)
						return
					default:
						r.add(t, time.Since(began))
					}
				}
			})
		}
	}
	each(l.askers, &r.asked, s.ask)
	each(l.uploaders, &r.uploaded, s.upload)
	all.Wait()
	r.asked.seconds, r.uploaded.seconds = l.duration.Seconds(), l.duration.Seconds()
	return r, ctx.Err()
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
