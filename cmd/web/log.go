package main

import (
	"log/slog"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
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
	o.log = slog.New(slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: &o.level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = domain.ErrorValue(v) // its texts come back here
		case string:
			a.Value = slog.StringValue(o.mask.Load().(func(string) string)(v))
		}
		return a
	}}))
	return o
}

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
