package page

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// SourcesProps fill the list of places that are followed.
type SourcesProps struct {
	App     layout.Props
	Sources []source.Shown
	Open    *source.Shown // the one with details; nil for none
	Problem string        // why a form about it was rejected
	Week    []ledger.Look // in the last days
	Kinds   []string      // that can be followed
	Now     time.Time
}

// NewSourceProps fill the form that has a place followed.
type NewSourceProps struct {
	App     layout.Props
	Wanted  source.Wanted
	Sealed  string          // the password entered, encrypted
	Preview *source.Preview // nil until it was previewed
	Problem string
}

// kindOfSource names a kind of source.
func kindOfSource(ctx context.Context, kind string) string {
	return map[string]string{
		source.OfFolder: lang.T(ctx, "folder"), source.OfSite: lang.T(ctx, "site"), source.OfFeed: lang.T(ctx, "feed"), source.OfBucket: lang.T(ctx, "bucket"),
		source.OfMail: lang.T(ctx, "mail box"), source.OfGit: lang.T(ctx, "Git repository"),
	}[kind]
}

// buttonOfSource is the same on a button.
func buttonOfSource(ctx context.Context, kind string) string {
	return map[string]string{
		source.OfFolder: lang.T(ctx, "Folder"), source.OfSite: lang.T(ctx, "Site"), source.OfFeed: lang.T(ctx, "Feed (RSS, Atom)"), source.OfBucket: lang.T(ctx, "Bucket (S3)"),
		source.OfMail: lang.T(ctx, "Mail box"), source.OfGit: lang.T(ctx, "Git repository"),
	}[kind]
}

// exampleOfSource shows how the address of a kind of source looks.
func exampleOfSource(kind string) string {
	return map[string]string{
		source.OfFolder: "museum", source.OfSite: "https://example.org/papers/", source.OfFeed: "https://example.org/news.xml", source.OfBucket: "s3://bucket/prefix",
		source.OfMail: "imaps://mail.example.org", source.OfGit: "https://example.org/owner/repository.git",
	}[kind]
}

// rhythms are the choices of how often a source of a kind is looked at.
func rhythms(kind, chosen string) []component.Choice {
	var all []component.Choice
	if kind == source.OfFolder {
		all = append(all, component.Choice{Value: source.AtOnce, Title: "at once, when a file changes"})
	}
	all = append(all, component.Choices("5m", "every 5 minutes", "15m", "every 15 minutes", "1h", "every hour", "6h", "every 6 hours",
		"24h", "every day", "daily 04:00", "every night at 04:00", "168h", "every week", "never", "only on demand")...)
	if chosen == "" || slices.ContainsFunc(all, func(c component.Choice) bool { return c.Value == chosen }) {
		return all
	}
	return append(all, component.Choice{Value: chosen, Title: chosen})
}

func everyOf(s source.Shown) string {
	return cmp.Or(s.Every, "never")
}

// rhythm says how often a source is looked at.
func rhythm(ctx context.Context, s source.Shown) string {
	switch {
	case !s.Paused.IsZero() && s.PausedBy != "":
		return lang.F(ctx, "paused by %s", s.PausedBy)
	case !s.Paused.IsZero():
		return lang.T(ctx, "paused")
	}
	for _, c := range rhythms(s.Kind, everyOf(s)) {
		if c.Value == everyOf(s) {
			return lang.T(ctx, c.Title)
		}
	}
	return s.Every
}

// head sums up the sources.
func (p SourcesProps) head(ctx context.Context) string {
	paused := lists.CountFunc(p.Sources, func(s source.Shown) bool { return !s.Paused.IsZero() })
	if paused == 0 {
		return lang.F(ctx, "%s followed.", lang.Count(ctx, len(p.Sources), "place is", "places are"))
	}
	return lang.F(ctx, "%s followed, %d paused.", lang.Count(ctx, len(p.Sources)-paused, "place is", "places are"), paused)
}

// lastLook says when a source was looked at last, and how long that took.
func (p SourcesProps) lastLook(ctx context.Context, s source.Shown) string {
	switch {
	case s.Looking != "":
		return lang.T(ctx, "is being looked at")
	case s.Last == nil:
		return lang.T(ctx, "not yet")
	case s.Last.Problem != "":
		return lang.F(ctx, "%s, failed", lang.Moment(ctx, s.Last.BeganAt))
	case s.Last.EndedAt.IsZero():
		return lang.Moment(ctx, s.Last.BeganAt)
	}
	return lang.F(ctx, "%s, took %s", lang.Moment(ctx, s.Last.BeganAt), lang.Duration(ctx, s.Last.EndedAt.Sub(s.Last.BeganAt)))
}

