package partial

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// stages are the parts of reading a document that the list shows, with their
// nodes in the ingest graph.
var stages = []struct {
	name  string
	nodes []string
}{
	{"parse", []string{"start", "parse"}},
	{"split", []string{"split", "chunks"}},
	{"extract", []string{"extract", "embed"}},
	{"resolve", []string{"resolve", "asks", "fill_in"}},
	{"project", []string{"project", "report", "end"}},
}

// A Stage is one part of a row's progress line.
type Stage struct {
	Name, Label string
	Class       string // "done", "now", "stuck" or ""
	Fill        int    // progress towards the next stage in percent
}

// Stages returns the parts of the row's progress line.
func (p DocumentRowProps) Stages(ctx context.Context) []Stage {
	at := p.stageIndex()
	out := make([]Stage, len(stages))
	for i, s := range stages {
		out[i] = Stage{Name: s.name, Label: s.name}
		switch {
		case i < at:
			out[i].Class = "done"
		case i == at:
			out[i].Class, out[i].Fill = "now", p.fill(s.name)
			if s.name == "extract" && p.Document.Chunks > 0 {
				out[i].Label = lang.F(ctx, "extract %s of %s", lang.Int(ctx, p.Document.ChunksDone), lang.Int(ctx, p.Document.Chunks))
			}
			if p.stuck() {
				out[i].Class = "stuck"
			}
		}
	}
	return out
}

func (p DocumentRowProps) stageIndex() int {
	for i, s := range stages {
		if slices.Contains(s.nodes, p.Document.Stage) {
			return i
		}
	}
	return 0
}

func (p DocumentRowProps) fill(stage string) int {
	if stage == "extract" && p.Document.Chunks > 0 {
		return 100 * p.Document.ChunksDone / p.Document.Chunks
	}
	return 0
}

// stuck reports whether the last attempt failed.
func (p DocumentRowProps) stuck() bool {
	return p.Document.Status == domain.DocumentFailed || !p.NextTry.IsZero()
}

// showsStages reports whether the row shows its progress line.
func (p DocumentRowProps) showsStages() bool {
	return p.Document.Status == domain.DocumentWorking || p.stuck() && p.Document.Stage != ""
}

// status returns the text that replaces the progress line: a word, and the rest.
func (p DocumentRowProps) status(ctx context.Context) (word, rest string) {
	switch p.Document.Status {
	case domain.DocumentReady:
		return lang.T(ctx, "Ready"), ", " + lang.Count(ctx, p.Document.Chunks, "passage", "passages") + p.version(ctx)
	case domain.DocumentEmpty:
		return lang.T(ctx, "Nothing extracted"), ""
	case domain.DocumentFailed:
		return lang.T(ctx, "Failed"), ""
	case domain.DocumentStopped:
		return lang.T(ctx, "Stopped"), lang.T(ctx, ", not in the graph")
	case domain.DocumentWaiting:
		if p.Held != "" {
			return lang.T(ctx, "Held"), lang.T(ctx, ", not read yet")
		}
		if p.Waits == domain.RunPaused {
			return lang.T(ctx, "Paused"), lang.T(ctx, ", not read yet")
		}
		return "", lang.F(ctx, "Waiting%s", p.inQueue(ctx))
	}
	return "", string(p.Document.Status)
}

// standing says how long the reading will take, or why it has not started.
func (p DocumentRowProps) standing(ctx context.Context) string {
	if p.Left > 0 {
		return lang.F(ctx, "%s left", lang.Duration(ctx, p.Left))
	}
	if p.showsStages() {
		return ""
	}
	word, rest := p.status(ctx)
	return word + rest
}

// InShort says in one line why a document needs a look.
func (p DocumentRowProps) InShort(ctx context.Context) string {
	head, rest := p.failure(ctx)
	if head != "" {
		return lower(head) + " " + rest
	}
	if notes := p.warnings(ctx); len(notes) > 0 {
		return lower(notes[0])
	}
	head, rest = p.status(ctx)
	return lower(head) + rest
}

