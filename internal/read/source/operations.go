package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/config/vault"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/operation"
)

// Wanted is a place to be followed.
type Wanted struct {
	Kind     string   `json:"kind" arg:"KIND" trail:"" doc:"what it is: folder (of the server), site, feed (RSS or Atom), bucket (S3), mail (a mail box, by IMAP) or git (a repository, over HTTPS)"`
	Address  string   `json:"address" arg:"ADDRESS" doc:"where it is: a path, an address, s3://bucket/prefix, imaps://mail.example.org or https://example.org/owner/repository.git"`
	Name     string   `json:"name" doc:"what it is called; by default the end of its address"`
	Every    string   `json:"every" default:"24h" trail:"" doc:"how often it is looked at: 30m, 6h, daily 04:00, at once (a folder) or never"`
	LeaveOut []string `json:"leave_out" doc:"leave out what has a path that begins so, such as /shop; can be repeated"`
	Most     int      `json:"most" doc:"follow at most this many items (default 5000)"`
	Rate     float64  `json:"rate" doc:"most requests to a site in a second (default 1)"`
	Sitemap  bool     `json:"sitemap" doc:"the address is that of a sitemap, which lists the pages of a site"`
	User     string   `json:"user" doc:"name to sign in with at a mail box, or for a repository that needs a token"`
	Folder   string   `json:"folder" doc:"folder of a mail box (default INBOX), or of a repository (default all of it)"`
	Branch   string   `json:"branch" doc:"branch of a repository; by default the one that it shows first"`
	Schema   string   `json:"schema" doc:"name of the schema that guides the reading; by default that of the library"`
	documents.Cutting
	documents.For
	Hold bool `json:"hold" doc:"hold the documents with their bills until they are read by documents retry"`
}

// Shown is a source as it is listed.
type Shown struct {
	ID       string              `json:"id"`
	Name     string              `json:"name"`
	Kind     string              `json:"kind"`
	Address  string              `json:"address"`
	Every    string              `json:"every,omitempty"` // "" for looks only on demand
	Rules    ledger.SourceRules  `json:"rules"`
	Limited  bool                `json:"limited,omitempty"`
	Person   string              `json:"person,omitempty"` // who added it
	Created  time.Time           `json:"created"`
	Paused   time.Time           `json:"paused,omitzero"`
	PausedBy string              `json:"paused_by,omitempty"`
	Next     time.Time           `json:"next,omitzero"` // of the next look
	Looking  domain.RunID        `json:"looking,omitempty"`
	Failures int                 `json:"failures,omitempty"` // failed looks in a row
	Problem  string              `json:"problem,omitempty"`
	Because  string              `json:"problem_kind,omitempty"` // of the problem, by the name of a kind of error
	Failing  time.Time           `json:"failing_since,omitzero"`
	Locked   bool                `json:"needs_password,omitempty"` // it is waiting for a password
	Last     *ledger.Look        `json:"last,omitempty"`           // the last look
	Unread   int                 `json:"unread,omitempty"`         // items that can't be read as they are
	Problems []ledger.SourceItem `json:"problems,omitempty"`       // the first of these, with the problem and possible remedies
	Changes  []ledger.SourceItem `json:"changes,omitempty"`        // found by the last look, and undecided missing items
	Looks    []ledger.Look       `json:"looks,omitempty"`
}

// Refused reports whether another password may help: what the source signs in with was refused, or may not see the place.
func (s Shown) Refused() bool {
	switch s.Because {
	case "", domain.Forbidden.String():
		return s.Locked || s.Kind == OfMail || s.Kind == OfGit
	case domain.NotFound.String(): // hosts don't say whether there is a repository that a token may not read
		return s.Locked || s.Kind == OfGit
	}
	return s.Locked
}