// nextLook says when a source is looked at next.
func (p SourcesProps) nextLook(ctx context.Context, s source.Shown) string {
	switch {
	case !s.Paused.IsZero():
		return lang.T(ctx, "nothing is looked at")
	case s.Next.IsZero():
		return "" // the rhythm shows it
	case !s.Next.After(p.Now):
		return lang.T(ctx, "next in a moment")
	case s.Every == source.AtOnce && s.Failures == 0:
		return lang.T(ctx, "goes on watching")
	case s.Failures > 0:
		return lang.F(ctx, "next try %s, after %s", lang.Moment(ctx, s.Next), lang.Count(ctx, s.Failures, "failure", "failures"))
	}
	return lang.F(ctx, "next %s", lang.Moment(ctx, s.Next))
}

// newSecret names what a source signs in with.
func newSecret(ctx context.Context, kind string) string {
	if kind == source.OfGit {
		return lang.T(ctx, "New token")
	}
	return lang.T(ctx, "New password")
}

// A weekRow counts something on each of the last days.
type weekRow struct {
	Name string
	Days []int
	All  int
	Care bool
}

// weekDays is how many days are counted.
const weekDays = 7

// days returns the days that are counted.
func (p SourcesProps) days() (days []time.Time) {
	for i := weekDays - 1; i >= 0; i-- {
		days = append(days, p.Now.AddDate(0, 0, -i))
	}
	return days
}

// rows counts what the looks of the last days found.
func (p SourcesProps) rows(ctx context.Context) []weekRow {
	rows := []weekRow{{Name: lang.T(ctx, "new")}, {Name: lang.T(ctx, "new version")}, {Name: lang.T(ctx, "gone")}, {Name: lang.T(ctx, "looks that failed"), Care: true}}
	days := p.days()
	at := map[string]int{}
	for i, day := range days {
		at[day.Format(time.DateOnly)] = i
	}
	for i := range rows {
		rows[i].Days = make([]int, len(days))
	}
	for _, k := range p.Week {
		day, counted := at[k.BeganAt.In(p.Now.Location()).Format(time.DateOnly)]
		if !counted {
			continue
		}
		failed := 0
		if k.Problem != "" {
			failed = 1
		}
		for i, n := range []int{k.Fresh, k.Changed, k.Gone, failed} {
			rows[i].Days[day] += n
			rows[i].All += n
		}
	}
	return rows
}

// wants reports whether the form for a kind has a field.
func (p NewSourceProps) wants(kinds ...string) bool {
	return slices.Contains(kinds, p.Wanted.Kind)
}

// narrowed reports whether rules are given that leave something out.
func (p NewSourceProps) narrowed() bool {
	return len(p.Wanted.LeaveOut) > 0 || p.Wanted.Most > 0 || len(p.Wanted.Limit) > 0
}

// brings says what following the place would bring.
func (p NewSourceProps) brings(ctx context.Context) string {
	n := lang.Count(ctx, p.Preview.Items, "item", "items")
	if p.Preview.More {
		return lang.F(ctx, "It would bring %s and those that they lead to.", n)
	}
	return lang.F(ctx, "It would bring %s.", n)
}

// costs says what reading them would cost.
func (p NewSourceProps) costs(ctx context.Context) string {
	v := p.Preview
	switch {
	case v.Sampled == 0:
		return ""
	case v.Bill.Money == nil:
		return lang.T(ctx, "Reading them is free: no model is asked.")
	}
	return lang.F(ctx, "Reading them would cost about %s, as %s suggest.", v.Bill.Money, lang.Count(ctx, v.Sampled, "item", "items"))
}

func numberOr(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func asLines(all []string) string { return strings.Join(all, "\n") }

// alike groups items by their problems, in the order of the first ones.
func alike(items []ledger.SourceItem) (groups [][]ledger.SourceItem) {
	of := map[string]int{}
	for _, i := range items {
		at, known := of[i.Problem]
		if !known {
			at = len(groups)
			of[i.Problem], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// shortItem returns the end of an item's name, which distinguishes it from others.
func shortItem(i ledger.SourceItem) string {
	if i.Title != "" {
		return i.Title
	}
	name := strings.TrimRight(i.Name, "/")
	if at := strings.LastIndex(name, "/"); at >= 0 && strings.Contains(name, "://") {
		return name[at+1:]
	}
	return name
}
