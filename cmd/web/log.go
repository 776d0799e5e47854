package main

import (
	"cmp"
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/upkeep/telemetry"
)

// output is a log whose level and secrets are those of the settings in use.
type output struct {
	log   *slog.Logger
	level slog.LevelVar
	mask  atomic.Value // func(string) string
}

// output writes to standard error. It shows every error with its kind and causes, and no secret.
func (s env) output(cfg config.Config) *output {
	o := &output{}
	o.use(cfg)
	o.log = slog.New(about{Handler: slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: &o.level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = domain.ErrorValue(v) // its texts come back here
		case string:
			a.Value = slog.StringValue(o.mask.Load().(func(string) string)(v))
		}
		return a
	}})})
	return o
}

// about is a handler that adds person, workspace, run and trace from the context, unless the line has them.
type about struct {
	slog.Handler
	has []string // keys in all lines
}

// Handle implements slog.Handler.
func (h about) Handle(ctx context.Context, r slog.Record) error {
	has := slices.Clone(h.has)
	r.Attrs(func(a slog.Attr) bool {
		has = append(has, a.Key)
		return true
	})
	of := llm.OwnerOf(ctx)
	for _, a := range []slog.Attr{
		slog.String("person", domain.PersonOf(ctx)), slog.String("workspace", string(cmp.Or(of.Workspace, domain.WorkspaceOf(ctx)))), slog.String("run", string(of.Run)),
		slog.String("trace", telemetry.TraceOf(ctx)),
	} {
		if a.Value.String() != "" && !slices.Contains(has, a.Key) {
			r.AddAttrs(a)
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h about) WithAttrs(attrs []slog.Attr) slog.Handler {
	has := slices.Clone(h.has)
	for _, a := range attrs {
		has = append(has, a.Key)
	}
	return about{h.Handler.WithAttrs(attrs), has}
}

// WithGroup implements slog.Handler.
func (h about) WithGroup(name string) slog.Handler { return about{h.Handler.WithGroup(name), h.has} }

// use has the log follow the settings.
func (o *output) use(cfg config.Config) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	o.level.Set(level)
	o.mask.Store(newMask(cfg.Secrets()))
}

// userinfo matches the name and password in an address.
var userinfo = regexp.MustCompile(`://[^/\s"']*@`)

// newMask returns a function that puts … in place of the secrets of a text and
// of the name and password in an address.
func newMask(secrets []string) func(string) string {
	const shortest = 4 // letters; a shorter secret would garble the words it is part of
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= shortest {
			pairs = append(pairs, secret, "…")
		}
	}
	r := strings.NewReplacer(pairs...)
	return func(text string) string { return userinfo.ReplaceAllString(r.Replace(text), "://…@") }
}
