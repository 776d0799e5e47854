package ingest_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/testkit"
)

// mortal is a parser whose calls of Parse do what deaths says, in order, before
// they parse.
type mortal struct {
	ingest.Parser
	calls []func(large func() error) error
}

func (m *mortal) Parse(ctx context.Context, f domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error) {
	if len(m.calls) > 0 {
		do := m.calls[0]
		m.calls = m.calls[1:]
		if err := do(large); err != nil {
			return domain.Text{}, err
		}
	}
	return m.Parser.Parse(ctx, f, how, file, size, large)
}

var errProgramEnds = errors.New("the program is killed")

func TestDeathsOfTheParser(t *testing.T) {
	t.Parallel()
	dies := func(func() error) error { return &parse.DeathError{Err: domain.Errorf(domain.TooLarge, "It died.")} }
	diesLarge := func(large func() error) error { return errors.Join(large(), dies(nil)) }
	staysAlive := func(large func() error) error { return large() }
	refuses := func(large func() error) error {
		return errors.Join(large(), domain.Errorf(domain.Invalid, "This file is damaged."))
	}
	// As nothing runs after a kill, the panic leaves what was noted.
	killed := func(func() error) error { panic(errProgramEnds) }
	killedLarge := func(large func() error) error { testkit.Must(t, large()); panic(errProgramEnds) }
	type attempts [][]func(func() error) error
	for _, tt := range []struct {
		name     string
		attempts attempts
		says     string // the last attempt's error, "" when the document is read
		deaths   int    // afterwards
	}{
		{"one death", attempts{{dies}}, "", 0},
		{"one death, large", attempts{{diesLarge}}, "", 0},
		{"two deaths", attempts{{dies, dies}}, "It died.", 2},
		{"two deaths, large", attempts{{diesLarge, diesLarge}}, "It died.", 2},
		{"large and alive", attempts{{staysAlive}}, "", 0},
		{"large and refused", attempts{{refuses}}, "damaged", 0},
		{"a death and a refusal", attempts{{dies, refuses}}, "damaged", 1},
		{"killed ten times", attempts{{killed}, {killed}, {killed}, {killed}, {killed}, {killed}, {killed}, {killed}, {killed}, {killed}, {}}, "", 0},
		{"killed large once", attempts{{killedLarge}, {}}, "", 0},
		{"killed large twice", attempts{{killedLarge}, {killedLarge}, {}}, "Twice, the program ended while this file took more than half of PARSE_MEMORY_MB", 2},
		{"a death, then killed large", attempts{{diesLarge, killedLarge}, {}}, "Twice", 2},
		{"killed large, then a death", attempts{{killedLarge}, {dies}}, "It died.", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, testkit.Options{}, letters("Anna"))
			p := b.IngestParams()
			p.Threads = nil
			for i, calls := range tt.attempts {
				p.Parser = &mortal{Parser: b.IngestParams().Parser, calls: calls}
				graph, err := ingest.Graph(p)
				testkit.Must(t, err)
				_, err = graph.Run(t.Context(), ingest.Begin(testkit.Workspace, b.doc.ID))
				switch last := i == len(tt.attempts)-1; {
				case !last && (err == nil || !strings.Contains(err.Error(), errProgramEnds.Error())):
					t.Fatalf("attempt %d ended with %v", i+1, err)
				case last && tt.says == "":
					testkit.Must(t, err)
				case last && (err == nil || !strings.Contains(domain.InWords(err), tt.says) || domain.Temporary(err)):
					t.Errorf("error %v, want a final one that says %q", err, tt.says)
				}
			}
			if doc := b.Document(t, b.doc.ID); doc.Deaths != tt.deaths {
				t.Errorf("%d deaths are noted, want %d", doc.Deaths, tt.deaths)
			}
			if tt.says == "" {
				return
			}
			testkit.Must(t, b.Documents.Stop(t.Context(), testkit.Workspace, b.doc.ID))
			doc, err := b.Documents.ReadAgain(t.Context(), testkit.Workspace, b.doc.ID)
			testkit.Must(t, err)
			if doc.Deaths != 0 {
				t.Errorf("read again with %d deaths", doc.Deaths)
			}
		})
	}
}
