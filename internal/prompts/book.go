package prompts

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
)

// Store keeps the changes of prompts.
type Store interface {
	// PromptHead returns the number of the last change; 0 if there is none.
	PromptHead(ctx context.Context, w domain.WorkspaceID) (int, error)

	// PromptAt returns the last change of a role's prompt up to a number; the zero value if there is none.
	PromptAt(ctx context.Context, w domain.WorkspaceID, role string, number int) (domain.PromptVersion, error)

	// CurrentPrompts lists the last change of each role's prompt.
	CurrentPrompts(ctx context.Context, w domain.WorkspaceID) ([]domain.PromptVersion, error)

	// PromptVersions lists the changes of a role's prompt, latest first.
	PromptVersions(ctx context.Context, w domain.WorkspaceID, role string) ([]domain.PromptVersion, error)

	// AddPrompt stores a change under the next number, and returns it. The error is Conflict if the
	// last change of the role's prompt is not number base.
	AddPrompt(ctx context.Context, w domain.WorkspaceID, v domain.PromptVersion, base int) (domain.PromptVersion, error)
}

// Book holds the prompts of all roles. It is safe for concurrent use.
type Book struct {
	store   Store
	fences  Fences
	prompts []Prompt
	draft   map[string]string // texts by role, overriding all others

	mu     sync.Mutex
	texts  map[[2]string]*Text   // by role and text
	pinned map[pinnedText]string // texts; they never change
}

// pinnedText names a role's text as of a pin.
type pinnedText struct {
	workspace domain.WorkspaceID
	role      string
	pin       int
}

// New returns a book of the given prompts. Without a store, all texts are the
// built-in ones.
func New(s Store, f Fences, all ...Prompt) *Book {
	return &Book{store: s, fences: f, prompts: all, texts: map[[2]string]*Text{}, pinned: map[pinnedText]string{}}
}

// With returns a book in which a role has another text. The error says what is
// wrong with it.
func (b *Book) With(role, text string) (*Book, error) {
	d := New(b.store, b.fences, b.prompts...)
	d.draft = maps.Clone(b.draft)
	if d.draft == nil {
		d.draft = map[string]string{}
	}
	d.draft[role] = text
	_, err := d.Parse(role, text)
	return d, err
}

// Prompts lists the prompts of all roles.
func (b *Book) Prompts() []Prompt { return b.prompts }

// Prompt returns the prompt of a role. An unknown role is NotFound.
func (b *Book) Prompt(role string) (Prompt, error) {
	var roles []string
	for _, p := range b.prompts {
		if p.Role == role {
			return p, nil
		}
		roles = append(roles, p.Role)
	}
	return Prompt{}, domain.Errorf(domain.NotFound, "There is no role %q. The roles are %s.", role, strings.Join(roles, ", "))
}

// Pin returns the number of the last change. A run keeps it and uses the texts of
// that number to its end, whatever is changed meanwhile.
func (b *Book) Pin(ctx context.Context, w domain.WorkspaceID) (int, error) {
	if b.store == nil {
		return 0, nil
	}
	return b.store.PromptHead(ctx, w)
}

// Text returns a role's text as of a pin, ready to be filled in.
func (b *Book) Text(ctx context.Context, w domain.WorkspaceID, role string, pin int) (*Text, error) {
	text, err := b.Edited(ctx, w, role, pin)
	if err != nil {
		return nil, err
	}
	t, err := b.Parse(role, text)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "The prompt %s does not suit this version of the program: change or reset it on the page Prompts. %v", role, err)
	}
	return t.In(w)
}