// lower returns a sentence that follows a colon.
func lower(s string) string { return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// version names the version in force of a document that has had another one.
func (p DocumentRowProps) version(ctx context.Context) string {
	if p.Document.Version == 0 {
		return ""
	}
	return ". " + versionName(ctx, p.Document.Version)
}

func (p DocumentRowProps) inQueue(ctx context.Context) string {
	if p.Queue > 0 {
		return lang.F(ctx, ", %s in the queue", ordinal(ctx, p.Queue))
	}
	return ""
}

func ordinal(ctx context.Context, n int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth"}
	if n <= len(words) {
		return words[n-1]
	}
	return lang.F(ctx, "number %s", lang.Int(ctx, n))
}

// atCap reports whether the document waits until a cap is raised.
func (p DocumentRowProps) atCap() bool { return p.Waits == domain.RunCapped }

// call describes the progress of a long call that reads a part, or returns "" if there is none.
func (p DocumentRowProps) call(ctx context.Context) string {
	if p.Call == "" || p.Document.Chunks == 0 {
		return ""
	}
	part := min(p.Document.ChunksDone+1, p.Document.Chunks)
	return lang.F(ctx, "Reading part %s of %s: waiting for the model, %s.", lang.Int(ctx, part), lang.Int(ctx, p.Document.Chunks), p.Call)
}

// costs says what reading has cost so far, and what is still to come.
func (p DocumentRowProps) costs(ctx context.Context) []string {
	var said []string
	if p.Cost != "" {
		said = append(said, p.Cost)
	}
	if p.ToCome != "" {
		said = append(said, lang.F(ctx, "about %s to come", p.ToCome))
	}
	if p.Left > 0 {
		said = append(said, lang.F(ctx, "%s left", lang.Duration(ctx, p.Left)))
	}
	return said
}

// facts describes the file.
func (p DocumentRowProps) facts(ctx context.Context) []string {
	return documents.ListedOf(p.Document, p.Tags).Facts(ctx)
}

// FormatName returns a format as shown to people.
func FormatName(f domain.Format) string { return parse.Of(f).Label }

// failure describes a failed attempt: what failed, why, and when it is retried.
func (p DocumentRowProps) failure(ctx context.Context) (head, rest string) {
	why := cmp.Or(p.Problem, p.Document.Problem)
	switch {
	case why == "" && !p.stuck():
		return "", ""
	case why == "":
		why = lang.T(ctx, "See the log for the reason.")
	}
	switch {
	case p.atCap() && !p.Document.Status.Settled():
		return lang.T(ctx, "Paused."), why
	case p.Document.Status == domain.DocumentFailed:
		return lang.T(ctx, "Could not be read."), why
	case !p.NextTry.IsZero() && p.Attempt == 0: // waiting for something unavailable: attempts are not counted
		return lang.T(ctx, "Waiting."), why + " " + p.next(ctx)
	case !p.NextTry.IsZero():
		return lang.F(ctx, "%s failed.", p.attempt(ctx)), why + " " + p.next(ctx)
	}
	return p.attempt(ctx) + ".", why
}

func (p DocumentRowProps) attempt(ctx context.Context) string {
	if p.MaxAttempts > 0 {
		return lang.F(ctx, "Attempt %d of %d", max(1, p.Attempt), p.MaxAttempts)
	}
	return lang.F(ctx, "Attempt %d", max(1, p.Attempt))
}

func (p DocumentRowProps) next(ctx context.Context) string {
	wait := p.NextTry.Sub(p.Now)
	if wait < time.Second {
		return lang.T(ctx, "Retrying now.")
	}
	return lang.F(ctx, "Next try in %s.", lang.Duration(ctx, wait.Round(time.Second)))
}

// warnings returns the notes on a document that was read.
func (p DocumentRowProps) warnings(ctx context.Context) []string {
	if len(p.Document.Warnings) == 0 && p.Document.Status == domain.DocumentEmpty {
		return []string{lang.T(ctx, "No names of people, places or things were found in its text. It can be searched, but is not in the graph.")}
	}
	return p.Document.Warnings
}

// longNote is how many characters of a note are shown before it is folded.
const longNote = 240

// folded reports whether notes are folded to their first three lines.
func folded(notes []string) bool {
	return len(notes) > 1 || len(notes) == 1 && len(notes[0]) > longNote
}

func (p DocumentRowProps) id() string { return "doc-" + string(p.Document.ID) }

// at returns a sort key for when the document was added, greater for later ones.
func (p DocumentRowProps) at() string {
	return p.Document.CreatedAt.UTC().Format("2006-01-02T15:04:05.000000000")
}

func (p DocumentRowProps) live() bool { return !p.Document.Status.Settled() }

func (p DocumentRowProps) again() bool {
	return p.Document.Status == domain.DocumentFailed || p.Document.Status == domain.DocumentStopped || !p.NextTry.IsZero() ||
		p.Document.LeftOut() > 0
}

// gone says since when the document is missing from where it was fetched.
func (p DocumentRowProps) gone(ctx context.Context) string {
	return lang.F(ctx, "It was no longer there on %s. It stays here until you delete it.", lang.Moment(ctx, p.Document.GoneAt))
}

// retry returns the label of the retry button.
func (p DocumentRowProps) retry(ctx context.Context) string {
	if n := p.Document.LeftOut(); n > 0 {
		return lang.F(ctx, "Try %s again", lang.Count(ctx, n, "passage", "passages"))
	}
	return lang.T(ctx, "Retry now")
}

// tabs returns the tabs of the list with their counts.
func (p CountsProps) tabs(ctx context.Context) []tabLink {
	tabs := []tabLink{{lang.T(ctx, "All"), "", p.All}, {lang.T(ctx, "Working"), domain.StateReading, p.Working}}
	if paused := p.Paused + p.AtCap; paused > 0 || p.Filter.State == domain.StatePaused {
		tabs = append(tabs, tabLink{lang.T(ctx, "Paused"), domain.StatePaused, paused})
	}
	if p.Gone > 0 || p.Filter.State == domain.StateGone {
		tabs = append(tabs, tabLink{lang.T(ctx, "Gone"), domain.StateGone, p.Gone})
	}
	return append(tabs, tabLink{lang.T(ctx, "To check"), domain.StateLook, p.Look}, tabLink{lang.T(ctx, "Ready"), domain.DocumentState(domain.DocumentReady), p.Ready})
}

// attention says what in the library needs a person's attention, or returns "" if nothing does.
func (p CountsProps) attention(ctx context.Context) string {
	var said []string
	for _, some := range []struct {
		n         int
		one, many string
	}{
		{p.Failed, lang.T(ctx, "document failed"), lang.T(ctx, "documents failed")},
		{p.Stopped, lang.T(ctx, "document was stopped"), lang.T(ctx, "documents were stopped")},
		{p.Empty, lang.T(ctx, "document has nothing for the graph"), lang.T(ctx, "documents have nothing for the graph")},
	} {
		if some.n > 0 {
			said = append(said, lang.Count(ctx, some.n, some.one, some.many))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return strings.Join(said, ", ") + "."
}

// retryAll labels the button that rereads failed and stopped documents, or returns "" if there are none.
func (p CountsProps) retryAll(ctx context.Context) string {
	switch {
	case p.Failed > 0 && p.Stopped > 0:
		return lang.T(ctx, "Retry all failed and stopped")
	case p.Failed > 0:
		return lang.T(ctx, "Retry all failed")
	case p.Stopped > 0:
		return lang.T(ctx, "Retry all stopped")
	}
	return ""
}

type tabLink struct {
	name  string
	state domain.DocumentState
	count int
}

func (p CountsProps) address(s domain.DocumentState) string {
	p.Filter.State = s
	return link.DocumentList(p.Filter)
}

func (p CountsProps) current(s domain.DocumentState) string {
	if p.Filter.State == s {
		return "page"
	}
	return "false"
}

// Holds sums up the library, or the part of it that the list shows.
func (p CountsProps) Holds(ctx context.Context) string {
	if p.Filter.Narrows() {
		return lang.F(ctx, "%s of %s, %s", lang.Int(ctx, p.Matching), lang.Count(ctx, p.Documents, "document", "documents"), lang.Count(ctx, p.MatchingPassages, "passage", "passages"))
	}
	documents := lang.Count(ctx, p.Documents, "document", "documents")
	if p.Away {
		return documents
	}
	return strings.Join([]string{
		documents, lang.Count(ctx, p.Passages, "passage", "passages"),
		lang.Count(ctx, p.Entities, "entity", "entities"), lang.Count(ctx, p.Relations, "relation", "relations"),
	}, ", ")
}

// allThatMatch names everything that the list would show on all its pages.
func (p CountsProps) allThatMatch(ctx context.Context) string {
	if p.Filter.Narrows() {
		return lang.F(ctx, "Choose all %s that match", lang.Int(ctx, p.Matching))
	}
	return lang.F(ctx, "Choose all %s of the library", lang.Int(ctx, p.Matching))
}

// pausedOnes describes how many documents are paused.
func (p CountsProps) pausedOnes(ctx context.Context) string {
	said := ""
	if p.Paused > 0 {
		said = lang.F(ctx, " %s paused.", lang.Count(ctx, p.Paused, "is", "are"))
	}
	if p.AtCap > 0 {
		said += lang.F(ctx, " %s at a cap.", lang.Count(ctx, p.AtCap, "waits", "wait"))
	}
	return said
}

// Limit returns the sentence about the size limit of files.
func (p UploadProps) Limit(ctx context.Context) string {
	return lang.F(ctx, "Up to %s and %s characters of text each; longer plain text comes in parts.", lang.Bytes(ctx, p.MaxBytes), lang.Int(ctx, parse.MaxText))
}

// With adds the results of an upload.
func (p UploadProps) With(results []UploadResult) UploadProps {
	p.Results = results
	return p
}

// second returns the class of the buttons beside the first one.
func second(class string) string { return strings.TrimPrefix(class, "first ") }

func (p UploadProps) maxBytes() string { return fmt.Sprint(p.MaxBytes) }

// act names a button, so that the page's script finds it again after its row is
// replaced.
func act(name string) templ.Attributes { return templ.Attributes{"data-act": name} }

// iconAct is act with a label, for a button without text.
func iconAct(name, label string) templ.Attributes {
	return templ.Attributes{"data-act": name, "aria-label": label, "title": label}
}

// summable reports whether the document has been read: its counts are of the
// graph, and it can be selected for a summary.
func (p DocumentRowProps) summable() bool {
	return p.Document.Status == domain.DocumentReady || p.Document.Status == domain.DocumentEmpty
}
