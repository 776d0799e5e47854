package partial

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/views/format"
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
	{"resolve", []string{"resolve"}},
	{"project", []string{"project", "report", "end"}},
}

// A Stage is one part of a row's progress line.
type Stage struct {
	Name, Label string
	Class       string // "done", "now", "stuck" or ""
	Fill        int    // progress towards the next stage in percent
}

// Stages returns the parts of the row's progress line.
func (p DocumentRowProps) Stages() []Stage {
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
				out[i].Label = fmt.Sprintf("extract %s of %s", format.Int(p.Document.ChunksDone), format.Int(p.Document.Chunks))
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

// status returns the text in place of the progress line: a word, and the rest.
func (p DocumentRowProps) status() (word, rest string) {
	switch p.Document.Status {
	case domain.DocumentReady:
		return "Ready", ", " + format.Count(p.Document.Chunks, "passage", "passages") + p.version()
	case domain.DocumentEmpty:
		return "Nothing extracted", ""
	case domain.DocumentFailed:
		return "Failed", ""
	case domain.DocumentStopped:
		return "Stopped", ", not in the graph"
	case domain.DocumentWaiting:
		if p.Held != "" {
			return "Held", ", not read yet"
		}
		if p.Waits == domain.RunPaused {
			return "Paused", ", not read yet"
		}
		return "", "Waiting" + p.inQueue()
	}
	return "", string(p.Document.Status)
}

// standing says how long a reading takes yet, or why it has not begun.
func (p DocumentRowProps) standing() string {
	if p.Left > 0 {
		return format.Duration(p.Left) + " left"
	}
	if p.showsStages() {
		return ""
	}
	word, rest := p.status()
	return word + rest
}

// InShort says in a line why a document needs a look.
func (p DocumentRowProps) InShort() string {
	head, rest := p.failure()
	if head != "" {
		return lower(head) + " " + rest
	}
	if notes := p.warnings(); len(notes) > 0 {
		return lower(notes[0])
	}
	head, rest = p.status()
	return lower(head) + rest
}

// lower returns a sentence that follows a colon.
func lower(s string) string { return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// version names the version in force of a document that has had another one.
func (p DocumentRowProps) version() string {
	if p.Document.Version == 0 {
		return ""
	}
	return ". " + versionName(p.Document.Version)
}

func (p DocumentRowProps) inQueue() string {
	if p.Queue > 0 {
		return fmt.Sprintf(", %s in the queue", ordinal(p.Queue))
	}
	return ""
}

func ordinal(n int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth"}
	if n <= len(words) {
		return words[n-1]
	}
	return "number " + format.Int(n)
}

// atCap reports whether the document waits until a cap is raised.
func (p DocumentRowProps) atCap() bool { return p.Waits == domain.RunCapped }

// call says how far the reading of a part is that takes long, "" if none does.
func (p DocumentRowProps) call() string {
	if p.Call == "" || p.Document.Chunks == 0 {
		return ""
	}
	part := min(p.Document.ChunksDone+1, p.Document.Chunks)
	return fmt.Sprintf("Reading part %s of %s: waits for the model, %s.", format.Int(part), format.Int(p.Document.Chunks), p.Call)
}

// costs says what reading has cost, and what is to come.
func (p DocumentRowProps) costs() []string {
	var said []string
	if p.Cost != "" {
		said = append(said, p.Cost)
	}
	if p.ToCome != "" {
		said = append(said, "about "+p.ToCome+" to come")
	}
	if p.Left > 0 {
		said = append(said, format.Duration(p.Left)+" left")
	}
	return said
}

// facts describes the file.
func (p DocumentRowProps) facts() []string { return documents.ListedOf(p.Document, p.Tags).Facts() }

// FormatName returns a format as shown to people.
func FormatName(f domain.Format) string { return parse.Of(f).Label }

// failure describes a failed attempt: what failed, why, and when the next one
// is.
func (p DocumentRowProps) failure() (head, rest string) {
	why := p.Problem
	if why == "" {
		why = p.Document.Problem
	}
	switch {
	case why == "" && !p.stuck():
		return "", ""
	case why == "":
		why = "See the log for the reason."
	}
	switch {
	case p.atCap() && !p.Document.Status.Settled():
		return "Paused.", why
	case p.Document.Status == domain.DocumentFailed:
		return "Could not be read.", why
	case !p.NextTry.IsZero() && p.Attempt == 0: // something it needs is unavailable: attempts are not counted
		return "Waiting.", why + " " + p.next()
	case !p.NextTry.IsZero():
		return p.attempt() + " failed.", why + " " + p.next()
	}
	return p.attempt() + ".", why
}

func (p DocumentRowProps) attempt() string {
	if p.MaxAttempts > 0 {
		return fmt.Sprintf("Attempt %d of %d", max(1, p.Attempt), p.MaxAttempts)
	}
	return fmt.Sprintf("Attempt %d", max(1, p.Attempt))
}

func (p DocumentRowProps) next() string {
	wait := p.NextTry.Sub(p.Now)
	if wait < time.Second {
		return "Retrying now."
	}
	return "Next try in " + format.Duration(wait.Round(time.Second)) + "."
}

// warnings returns the notes on a document that was read.
func (p DocumentRowProps) warnings() []string {
	if len(p.Document.Warnings) == 0 && p.Document.Status == domain.DocumentEmpty {
		return []string{"No names of people, places or things were found in its text. It can be searched, but it is not in the graph."}
	}
	return p.Document.Warnings
}

// longNote is how many characters of a note are shown before it is folded.
const longNote = 240

// folded returns whether notes are folded to their first three lines.
func folded(notes []string) bool {
	return len(notes) > 1 || len(notes) == 1 && len(notes[0]) > longNote
}

func (p DocumentRowProps) id() string { return "doc-" + string(p.Document.ID) }

// at returns when the document was added, so that later is greater.
func (p DocumentRowProps) at() string {
	return p.Document.CreatedAt.UTC().Format("2006-01-02T15:04:05.000000000")
}

func (p DocumentRowProps) live() bool { return !p.Document.Status.Settled() }

func (p DocumentRowProps) again() bool {
	return p.Document.Status == domain.DocumentFailed || p.Document.Status == domain.DocumentStopped || !p.NextTry.IsZero() ||
		p.Document.LeftOut() > 0
}

// gone says since when the document is no longer where it was fetched from.
func (p DocumentRowProps) gone() string {
	return "It was no longer there on " + format.Moment(p.Document.GoneAt) + ". It stays here until you delete it."
}

// retry returns the label of the retry button.
func (p DocumentRowProps) retry() string {
	if n := p.Document.LeftOut(); n > 0 {
		return "Try " + format.Count(n, "passage", "passages") + " again"
	}
	return "Retry now"
}

// tabs returns the tabs of the list with their counts.
func (p CountsProps) tabs() []tabLink {
	tabs := []tabLink{{"All", "", p.All}, {"Working", domain.StateReading, p.Working}}
	if paused := p.Paused + p.AtCap; paused > 0 || p.Filter.State == domain.StatePaused {
		tabs = append(tabs, tabLink{"Paused", domain.StatePaused, paused})
	}
	if p.Gone > 0 || p.Filter.State == domain.StateGone {
		tabs = append(tabs, tabLink{"Gone", domain.StateGone, p.Gone})
	}
	return append(tabs, tabLink{"To check", domain.StateLook, p.Look}, tabLink{"Ready", domain.DocumentState(domain.DocumentReady), p.Ready})
}

// attention says what in the library a person should look at, or "" if nothing is wrong.
func (p CountsProps) attention() string {
	var said []string
	for _, some := range []struct {
		n         int
		one, many string
	}{
		{p.Failed, "document failed", "documents failed"},
		{p.Stopped, "document was stopped", "documents were stopped"},
		{p.Empty, "document has nothing for the graph", "documents have nothing for the graph"},
	} {
		if some.n > 0 {
			said = append(said, format.Count(some.n, some.one, some.many))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return strings.Join(said, ", ") + "."
}

// retryAll names the button that reads again what failed or was stopped, "" if nothing was.
func (p CountsProps) retryAll() string {
	switch {
	case p.Failed > 0 && p.Stopped > 0:
		return "Retry all failed and stopped"
	case p.Failed > 0:
		return "Retry all failed"
	case p.Stopped > 0:
		return "Retry all stopped"
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

// Holds sums up the library, or what of it the list shows.
func (p CountsProps) Holds() string {
	if p.Filter.Narrows() {
		return format.Int(p.Matching) + " of " + format.Count(p.Documents, "document", "documents") + ", " + format.Count(p.MatchingPassages, "passage", "passages")
	}
	return strings.Join([]string{
		format.Count(p.Documents, "document", "documents"), format.Count(p.Passages, "passage", "passages"),
		format.Count(p.Entities, "entity", "entities"), format.Count(p.Relations, "relation", "relations"),
	}, ", ")
}

// allThatMatch names everything that the list would show on all its pages.
func (p CountsProps) allThatMatch() string {
	if p.Filter.Narrows() {
		return "Choose all " + format.Int(p.Matching) + " that match"
	}
	return "Choose all " + format.Int(p.Matching) + " of the library"
}

// pausedOnes says how many documents are paused.
func (p CountsProps) pausedOnes() string {
	said := ""
	if p.Paused > 0 {
		said = " " + format.Count(p.Paused, "is", "are") + " paused."
	}
	if p.AtCap > 0 {
		said += " " + format.Count(p.AtCap, "waits", "wait") + " at a cap."
	}
	return said
}

// Limit returns the sentence about the size limit of files.
func (p UploadProps) Limit() string {
	return "Up to " + format.Bytes(p.MaxBytes) + " each."
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