// Edited returns the edited text of a role as of a pin, or "" if that is the built-in text.
func (b *Book) Edited(ctx context.Context, w domain.WorkspaceID, role string, pin int) (string, error) {
	if draft, ok := b.draft[role]; ok {
		return draft, nil
	}
	if pin == 0 || b.store == nil {
		return "", nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := pinnedText{w, role, pin}
	if text, ok := b.pinned[e]; ok {
		return text, nil
	}
	v, err := b.store.PromptAt(ctx, w, role, pin)
	if err == nil {
		b.pinned[e] = v.Text
	}
	return v.Text, err
}

// EditedNow returns the edited text of a role, or "" if that is the built-in text.
func (b *Book) EditedNow(ctx context.Context, w domain.WorkspaceID, role string) (string, error) {
	pin, err := b.Pin(ctx, w)
	if err != nil {
		return "", err
	}
	return b.Edited(ctx, w, role, pin)
}

// Parse prepares a text for a role, the built-in one if text is "". The error says
// what is wrong with it.
func (b *Book) Parse(role, text string) (*Text, error) {
	p, err := b.Prompt(role)
	if err != nil {
		return nil, err
	}
	version := p.Version
	text = cmp.Or(text, p.Builtin)
	if text != p.Builtin {
		version += "." + domain.Hash([]byte(text))[:8]
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := [2]string{role, text}
	if t := b.texts[key]; t != nil {
		return t, nil
	}
	t, err := p.parse(text, version, b.fences)
	if err == nil {
		b.texts[key] = t
	}
	return t, err
}

// filled returns the built-in text if text is empty.
func filled(v domain.PromptVersion, p Prompt) domain.PromptVersion {
	v.Text = cmp.Or(v.Text, p.Builtin)
	return v
}

// Current returns the text that a role has now.
func (b *Book) Current(ctx context.Context, w domain.WorkspaceID, role string) (domain.PromptVersion, error) {
	if _, err := b.Prompt(role); err != nil {
		return domain.PromptVersion{}, err
	}
	all, err := b.CurrentAll(ctx, w)
	if err != nil {
		return domain.PromptVersion{}, err
	}
	i := slices.IndexFunc(all, func(v domain.PromptVersion) bool { return v.Role == role })
	return all[i], nil
}

// CurrentAll returns the text that each role has now, in the order of Prompts.
func (b *Book) CurrentAll(ctx context.Context, w domain.WorkspaceID) ([]domain.PromptVersion, error) {
	changed, err := b.store.CurrentPrompts(ctx, w)
	if err != nil {
		return nil, err
	}
	all := make([]domain.PromptVersion, len(b.prompts))
	for i, p := range b.prompts {
		all[i].Role = p.Role
		for _, v := range changed {
			if v.Role == p.Role {
				all[i] = v
			}
		}
		all[i] = filled(all[i], p)
	}
	return all, nil
}

// Edited reports whether a text is another than the built-in one.
func (p Prompt) Edited(v domain.PromptVersion) bool { return v.Text != "" && v.Text != p.Builtin }

// Versions lists the changes of a role's prompt with their texts in full, the last
// first; the last of all is the built-in text, numbered 0.
func (b *Book) Versions(ctx context.Context, w domain.WorkspaceID, role string) ([]domain.PromptVersion, error) {
	p, err := b.Prompt(role)
	if err != nil {
		return nil, err
	}
	all, err := b.store.PromptVersions(ctx, w, role)
	all = append(all, domain.PromptVersion{Role: role, Note: "the built-in text"})
	for i := range all {
		all[i] = filled(all[i], p)
	}
	return all, err
}

// Version returns one of the versions that Versions lists.
func (b *Book) Version(ctx context.Context, w domain.WorkspaceID, role string, number int) (domain.PromptVersion, error) {
	all, err := b.Versions(ctx, w, role)
	if err != nil {
		return domain.PromptVersion{}, err
	}
	i := slices.IndexFunc(all, func(v domain.PromptVersion) bool { return v.Number == number })
	if i < 0 {
		return domain.PromptVersion{}, domain.Errorf(domain.NotFound, "The prompt %s has no version %d.", role, number)
	}
	return all[i], nil
}

// maxNote bounds a note, in code points.
const maxNote = 200

// Save makes v.Text the text of a role's prompt, for runs that start from then on.
// The built-in text resets it. The error says what is wrong with the text; it is
// Conflict if the prompt was changed since the version base.
func (b *Book) Save(ctx context.Context, w domain.WorkspaceID, v domain.PromptVersion, base int) (domain.PromptVersion, error) {
	p, err := b.Prompt(v.Role)
	if err != nil {
		return v, err
	}
	v.Text = strings.ReplaceAll(v.Text, "\r\n", "\n") // forms send them
	if strings.TrimSpace(v.Text) == "" {
		return v, domain.Errorf(domain.Invalid, "The text is empty. Write one, or reset the prompt to the built-in text.")
	}
	if _, err := b.Parse(v.Role, v.Text); err != nil {
		return v, err
	}
	if v.Text == p.Builtin { // so that it follows changes in the program
		v.Text = ""
	}
	v.Note = domain.Cut(domain.OneLine(v.Note), maxNote)
	v, err = b.store.AddPrompt(ctx, w, v, base)
	return filled(v, p), err
}
