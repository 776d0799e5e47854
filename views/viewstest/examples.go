package viewstest

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/diagram/qr"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Now is the time in all examples.
var Now = time.Date(2026, 11, 21, 10, 42, 0, 0, time.UTC)

// An Example is one page in one state.
type Example struct {
	Name string
	Page templ.Component
}

// Examples returns all pages.
func Examples() []Example {
	return []Example{
		{"home", page.HomePage(home())},
		{"documents", page.DocumentsPage(documents())},
		{"documents-empty", page.DocumentsPage(noDocuments())},
		{"delete", page.ChosenPage(page.ChosenProps{App: app("Delete", layout.Documents), Act: page.ActDelete, Count: 1, Names: []string{"marrant-drawings.pdf"}, Toll: ledger.Toll{Documents: 1, Passages: 14, Entities: 4, Relations: 2, Answers: 1}, Undo: 10 * time.Second, URL: "/documents/d-marrant/delete", Back: "/documents"})},
		{"document", page.DocumentPage(oneDocument(domain.DocumentReady))},
		{"document-working", page.DocumentPage(oneDocument(domain.DocumentWorking))},
		{"ask", page.AskPage(asking())},
		{"ask-new", page.AskPage(askNew())},
		{"ask-source", page.AskPage(withSource())},
		{"ask-chart", page.AskPage(withCharts())},
		{"ask-chart-source", page.AskPage(chartSource())},
		{"ask-chart-failed", page.AskPage(withoutChart())},
		{"run", page.RunPage(page.RunProps{App: app("Run", layout.Runs), Kind: "Answer", Subject: question, URL: "/ask/k1", Opens: "Open the conversation", Began: Now, Ended: Now, Attempt: 1, Trace: AnswerTrace(true)})},
		{"run-ingest", page.RunPage(page.RunProps{App: app("Run", layout.Runs), Kind: "Document read", Subject: "courier-1911-bound.pdf", URL: "/documents/d1", Opens: "Open the document", Began: Now, Attempt: 2, Trace: IngestTrace()})},
		{"runs", page.RunsPage(runs())},
		{"entities", page.GraphPage(entities())},
		{"entity", page.EntityPage(entity())},
		{"review", page.ReviewPage(review())},
		{"review-empty", page.ReviewPage(page.ReviewProps{App: app("Review", layout.Review), Lists: workTabs})},
		{"review-alike", page.AlikePage(alike())},
		{"review-work", page.WorkPage(work())},
		{"settings", page.SettingsPage(settings())},
		{"health", page.HealthPage(healthy())},
		{"health-ailing", page.HealthPage(ailing())},
		{"health-checking", page.HealthPage(checking())},
		{"account", page.AccountPage(page.AccountProps{App: app("Your account", layout.Account), Sessions: sessions, Problem: "The current password is wrong. Nothing was changed."})},
		{"account-member", page.AccountPage(page.AccountProps{App: asMember(app("Your account", layout.Account)), Sessions: sessions[:1]})},
		{"account-none", page.AccountPage(page.AccountProps{App: layout.Props{Title: "Your account"}})},
		{"accounts", page.AccountsPage(page.AccountsProps{App: app("Accounts", layout.Accounts), Accounts: accounts, Problem: "The password is too short: take at least 10 characters.", Name: "eve"})},
		{"accounts-none", page.AccountsPage(page.AccountsProps{App: layout.Props{Title: "Accounts"}})},
		{"account-managed", page.ManageAccountPage(page.ManageAccountProps{App: app("bob", layout.Accounts), Name: "bob", Role: domain.Member, CreatedAt: Now, Sessions: sessions[1:]})},
		{"account-own", page.ManageAccountPage(page.ManageAccountProps{App: app("ada", layout.Accounts), Name: "ada", Role: domain.Owner, CreatedAt: Now})},
		{"login", page.LoginPage(page.LoginProps{App: layout.Props{Title: "Sign in"}, Problem: "Name and password do not match."})},
		{"login-code", page.CodePage(page.CodeProps{App: layout.Props{Title: "Sign in"}, Next: "/", Problem: "That code is wrong."})},
		{"join", page.JoinPage(page.JoinProps{App: layout.Props{Title: "Invitation"}, Secret: "s", Workspace: "County archive", About: "Minutes and newspapers.", Role: domain.Curator, By: "ada", Until: Now})},
		{"join-signed-in", page.JoinPage(page.JoinProps{App: layout.Props{Title: "Invitation"}, Secret: "s", Workspace: "County archive", Role: domain.Owner, Until: Now, User: "bob", Problem: "You may do all that already."})},
		{"reset", page.ResetPage(page.ResetProps{App: layout.Props{Title: "New password"}, Secret: "s", Name: "bob"})},
		{"setup", page.SetupPage(page.SetupProps{App: layout.Props{Title: "First start"}, Alone: true, Address: "127.0.0.1:8080", Found: [][2]string{{"Data folder", "data"}, {"Model", "none yet"}}})},
		{"second-step", page.SecondStepPage(page.SecondStepProps{App: app("Set up codes", layout.Account), Secret: "JBSWY3DPEHPK3PXP", Code: qr.Code{Size: 29, Path: "M4 4h1v1h-1z"}, Problem: "That code is wrong."})},
		{"recovery", page.RecoveryPage(page.RecoveryProps{App: app("Recovery codes", layout.Account), Codes: []string{"abcd-efgh-ijkl-mnop", "qrst-uvwx-yz23-4567"}})},
		{"invitations", page.InvitationsPage(page.InvitationsProps{App: app("Invitations", layout.Accounts), Invitations: invitations, Link: "https://clew.example.org/join/s", For: "Records office"})},
		{"invitations-none", page.InvitationsPage(page.InvitationsProps{App: app("Invitations", layout.Accounts), Problem: "An invitation lasts 1 to 90 days."})},
		{"reset-made", page.ResetMadePage(page.ResetMadeProps{App: app("bob", layout.Accounts), Name: "bob", Link: "https://clew.example.org/reset/s"})},
		{"account-codes", page.AccountPage(page.AccountProps{App: app("Your account", layout.Account), Sessions: sessions[:1], Step: page.StepProps{Asked: true, Left: 9, Problem: "That code is wrong."}})},
		{"error", page.ErrorPage(page.ErrorProps{App: app("Nothing is here", ""), Status: 404, Message: "There is no document of that id.", ID: "8f3a11c09b27d6e4"})},
		{"error-unasked", page.ErrorPage(page.ErrorProps{App: app("Service Unavailable", ""), Status: 503, Message: "The Postgres server at DATABASE_URL does not answer.", Question: question, Conversation: "k1"})},
	}
}

