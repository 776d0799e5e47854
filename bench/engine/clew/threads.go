package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/migrations"
)

type database struct {
	db    *sqlite.DB
	store *checkpoint.Checkpointer
}

func (w *works) path(name string) string { return filepath.Join(w.folder, name+".db") }

// open opens or creates a database. With full, commits survive a power failure.
func open(path string, full bool) database {
	db := must(sqlite.Open(ctx, path, sqlite.Options{}))
	check(migrations.Up(ctx, db.Writer))
	if full {
		must(db.Writer.ExecContext(ctx, "PRAGMA synchronous=FULL"))
	}
	return database{db, must(checkpoint.New(ctx, db.Writer, db.Reader, time.Now))}
}

func (d database) close() {
	check(d.store.Close())
	check(d.db.Close())
}

// durable runs steps on a new thread.
func (w *works) durable(work string, steps int) func() float64 {
	db := open(w.path(work), work == "durable_full")
	g := growing(steps, 0, nil, stategraph.WithCheckpointer(db.store), stategraph.WithCodec(checkpoint.NewCodec()))
	threads := 0
	return func() float64 {
		threads++
		must(g.Run(ctx, values{}, stategraph.Thread(fmt.Sprint("t", threads)), stategraph.RecursionLimit(limit)))
		return 0
	}
}

// grow runs steps in a new database and returns its size in MB.
func (w *works) grow(steps int) func() float64 {
	return func() float64 {
		path := w.path("grow")
		open(path, false).close()
		empty := must(os.Stat(path)).Size()
		db := open(path, false)
		g := growing(steps, 0, func(step int) {
			switch step {
			case 10, 110, steps - 100, steps:
				w.mark()
			}
		}, stategraph.WithCheckpointer(db.store), stategraph.WithCodec(checkpoint.NewCodec()))
		must(g.Run(ctx, values{}, stategraph.Thread("t"), stategraph.RecursionLimit(limit)))
		db.close()
		grown := must(os.Stat(path)).Size()
		check(os.Remove(path))
		return float64(grown-empty) / 1e6
	}
}

const endless = 1 << 30

// plain selects encoding/json, the engine's default codec.
var plain state.Codec

// reading reads a thread of messages, each from a separate step.
func (w *works) reading(work string, messages int, coded state.Codec) func() float64 {
	db := open(w.path(fmt.Sprintf("%s-%T", work, coded)), false)
	g := growing(messages, endless, nil, stategraph.WithCheckpointer(db.store), stategraph.WithCodec(coded))
	stop := []stategraph.RunOption{stategraph.RecursionLimit(endless), stategraph.StopBefore("ask")}
	_, err := g.Run(ctx, values{}, append(stop, stategraph.Thread("t"))...)
	stopped(err)
	return func() float64 {
		switch work {
		case "resume":
			_, err := g.Resume(ctx, "t", stop...)
			stopped(err)
		case "state":
			must(g.StateAt(ctx, "t", messages))
		case "history":
			must(g.History(ctx, "t", 10))
		}
		return 0
	}
}

// stopped checks that a run ended by its stop.
func stopped(err error) {
	if _, ok := errors.AsType[*stategraph.StoppedError](err); !ok {
		check(fmt.Errorf("the run has not stopped: %w", err))
	}
}
