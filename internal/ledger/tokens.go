package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Token admits a program. Only its hash is stored, so that nobody gets in by reading the database.
type Token struct {
	ID        string
	Workspace domain.WorkspaceID
	Account   string // whose it is; "" if it was made when nobody signed in
	Name      string
	Prefix    string // its first letters, by which people recognise it
	Hash      string
	Scopes    []string // see operation.Scope
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero if never used
	Address   string    // where it was last used from
}

var tokenTable = sqlio.Table[Token]{Name: "tokens", Row: func(t *Token) sqlio.Row {
	return sqlio.Row{
		"id key", &t.ID, "workspace_id fixed", &t.Workspace, "account fixed", &t.Account, "name fixed", &t.Name, "prefix fixed", &t.Prefix, "token_hash fixed", &t.Hash,
		"scopes fixed", &t.Scopes, "created_at fixed", &t.CreatedAt, "expires_at fixed", &t.ExpiresAt, "used_at", &t.UsedAt, "address", &t.Address,
	}
}}

// AddToken stores a new token, and removes those of its workspace that expired more than a month ago.
func (l AccountStore) AddToken(ctx context.Context, t Token) error {
	return l.tx(ctx, "add token", func(tx *sql.Tx, now time.Time) error {
		if err := sqlio.Exec(ctx, tx, `DELETE FROM tokens WHERE workspace_id = ? AND expires_at <= ?`, t.Workspace, sqlio.Millis(now.AddDate(0, -1, 0))); err != nil {
			return err
		}
		t.CreatedAt = now
		return tokenTable.InsertAll(ctx, tx, []Token{t}, "")
	})
}

// TokenByHash returns the token with a hash, of any workspace and also if it has expired, or an error of kind NotFound.
func (l AccountStore) TokenByHash(ctx context.Context, hash string) (Token, error) {
	t, err := read(ctx, l.reader, tokenTable, domain.Errorf(domain.NotFound, "There is no such token."), `WHERE token_hash = ?`, hash)
	return t, l.wrap("read token", err)
}

// Tokens lists the tokens of a workspace, or of one of its accounts unless that is "", the newest first.
func (l AccountStore) Tokens(ctx context.Context, ws domain.WorkspaceID, account string) ([]Token, error) {
	return list(ctx, l, "list tokens", tokenTable.Scan, tokenTable.Select()+`WHERE workspace_id = ? AND (account = ? OR ? = '') ORDER BY created_at DESC, id`, ws, account, account)
}

// UseToken records the use of a token, and the address it came from.
func (l AccountStore) UseToken(ctx context.Context, ws domain.WorkspaceID, id, address string) error {
	return l.exec(ctx, "use token", `UPDATE tokens SET used_at = ?, address = ? WHERE workspace_id = ? AND id = ?`, sqlio.Millis(l.now()), address, ws, id)
}

// RemoveToken removes a token and stops what it has asked for, or returns an error of kind NotFound. Unless account is "", it has to be a token of that account.
func (l AccountStore) RemoveToken(ctx context.Context, ws domain.WorkspaceID, account, id string) error {
	return l.tx(ctx, "remove token", func(tx *sql.Tx, now time.Time) error {
		found, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM tokens WHERE workspace_id = ? AND id = ? AND (account = ? OR ? = '')`, ws, id, account, account))
		if err == nil && !found {
			return domain.Errorf(domain.NotFound, "There is no token %s here. clew token list lists them.", id)
		}
		if err != nil {
			return err
		}
		return stopAsked(ctx, tx, now, `workspace_id = ? AND access = ?`, ws, domain.AccessOf(id))
	})
}