func (s Shown) String() string {
	every := cmp.Or(s.Every, "on demand")
	if s.Every != "" && s.Every != AtOnce && !strings.HasPrefix(s.Every, daily) {
		every = "every " + s.Every
	}
	return fmt.Sprintf("%s, %s: %s. It is looked at %s.", s.ID, s.Kind, s.Address, every)
}

func (s Shown) state() string {
	switch {
	case s.Looking != "":
		return "looking"
	case !s.Paused.IsZero() && s.Problem != "":
		return "paused: " + s.Problem
	case !s.Paused.IsZero():
		return "paused"
	case s.Problem != "":
		return "failed: " + s.Problem
	case s.Last == nil:
		return "not looked at yet"
	}
	said := fmt.Sprintf("%s, %d new, %d changed, %d gone", s.Last.BeganAt.Format(time.DateTime), s.Last.Fresh, s.Last.Changed, s.Last.Gone)
	if s.Unread > 0 {
		said += fmt.Sprintf(", %d not read", s.Unread)
	}
	return said
}

// Looking is a run that looks at a source.
type Looking struct {
	Source string       `json:"source"`
	Run    domain.RunID `json:"run"`
}

// At implements operation.Begun.
func (l Looking) At() string { return "/runs/" + string(l.Run) }

func (l Looking) String() string {
	return "The run " + string(l.Run) + " looks at it. A running clew serve or clew work carries it out."
}

// Altering changes a source. What is not given stays.
type Altering struct {
	Named
	Name     *string `json:"name" doc:"what it is called"`
	Every    *string `json:"every" trail:"" doc:"how often it is looked at: 30m, 6h, daily 04:00, at once (a folder) or never"`
	LeaveOut *string `json:"leave_out" doc:"leave out what has a path that begins so, several with commas between them"`
	Most     *int    `json:"most" doc:"follow at most this many items"`
}

// Named names a source.
type Named struct {
	ID string `json:"id" arg:"SOURCE" trail:"" doc:"id or name of a source"`
}

// Removing removes a source.
type Removing struct {
	Named
	Documents bool `json:"documents" trail:"" doc:"delete the documents that came from it, too; without it they stay"`
}

// Removed describes what was removed with a source.
type Removed struct {
	Documents int               `json:"documents"` // deleted
	Deletion  domain.DeletionID `json:"deletion,omitempty"`
}

func (r Removed) String() string {
	if r.Documents == 0 {
		return "Nothing is looked at there any more. Its documents stay."
	}
	return fmt.Sprintf("Nothing is looked at there any more, and %s deleted.", domain.Counted(r.Documents, "document was", "documents were"))
}

// Deciding is a decision about documents whose items are gone.
type Deciding struct {
	Named
	Items  []string `json:"items" doc:"names of items that are gone; all that are gone without any"`
	Delete bool     `json:"delete" trail:"" doc:"delete their documents; without it they are kept, and no longer listed as gone"`
}

// Unlocking gives a source its password.
type Unlocking struct {
	Named
	Secret string `json:"secret" secret:"" doc:"its password"`
}