const question = "Which newspaper first reported that its rivets were failing, and who paid for the repair?"

func app(title string, s layout.Section) layout.Props {
	return layout.Props{Title: title, Section: s, Documents: 412, Entities: 3116, Model: "archive-14b", User: "ada"}
}

func asMember(p layout.Props) layout.Props {
	p.Role = domain.Member
	return p
}

var sessions = []page.SessionLine{
	{ID: "s1", Browser: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", Address: "192.0.2.7", CreatedAt: Now, This: true},
	{ID: "s2", Browser: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1", Address: "2001:db8:85a3:8d3:1319:8a2e:370:7348", Unused: 5 * time.Hour, CreatedAt: Now.Add(-80 * time.Hour)},
	{ID: "s3", Browser: "clew-sync/1.0", Address: "192.0.2.9", Unused: 74 * time.Hour, CreatedAt: Now.Add(-80 * time.Hour)},
	{ID: "s4", Address: "192.0.2.9", Unused: time.Minute, CreatedAt: Now},
}

var accounts = []page.AccountLine{
	{Name: "ada", Role: domain.Owner, Sessions: 2},
	{Name: strings.Repeat("bartholomew", 9), Role: domain.Member, Sessions: 1, Unused: 3 * time.Hour},
	{Name: "bob", Role: domain.Member},
}

var invitations = []auth.ListedInvitation{
	{ShownInvitation: auth.ShownInvitation{ID: "i1", Note: "Records office, Osterby", Role: domain.Reader, By: "ada", Created: Now, Expires: Now.AddDate(0, 0, 7)}, Standing: "open"},
	{ShownInvitation: auth.ShownInvitation{ID: "i2", Role: domain.Contributor, Created: Now, Expires: Now, Used: Now, UsedBy: "eve"}, Standing: "used by eve"},
}

var upload = partial.UploadProps{MaxBytes: 100_000_000, MaxFiles: 50, Accept: ".pdf,.txt,.md", Kinds: "PDF, Word, text and ZIP archives of these"}

var trials = []partial.TryProps{
	{Text: "Which newspaper first reported the loose rivets, and who paid?", Note: "3 documents"},
	{Text: "Who rebuilt what the flood of 1911 took?", Note: "4 documents"},
	{Text: "Which bridges did Ilse Marrant draw?", Note: "2 documents"},
	{Text: "Who kept the toll at Marrow Ford in 1950?", Note: "not in the library"},
}

func home() page.HomeProps {
	return page.HomeProps{App: layout.Props{Title: "Welcome"}, Upload: upload, SampleDocuments: 12, Questions: trials}
}

func document(name string, status domain.DocumentStatus) domain.Document {
	return domain.Document{
		ID: domain.DocumentID("d-" + strings.TrimSuffix(name, ".pdf")), Name: name, Title: "The Orrin Courier, 3 October 1909", Format: domain.FormatPDF, Size: 2_400_000, Pages: 9, Chars: 8120,
		Status: status, Stage: "extract", Chunks: 42, ChunksDone: 17, Entities: 37, Relations: 52, Run: "run77", Took: 14 * time.Second,
	}
}

func row(name string, status domain.DocumentStatus, change func(*partial.DocumentRowProps)) partial.DocumentRowProps {
	r := partial.DocumentRowProps{Document: document(name, status), Attempt: 1, MaxAttempts: 5, Now: Now}
	if change != nil {
		change(&r)
	}
	return r
}

func documents() page.DocumentsProps {
	p := page.DocumentsProps{App: app("Documents", layout.Documents), Upload: upload, Next: "/documents?after=d-marrant~1"}
	p.App.Unread = 12
	p.App.Toast = layout.Toast{Text: "Deleted ferry-to-bridge.md with 14 passages and 9 entities that nobody else names."}
	p.Counts = partial.CountsProps{Documents: 412, Passages: 9840, Entities: 3116, Relations: 5402, All: 412, Working: 3, Look: 2, Ready: 407, Matching: 412,
		Embedding: partial.EmbeddingProps{What: "sentences", Done: 4120, Of: 61300},
		Formats:   []partial.FormatCount{{Format: domain.FormatDOCX, Count: 40}, {Format: domain.FormatPDF, Count: 372}}}
	p.Upload.Results = []partial.UploadResult{
		{Name: "courier-1912-bound.pdf", Outcome: partial.UploadAdded, Message: "Added, waiting to be read."},
		{Name: "press-of-orrin.html", Outcome: partial.UploadExisting, Message: "The library has this content already.", ID: "d-press"},
		{Name: "plates.zip", Outcome: partial.UploadRefused, Message: "A ZIP archive can't be read. Add the files in it."},
	}
	p.Rows = []partial.DocumentRowProps{
		row("courier-1911-bound.pdf", domain.DocumentWorking, nil),
		row("levy-board-minutes.docx", domain.DocumentWorking, func(r *partial.DocumentRowProps) { r.Document.Stage = "resolve" }),
		row("harrow-kestle-daybook.pdf", domain.DocumentWaiting, func(r *partial.DocumentRowProps) {
			r.Attempt, r.NextTry, r.Problem = 2, Now.Add(40*time.Second), "Passage 37: the model answered 429, too many requests."
			r.Document.ChunksDone = 41
		}),
		row("survey-sheets-1871.pdf", domain.DocumentFailed, func(r *partial.DocumentRowProps) {
			r.Document.Stage, r.Document.Problem = "parse", "This file has no text layer: 12 pages of images. Add a version with recognised text."
		}),
		row("tide-tables.txt", domain.DocumentEmpty, func(r *partial.DocumentRowProps) { r.Document.Entities, r.Document.Relations = 0, 0 }),
		row("marrant-drawings.pdf", domain.DocumentReady, nil),
		row("bridges-of-the-orr.txt", domain.DocumentWaiting, func(r *partial.DocumentRowProps) { r.Queue, r.Document.Stage, r.Document.Took = 3, "", 0 }),
	}
	return p
}

func noDocuments() page.DocumentsProps {
	return page.DocumentsProps{App: layout.Props{Title: "Documents", Section: layout.Documents}, Upload: upload}
}

// letter is a stored text with two pages, two headings, and an emoji, which
// reveals positions that aren't code points.
const letter = "Letters\n\nSir, I have kept the toll at Marrow Ford these eleven years and am not given to alarm ☂. But a bridge speaks to those who stand under it, and since the spring the Lantern Bridge has been speaking in a voice I do not like.\n\n" +
	"I took a lamp and went along the downstream rib on three evenings, when the carts were home. There are four hundred and twelve rivets on that side, and I have counted seven that turn under the thumb. They stand together, beneath the third lantern, where the water comes off the road.\n\n" +
	"I do not say that the bridge will fall. I say that Miss Marrant drew a rivet for each of those holes, and that she meant it to hold.\n\nHanne Brook, the toll house\n\n" +
	"The price of a crossing\n\nSir, it is said at the Cart Market that whoever mends the bridge will send the bill to those who cross it. Two pence was named. I would sooner pay two pence to a sound bridge than a penny to one that hums."

// Letter returns the text of the examples with its positions.
func Letter() domain.Text {
	second := SpanOf("The price of a crossing")
	return domain.Text{
		Title: "The Orrin Courier, 3 October 1909", Content: letter,
		Pages:    []domain.Page{{Number: 3, Span: domain.Span{Start: 0, End: second.Start}}, {Number: 4, Span: domain.Span{Start: second.Start, End: domain.Runes(letter)}}},
		Headings: []domain.Heading{{Level: 1, Text: "Letters", Span: SpanOf("Letters")}, {Level: 2, Text: "The price of a crossing", Span: second}},
	}
}

// SpanOf returns where words first occur in the text of the examples.
func SpanOf(words string) domain.Span {
	before, _, found := strings.Cut(letter, words)
	if !found {
		return domain.Span{}
	}
	start := domain.Runes(before)
	return domain.Span{Start: start, End: start + domain.Runes(words)}
}

// Cited is the passage that the examples' first citation relies on.
const Cited = "There are four hundred and twelve rivets on that side, and I have counted seven that turn under the thumb. They stand together, beneath the third lantern, where the water comes off the road."

// Mentions returns the names in the text of the examples.
func Mentions() []doctext.Mention {
	var out []doctext.Mention
	for _, name := range []string{"Marrow Ford", "Lantern Bridge", "Miss Marrant", "Hanne Brook", "Cart Market"} {
		out = append(out, doctext.Mention{Span: SpanOf(name), Href: "/entities/e1", Name: name})
	}
	return out
}

var named = []partial.EntityItem{
	{ID: "e1", Label: "Structure", Name: "Lantern Bridge", Count: 12}, {ID: "e2", Label: "Person", Name: "Hanne Brook", Count: 3}, {ID: "e3", Label: "Place", Name: "Marrow Ford", Count: 2},
	{ID: "e4", Label: "Organization", Name: "Harrow & Kestle", Count: 2}, {ID: "e5", Label: "Event", Name: "Levy of 1910"}, {ID: "e6", Label: "Ship", Name: "Halcyon"},
}

func oneDocument(status domain.DocumentStatus) page.DocumentProps {
	trace := IngestTrace()
	p := page.DocumentProps{App: app("The Orrin Courier", layout.Documents), Row: row("courier-1909-10-03.pdf", status, nil), Trace: &trace}
	if status == domain.DocumentReady {
		p.Text, p.Mentions, p.Hit, p.Entities = Letter(), Mentions(), SpanOf(Cited), named
	}
	return p
}
