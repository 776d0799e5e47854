package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/views/format"
)

// waits prints on standard error why and until when the runs that a command follows wait: once for each reason, however
// many runs share it.
type waits struct {
	reason string    // the last one printed
	until  time.Time // the time printed with it
	full   bool      // it was printed that the queue is full
	traced int       // documents whose steps are shown
}

// maxTracedDocuments is how many documents the steps are printed of.
const maxTracedDocuments = 20

// traces prints the name of a document whose steps follow, and reports whether they do. If there are many documents, it
// prints once that their steps are left out.
func (w *waits) traces(s env, name string) bool {
	w.traced++
	switch {
	case w.traced <= maxTracedDocuments:
		fmt.Fprintln(s.stderr, name)
	case w.traced == maxTracedDocuments+1:
		fmt.Fprintf(s.stderr, "The steps of %d documents were printed. clew run list --kind ingest names the runs of the others, clew run show prints their steps.\n", maxTracedDocuments)
	}
	return w.traced <= maxTracedDocuments
}

// lookEvery is how often a followed run is checked, and sayAgain how long a reason must have been gone to be printed
// again.
const (
	lookEvery = 500 * time.Millisecond
	sayAgain  = time.Hour
)

// during looks at a run while f works.
func (w *waits) during(ctx context.Context, a *app, id domain.RunID, name string, f func() error) error {
	looking, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for tick := time.NewTicker(lookEvery); ; {
			select {
			case <-looking.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
			if r, err := a.queue.Get(looking, domain.WorkspaceOf(ctx), id); err == nil { // if not, f returns the error
				w.say(a, r, name)
			}
		}
	})
	defer done.Wait()
	defer stop()
	return f()
}

// say prints that a run waits, unless it does not wait or that was printed before.
func (w *waits) say(a *app, r job.Run, name string) {
	line, reason := "", r.Problem
	switch {
	case !r.Status.Pending():
		return
	case r.Status.Asleep():
		reason = "paused"
		line = name + " is paused. clew documents go-on lets it be read; Ctrl-C leaves it as it is."
	case reason == "" || !r.NextTry.After(a.env.now()):
		return
	default:
		line = fmt.Sprintf("%s waits until %s at most. %s", name, format.Moment(r.NextTry), reason)
	}
	if reason == w.reason && r.NextTry.Sub(w.until) < sayAgain {
		return
	}
	w.reason, w.until = reason, r.NextTry
	a.remark(line)
}

// room prints once that the queue is full.
func (w *waits) room(a *app, refusal error) {
	if !w.full {
		a.remark("Waiting for room in the queue, to add the rest as documents are read. " + domain.InWords(refusal))
	}
	w.full = true
}

// remark prints a line on standard error, in place of the progress on a terminal.
func (a *app) remark(line string) {
	if a.env.terminal {
		fmt.Fprint(a.env.stderr, "\r\x1b[K")
	}
	fmt.Fprintln(a.env.stderr, line)
}

// followUp carries out the queued work that follows changes of documents, unless another process does it: it compares
// entities and embeds sentences. Work that fails stays in the queue and is not an error, because the documents have
// been read.
func (a *app) followUp(ctx context.Context) error {
	if err := a.followUpBy(ctx, a.proposals.Background, "Comparing entities …", "Entities are not compared yet"); err != nil {
		return err
	}
	return a.followUpBy(ctx, a.maintenance.Embedding(), "Embedding sentences …", "Not all sentences are embedded yet")
}

func (a *app) followUpBy(ctx context.Context, b run.Background, doing, undone string) error {
	for said := false; ; said = true { // two documents that end together may order two comparisons
		waiting, err := a.queue.Count(ctx, domain.WorkspaceOf(ctx), job.Query{Kind: b.Kind, Status: []job.Status{job.Waiting, job.Capped}})
		if err != nil || waiting == 0 {
			return err
		}
		if others, err := a.others(ctx); err != nil || others {
			return err
		}
		if !said {
			a.remark(doing)
		}
		r, err := a.once(ctx, b)
		switch {
		case ctx.Err() != nil:
			return domain.Errorf(domain.Unavailable, "Stopped. It continues when the program next runs.")
		case err != nil:
			return err
		case r.Status != job.Done:
			a.remark(undone + ": " + cmp.Or(r.Problem, "another process does it.") + " clew serve and clew work try it again.")
			return nil
		}
	}
}

// others reports whether another process works on the queue.
func (a *app) others(ctx context.Context) (bool, error) {
	alive, err := a.queue.LiveProcesses(ctx, a.process.Gone, aliveWithin)
	for _, p := range alive {
		if p != a.process {
			return true, err
		}
	}
	return false, err
}

// once carries out a run in the background, with one try, unless another process has begun it.
func (a *app) once(ctx context.Context, b run.Background) (r job.Run, err error) {
	worker := a.worker(nil)
	if err := worker.Start(ctx); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, worker.Stop(context.WithoutCancel(ctx))) }()
	if r, err = b.Start(ctx, domain.WorkspaceOf(ctx)); err != nil {
		return r, err
	}
	if mine, err := worker.TakeUp(ctx, r.ID); err != nil || !mine {
		return r, err
	}
	return worker.Do(ctx, r.ID)
}