// The operations that pages carry out too.
var (
	Add = operation.Op[*Service, Wanted, Shown]{
		Name: "source add", Short: "Follow a place and read its new and changed documents", Scope: operation.Admin, Routes: []string{"POST /sources"},
		Long: `Follow a folder of the server, a site, a feed, a bucket, a mailbox or a Git repository:
look at it from time to time, read what is new or has changed as next versions, and report
what is gone, whose documents stay until they are deleted. clew source preview says
first what it would bring and cost. A password is given by clew source unlock.
Folders lie below those that SOURCE_FOLDERS names; addresses within your network are
refused unless WEB_ALLOW names them; buckets are those of S3_BUCKETS. A folder can be
looked at whenever something in it changes: --every "at once".`,
		Example: `  clew source add site https://example.org/papers/ --every "daily 04:00" --leave-out /papers/shop
  clew source add folder scans/museum --every "at once" --name "Museum scans"
  clew source add git https://example.org/trust/handbook.git --branch main --folder docs
  clew source add feed https://example.org/news.xml --every 1h --limit-to group:board`,
		Do: (*Service).add,
	}
	Foresee = operation.Op[*Service, Wanted, Preview]{
		Name: "source preview", Short: "Show what following a place would add and cost, without reading anything", Scope: operation.Admin, Routes: []string{"POST /sources/preview"}, Example: "  clew source preview site https://example.org/papers/",
		Trail: operation.Trail{Never: "It only looks."},
		Do:    (*Service).preview,
	}
	List = operation.Op[*Service, struct{}, []Shown]{
		Name: "source list", Short: "List the places that are followed", Scope: operation.Read, Routes: []string{"GET /sources"},
		Tool: operation.Tool{Name: "sources", Title: "List sources", About: "List the places from which documents are read again and again, with what their last looks found."},
		Do:   func(s *Service, ctx context.Context, _ struct{}) ([]Shown, error) { return s.List(ctx) },
		Text: operation.Table("ID\tNAME\tKIND\tADDRESS\tEVERY\tLAST LOOK", "No place is followed yet: clew source add KIND ADDRESS.", func(s Shown) []any {
			return []any{s.ID, s.Name, s.Kind, s.Address, cmp.Or(s.Every, "never"), s.state()}
		}),
	}
	Show = operation.Op[*Service, Named, Shown]{
		Name: "source show", Short: "Show a source with when it was last looked at and what had changed", Scope: operation.Read, Routes: []string{"GET /sources/{id}"}, Example: `  clew source show "Museum scans"`,
		Do:   (*Service).Show,
		Text: printSource,
	}
	LookNow = operation.Op[*Service, Named, Looking]{
		Name: "source look", Short: "Look for changes in a source now", Scope: operation.WriteDocuments, Routes: []string{"POST /sources/{id}/look"}, Example: `  clew source look "Museum scans"`,
		Tool: operation.Tool{Name: "look_at_source", Title: "Look at a source", Fields: "id", About: "Look at a source now: what is new or has changed there is read."},
		Do: func(s *Service, ctx context.Context, in Named) (Looking, error) {
			src, err := s.named(ctx, in.ID)
			if err != nil {
				return Looking{}, err
			}
			run, err := s.Look(ctx, src.Workspace, src.ID)
			return Looking{src.ID, run}, err
		},
	}
	Pause = operation.Op[*Service, Named, Shown]{
		Name: "source pause", Short: "Pause a source", Scope: operation.Admin, Routes: []string{"POST /sources/{id}/pause"}, Example: `  clew source pause "Museum scans"`,
		Do: func(s *Service, ctx context.Context, in Named) (Shown, error) {
			return s.change(ctx, in.ID, func(_ *sql.Tx, src *ledger.Source) error {
				if src.PausedAt.IsZero() {
					src.PausedAt, src.PausedBy, src.NextAt = s.Now(), domain.PersonOf(ctx), time.Time{}
				}
				return nil
			})
		},
		Text: operation.Line(func(s Shown) string { return s.Name + " is paused." }),
	}
	Resume = operation.Op[*Service, Named, Shown]{
		Name: "source resume", Short: "Resume a paused source", Scope: operation.Admin, Routes: []string{"POST /sources/{id}/resume"}, Example: `  clew source resume "Museum scans"`,
		Do: func(s *Service, ctx context.Context, in Named) (Shown, error) {
			return s.change(ctx, in.ID, func(_ *sql.Tx, src *ledger.Source) error {
				if !src.PausedAt.IsZero() {
					src.PausedAt, src.PausedBy, src.NextAt, src.Problem, src.Because = time.Time{}, "", s.Now(), "", ""
				}
				return nil
			})
		},
		Text: operation.Line(func(s Shown) string { return s.Name + " is looked at again." }),
	}
	Alter = operation.Op[*Service, Altering, Shown]{
		Name: "source edit", Short: "Change the name, the schedule or the rules of a source", Scope: operation.Admin, Routes: []string{"PATCH /sources/{id}"}, Example: `  clew source edit "Museum scans" --every 6h`,
		Do:   (*Service).alter,
		Text: operation.Line(func(s Shown) string { return s.Name + " is changed." }),
	}
	Unlock = operation.Op[*Service, Unlocking, Shown]{
		Name: "source unlock", Short: "Set the password of a source, and look for changes in it", Scope: operation.Admin, Routes: []string{"POST /sources/{id}/unlock"}, Example: `  echo "$PASSWORD" | clew source unlock "Parish mail"`,
		Do:   (*Service).unlock,
		Text: operation.Line(func(s Shown) string { return s.Name + " has its password, and is looked at." }),
	}
	Remove = operation.Op[*Service, Removing, Removed]{
		Name: "source remove", Short: "Stop following a place; its documents stay unless they are to be deleted", Scope: operation.Admin, Routes: []string{"DELETE /sources/{id}"}, Example: `  clew source remove "Museum scans" --documents`,
		Do: (*Service).remove,
	}
	Decide = operation.Op[*Service, Deciding, Removed]{
		Name: "source settle", Short: "Keep or delete the documents that are gone from a source", Scope: operation.DeleteDocuments, Routes: []string{"POST /sources/{id}/settle"}, Example: `  clew source settle "Newspaper archive" --items https://example.org/old.html --delete`,
		Do: (*Service).decide,
		Text: operation.Line(func(r Removed) string {
			if r.Documents == 0 {
				return "The documents are kept."
			}
			return domain.Counted(r.Documents, "document was", "documents were") + " deleted."
		}),
	}
)

