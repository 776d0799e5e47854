package timeline

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// shelf has documents of one passage each, the newest first.
type shelf struct {
	texts   []string
	chunks  int // of each document, as its row says
	scope   []domain.DocumentID
	readIDs []domain.DocumentID
}

func (s *shelf) id(i int) domain.DocumentID { return domain.DocumentID("d" + string(rune('a'+i))) }

func (s *shelf) Documents(_ context.Context, _ domain.WorkspaceID, q ledger.DocumentQuery) (all []domain.Document, n int, err error) {
	for i := range s.texts {
		if len(q.IDs) == 0 || slices.Contains(q.IDs, s.id(i)) {
			all = append(all, domain.Document{ID: s.id(i), Chunks: s.chunks})
		}
	}
	return all, len(all), nil
}

func (s *shelf) PassagesOf(_ context.Context, _ domain.WorkspaceID, ids []domain.DocumentID) (all []domain.Passage, err error) {
	s.readIDs = ids
	for i, text := range s.texts {
		if slices.Contains(ids, s.id(i)) {
			p := domain.Passage{Chunk: domain.Chunk{Document: s.id(i), Text: text, Span: domain.Span{Start: 10, End: 10 + domain.Runes(text)}}, Name: string(s.id(i)) + ".txt"}
			all = append(all, p, p) // passages may share sentences
		}
	}
	return all, nil
}

func (s *shelf) DocumentsWithin(_ context.Context, _ domain.WorkspaceID, terms []string) (_ []domain.DocumentID, err error) {
	var scope domain.Scope
	for _, t := range terms {
		err = scope.Add(t)
	}
	return s.scope, err
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	s := &shelf{chunks: 1, texts: []string{
		"The foundry burnt on 9 November 1888. It was founded in 1831.",
		"Maud led the Foundry from 1888 to 1901. Nobody knows the rest.",
	}}
	d := Desk{Ledger: s, Scopes: s}
	ctx := domain.WithWorkspace(t.Context(), domain.DefaultWorkspace)
	for name, test := range map[string]struct {
		in   Wanted
		want string
	}{
		"all":    {Wanted{Limit: 9}, "1831 1888 1888-11-09"},
		"words":  {Wanted{Limit: 9, Words: "FOUNDRY led"}, "1888"},
		"since":  {Wanted{Limit: 9, Since: "1900"}, "1888"},
		"until":  {Wanted{Limit: 9, Until: "1888-02"}, "1831 1888"},
		"within": {Wanted{Limit: 9, Within: []string{"tag:a"}}, "1831 1888 1888-11-09"},
		"few":    {Wanted{Limit: 1}, "1831 and 2 more"},
	} {
		got, err := d.Timeline(ctx, test.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var said []string
		for _, e := range got.Events {
			said = append(said, e.From)
			if before, date, after := e.Marked(); before+date+after != e.Sentence || date == "" || e.Start < 10 || !strings.Contains(e.Address, string(e.DocumentID)) {
				t.Errorf("%s: the event %+v is marked as %q, %q, %q", name, e, before, date, after)
			}
		}
		if got.More > 0 {
			said = append(said, "and", string(rune('0'+got.More)), "more")
		}
		if words := strings.Join(said, " "); words != test.want {
			t.Errorf("%s: %s, want %s", name, words, test.want)
		}
	}
	for _, wrong := range []Wanted{{Since: "soon"}, {Until: "1888-13"}, {Within: []string{"nothing"}}} {
		if _, err := d.Timeline(ctx, wrong); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	s.chunks = mostPassages
	got, err := d.Timeline(ctx, Wanted{Limit: 9})
	if err != nil || got.Documents != 1 || got.Unread != 1 || !slices.Equal(s.readIDs, []domain.DocumentID{"da"}) {
		t.Errorf("of two large documents %v were read: %+v, %v", s.readIDs, got, err)
	}
}
