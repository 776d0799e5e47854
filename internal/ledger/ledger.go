package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// Ledger stores the truth in an SQL database. It is safe for concurrent use.
type Ledger struct {
	*store
	DocumentStore
	ChunkStore
	ContributionStore
	AnswerStore
	RunStore
	EvaluationStore
	SummaryStore
	ResearchStore
	DecisionStore
	AccountStore
	AuditStore
	SettingStore
	SourceStore
}

// The parts of a ledger, one for each noun.
type (
	// DocumentStore keeps documents: their facts, texts and versions.
	DocumentStore struct{ *store }
	// ChunkStore keeps chunks with their words and vectors.
	ChunkStore struct{ *store }
	// ContributionStore keeps what chunks add to the graph, and the changes that the
	// projections follow.
	ContributionStore struct{ *store }
	// AnswerStore stores conversations, the answers of runs, and people's judgements of them.
	AnswerStore struct{ *store }
	// RunStore keeps the records of runs: events, calls of models and their usage.
	RunStore struct{ *store }
	// EvaluationStore keeps sets of questions and the answers to them.
	EvaluationStore struct{ *store }
	// SummaryStore keeps summaries.
	SummaryStore struct{ *store }
	// ResearchStore keeps researches.
	ResearchStore struct{ *store }
	// DecisionStore keeps the curation log and proposals to merge entities.
	DecisionStore struct{ *store }
	// AccountStore keeps accounts, their sessions and the tokens of programs.
	AccountStore struct{ *store }
	// AuditStore keeps the trail: who did what.
	AuditStore struct{ *store }
	// SettingStore keeps settings, connected models, schemas and prompts.
	SettingStore struct{ *store }
	// SourceStore keeps sources that are followed, and their last known state.
	SourceStore struct{ *store }
)

// A store is the database of a ledger, and what its parts share.
type store struct {
	writer  *sql.DB
	reader  *sql.DB
	lock    sqlio.Dialect
	now     domain.Clock
	key     func(string) string
	explain func(error) error
	erased  func(ctx context.Context, tx *sql.Tx) error
	news    *sqlio.News // may be nil

	calls    *sqlio.Together[madeCall]
	gathered gathered
	answered answered
	named    named
}

func (l *store) base() *store { return l }

// Option changes how a ledger works.
type Option func(*store)

// WithKey sets the function that turns a name into the key of its mentions and
// statements. The default lowers the case and collapses white space.
func WithKey(key func(name string) string) Option {
	return func(l *store) { l.key = key }
}

// WithExplain sets the function that gives the database's own errors, such as a
// full disk, a domain kind.
func WithExplain(explain func(error) error) Option {
	return func(l *store) { l.explain = explain }
}

// WithErased sets a function that is called in each transaction that deletes words of a
// person or a document, before it is committed.
func WithErased(erased func(ctx context.Context, tx *sql.Tx) error) Option {
	return func(l *store) { l.erased = erased }
}

// WithNews announces writes to news, except the events of runs on threads.
func WithNews(news *sqlio.News) Option {
	return func(l *store) { l.news = news }
}

// Open returns a ledger over a migrated database. Stored times come from now.
func Open(writer, readers *sql.DB, now func() time.Time, opts ...Option) *Ledger {
	l := &store{
		writer:  writer,
		reader:  readers,
		lock:    sqlio.DialectOf(writer),
		now:     now,
		key:     func(name string) string { return strings.ToLower(domain.OneLine(name)) },
		explain: func(err error) error { return err },
		erased:  func(context.Context, *sql.Tx) error { return nil },
	}
	for _, o := range opts {
		o(l)
	}
	l.calls = sqlio.NewTogether(l.lock, l.writeCalls)
	return &Ledger{
		l, DocumentStore{l}, ChunkStore{l}, ContributionStore{l}, AnswerStore{l}, RunStore{l}, EvaluationStore{l},
		SummaryStore{l}, ResearchStore{l}, DecisionStore{l}, AccountStore{l}, AuditStore{l}, SettingStore{l}, SourceStore{l},
	}
}

// exec runs a statement in a write transaction, see tx.
func (l *store) exec(ctx context.Context, op, statement string, args ...any) error {
	return l.tx(ctx, op, func(tx *sql.Tx, _ time.Time) error {
		return sqlio.Exec(ctx, tx, statement, args...)
	})
}

// tx runs f in one write transaction with one timestamp and adds the operation's
// name to its error. f may be called again, see sqlio.InTx. lock.go lists the
// rows it has to lock.
func (l *store) tx(ctx context.Context, op string, f func(tx *sql.Tx, now time.Time) error) error {
	now := l.now()
	err := sqlio.InTx(ctx, l.writer, func(tx *sql.Tx) error { return f(tx, now) })
	if err == nil {
		l.news.Wrote()
	}
	return l.wrap(op, err)
}

// erase is tx for an f that deletes words, which it reports to erased.
func (l *store) erase(ctx context.Context, op string, f func(tx *sql.Tx, now time.Time) error) error {
	return l.tx(ctx, op, func(tx *sql.Tx, now time.Time) error {
		if err := f(tx, now); err != nil {
			return err
		}
		return l.erased(ctx, tx)
	})
}

// wrap adds the failed operation's name. An error with a kind stays as it is:
// its message is for a person.
func (l *store) wrap(op string, err error) error {
	if err == nil || domain.KindOf(err) != domain.Internal {
		return err
	}
	return fmt.Errorf("%s: %w", op, l.explain(err))
}

// querier is a database or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}