// Operations returns the operations on sources.
func Operations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{Add, Foresee, List, Show, LookNow, Pause, Resume, Alter, Unlock, Remove, Decide}
}

// place checks what is wanted, and returns its kind and place.
func (s *Service) place(ctx context.Context, in Wanted) (Kind, Place, error) {
	kind, ok := s.Kinds[in.Kind]
	if !ok {
		return nil, Place{}, domain.Errorf(domain.Invalid, "There is no kind of source %q. Choose one of %s.", domain.Cut(in.Kind, 20), strings.Join(slices.Sorted(maps.Keys(s.Kinds)), ", "))
	}
	p := Place{Address: in.Address, Rules: ledger.SourceRules{Most: in.Most, Rate: in.Rate, Sitemap: in.Sitemap, User: strings.TrimSpace(in.User), Folder: strings.TrimSpace(in.Folder), Branch: strings.TrimSpace(in.Branch), Hold: in.Hold}}
	var err error
	if p.Rules.LeaveOut, err = beginnings(in.LeaveOut); err != nil {
		return nil, p, err
	}
	if err := checkMost(in.Most); err != nil {
		return nil, p, err
	}
	switch {
	case len(in.Address) > mostName:
		return nil, p, domain.Errorf(domain.Invalid, "The address has more than %d characters.", mostName)
	case strings.TrimSpace(in.Address) == "":
		return nil, p, domain.Errorf(domain.Invalid, "Say where it is.")
	}
	p, err = kind.Check(ctx, p)
	return kind, p, err
}

// checkMost fails for a number of items that can't be followed.
func checkMost(most int) error {
	if most < 0 || most > mostItems {
		return domain.Errorf(domain.Invalid, "Between 1 and %s items of a source can be followed.", domain.Thousands(mostItems))
	}
	return nil
}

// mostRules is how many beginnings of paths are left out.
const mostRules = 50

// beginnings returns the beginnings of paths that are given, one by one or with line breaks and commas between them.
func beginnings(given []string) (all []string, err error) {
	for _, line := range strings.FieldsFunc(strings.Join(given, "\n"), func(r rune) bool { return r == '\n' || r == '\r' || r == ',' }) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, "/"+strings.TrimPrefix(line, "/"))
		}
		if len(line) > 300 || len(all) > mostRules {
			return nil, domain.Errorf(domain.Invalid, "At most %d beginnings of paths, of 300 characters each, can be left out.", mostRules)
		}
	}
	return all, nil
}

func (s *Service) add(ctx context.Context, in Wanted) (Shown, error) {
	kind, p, err := s.place(ctx, in)
	if err != nil {
		return Shown{}, err
	}
	how, err := s.Documents.Limited(ctx, documents.How{}, in.Limit)
	if err != nil {
		return Shown{}, err
	}
	w := domain.WorkspaceOf(ctx)
	if in.Schema != "" {
		if p.Rules.Schema, err = s.Schemas.Choose(ctx, w, in.Schema, domain.PersonOf(ctx)); err != nil {
			return Shown{}, err
		}
	}
	if p.Rules.Chunking, err = in.Chunking(); err != nil {
		return Shown{}, err
	}
	p.Rules.Readers = how.Readers
	src := ledger.Source{
		Workspace: w, Name: domain.OneLine(in.Name), Kind: in.Kind, Address: p.Address, Rules: p.Rules, Limited: how.Limited,
		Person: domain.PersonOf(ctx), CreatedAt: s.Now(), NextAt: s.Now(),
	}
	src.Name = cmp.Or(src.Name, strings.TrimSuffix(path.Base(strings.TrimRight(src.Address, "/")), ".git"))
	src.Name = domain.Cut(src.Name, 100)
	if src.Rhythm, err = rhythmOf(kind, in.Every); err != nil {
		return Shown{}, err
	}
	if locks(kind, src.Rules) {
		src.NextAt = time.Time{} // unlock sets the first
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%d", w, src.Kind, src.Address, src.Rules.User, src.Rules.Folder, src.Rules.Branch, src.Person, src.CreatedAt.UnixNano()))
	src.ID = "src" + hex.EncodeToString(sum[:6])
	if err := s.Ledger.AddSource(ctx, src, mostSources); err != nil {
		return Shown{}, err
	}
	s.Log.InfoContext(ctx, "source added", "id", src.ID, "kind", src.Kind, "by", src.Person)
	return s.shown(src), nil
}

// named returns the source of an id or a name.
func (s *Service) named(ctx context.Context, name string) (ledger.Source, error) {
	all, err := s.Ledger.Sources(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return ledger.Source{}, err
	}
	var found []ledger.Source
	for _, src := range all {
		if src.ID == name {
			return src, nil
		}
		if strings.EqualFold(src.Name, strings.TrimSpace(name)) {
			found = append(found, src)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return ledger.Source{}, domain.Errorf(domain.NotFound, "There is no source %s. clew source list lists them.", domain.Cut(name, 100))
	}
	return ledger.Source{}, domain.Errorf(domain.Invalid, "%d sources are called %s. Name one by its id: clew source list lists them.", len(found), found[0].Name)
}

// change changes a source.
func (s *Service) change(ctx context.Context, name string, edit func(tx *sql.Tx, src *ledger.Source) error) (Shown, error) {
	src, err := s.named(ctx, name)
	if err != nil {
		return Shown{}, err
	}
	src, err = s.Ledger.ChangeSource(ctx, src.Workspace, src.ID, edit)
	return s.shown(src), err
}

func (s *Service) alter(ctx context.Context, in Altering) (Shown, error) {
	return s.change(ctx, in.ID, func(tx *sql.Tx, src *ledger.Source) (err error) {
		if in.Name != nil {
			if name := domain.OneLine(*in.Name); name != "" {
				src.Name = domain.Cut(name, 100)
			}
		}
		if in.Every != nil {
			if src.Rhythm, err = rhythmOf(s.Kinds[src.Kind], *in.Every); err != nil {
				return err
			}
			if src.PausedAt.IsZero() {
				src.NextAt = next(src.Rhythm, s.Now())
			}
		}
		if in.Most != nil {
			if err := checkMost(*in.Most); err != nil {
				return err
			}
			src.Rules.Most = *in.Most
		}
		if in.LeaveOut == nil {
			return nil
		}
		if src.Rules.LeaveOut, err = beginnings([]string{*in.LeaveOut}); err != nil {
			return err
		}
		return s.Ledger.ForgetStamps(ctx, tx, src.Workspace, src.ID) // unchanged pages may lead to items that were left out
	})
}

func (s *Service) unlock(ctx context.Context, in Unlocking) (Shown, error) {
	if len(in.Secret) > 4000 || strings.ContainsAny(in.Secret, "\r\n\x00") || in.Secret == "" {
		return Shown{}, domain.Errorf(domain.Invalid, "Give the password: a line of at most 4000 characters.")
	}
	return s.change(ctx, in.ID, func(_ *sql.Tx, src *ledger.Source) (err error) {
		if src.Sealed, err = s.Vault.Seal(vault.Sources, in.Secret, bound(*src)...); err != nil {
			return err
		}
		src.Problem, src.Because, src.Failures, src.FailingAt = "", "", 0, time.Time{}
		if src.PausedAt.IsZero() {
			src.NextAt = s.Now()
		}
		return nil
	})
}

func (s *Service) remove(ctx context.Context, in Removing) (r Removed, err error) {
	src, err := s.named(ctx, in.ID)
	if err != nil {
		return r, err
	}
	if in.Documents {
		items, err := s.Ledger.AllItems(ctx, src.Workspace, src.ID)
		if err == nil {
			r, err = s.deleteOf(ctx, src.Workspace, items)
		}
		if err != nil {
			return r, err
		}
	}
	if src.Looking != "" {
		if err := s.Queue.Stop(ctx, src.Workspace, src.Looking); err != nil && domain.KindOf(err) != domain.NotFound && domain.KindOf(err) != domain.Conflict {
			return r, err
		}
	}
	return r, s.Ledger.RemoveSource(ctx, src.Workspace, src.ID)
}

// deleteOf deletes the documents of items, so that it can be undone for a while.
func (s *Service) deleteOf(ctx context.Context, w domain.WorkspaceID, items []ledger.SourceItem) (r Removed, err error) {
	var ids []domain.DocumentID
	for _, i := range items {
		ids = append(ids, i.Documents...)
	}
	if len(ids) == 0 {
		return r, nil
	}
	d, err := s.Documents.Remove(ctx, w, ledger.DocumentQuery{IDs: ids}, false)
	if domain.KindOf(err) == domain.NotFound { // they were already deleted
		err = nil
	}
	return Removed{d.Documents, d.ID}, err
}

func (s *Service) decide(ctx context.Context, in Deciding) (r Removed, err error) {
	src, err := s.named(ctx, in.ID)
	if err != nil {
		return r, err
	}
	items, err := s.Ledger.ChangedItems(ctx, src.Workspace, src.ID, "", mostItems)
	if err != nil {
		return r, err
	}
	if len(in.Items) > 0 {
		items = slices.DeleteFunc(items, func(i ledger.SourceItem) bool { return !slices.Contains(in.Items, i.Name) })
	}
	if len(items) == 0 {
		return r, domain.Errorf(domain.NotFound, "Nothing of that name is missing there, or it has been decided already.")
	}
	if in.Delete {
		if r, err = s.deleteOf(ctx, src.Workspace, items); err != nil {
			return r, err
		}
	}
	for _, i := range items {
		if in.Delete {
			err = s.Ledger.DropItem(ctx, src.Workspace, src.ID, i.Name)
		} else {
			i.Change, i.ChangeAt = ledger.ItemKept, s.Now()
			err = s.Ledger.PutItem(ctx, i)
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// shown returns a source as it is listed.
func (s *Service) shown(src ledger.Source) Shown {
	kind := s.Kinds[src.Kind]
	return Shown{
		ID: src.ID, Name: src.Name, Kind: src.Kind, Address: src.Address, Every: src.Rhythm, Rules: src.Rules, Limited: src.Limited, Person: ledger.NameOf(src.Person), Created: src.CreatedAt,
		Paused: src.PausedAt, PausedBy: src.PausedBy, Next: src.NextAt, Looking: src.Looking, Failures: src.Failures, Problem: src.Problem, Because: src.Because, Failing: src.FailingAt,
		Locked: kind != nil && locks(kind, src.Rules) && src.Sealed == "",
	}
}

// List lists the sources with their last looks.
func (s *Service) List(ctx context.Context) ([]Shown, error) {
	w := domain.WorkspaceOf(ctx)
	all, err := s.Ledger.Sources(ctx, w)
	if err != nil {
		return nil, err
	}
	last, err := s.Ledger.LastLooks(ctx, w)
	if err != nil {
		return nil, err
	}
	failed, err := s.Ledger.CountFailed(ctx, w)
	list := make([]Shown, len(all))
	for i, src := range all {
		list[i] = s.shown(src)
		list[i].Unread = failed[src.ID]
		if k, looked := last[src.ID]; looked {
			list[i].Last = &k
		}
	}
	return list, err
}

// What is shown of a source at most.
const (
	shownChanges = 200
	shownLooks   = 20
)

// Show returns a source with its recent looks, the changes of the last one, and the items that are gone or could not be read. It leaves
// out items whose documents the reader of ctx may not read.
func (s *Service) Show(ctx context.Context, in Named) (Shown, error) {
	src, err := s.named(ctx, in.ID)
	if err != nil {
		return Shown{}, err
	}
	show := s.shown(src)
	if show.Looks, err = s.Ledger.Looks(ctx, src.Workspace, src.ID, time.Time{}, shownLooks); err != nil {
		return show, err
	}
	var last domain.RunID
	if len(show.Looks) > 0 {
		show.Last, last = &show.Looks[0], show.Looks[0].Run
	}
	items, err := s.Ledger.ChangedItems(ctx, src.Workspace, src.ID, last, shownChanges)
	if err != nil {
		return show, err
	}
	if show.Changes, err = s.readable(ctx, src.Workspace, items); err != nil {
		return show, err
	}
	failed, err := s.Ledger.FailedItems(ctx, src.Workspace, src.ID, mostItems)
	if err != nil {
		return show, err
	}
	show.Unread = len(failed)
	show.Problems, err = s.readable(ctx, src.Workspace, failed[:min(len(failed), shownChanges)])
	return show, err
}

// readable leaves out the items with documents that the reader of ctx can't read.
func (s *Service) readable(ctx context.Context, w domain.WorkspaceID, items []ledger.SourceItem) (list []ledger.SourceItem, err error) {
	hidden, err := s.Ledger.HiddenDocuments(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		if !slices.ContainsFunc(i.Documents, func(id domain.DocumentID) bool { return hidden[id] }) {
			list = append(list, i)
		}
	}
	return list, nil
}

func printSource(w io.Writer, s Shown) error {
	fmt.Fprintf(w, "%s (%s)\n%s %s, looked at %s\n%s\n", s.Name, s.ID, s.Kind, s.Address, cmp.Or(s.Every, "on demand"), s.state())
	for _, i := range slices.Concat(s.Changes, s.Problems) {
		fmt.Fprintf(w, "  %-8s %s%s%s\n", i.Change, i.Name, map[bool]string{true: ": " + i.Problem}[i.Problem != ""], map[bool]string{true: ", before " + i.From}[i.Change == ledger.ItemMoved])
	}
	return operation.Columns(w, "LOOK\tSEEN\tNEW\tCHANGED\tGONE\tFAILED\tPROBLEM\tRUN", func(line func(...any)) {
		for _, k := range s.Looks {
			line(k.BeganAt.Format(time.DateTime), k.Seen, k.Fresh, k.Changed, k.Gone, k.Failed, k.Problem, k.Run)
		}
	})
}
