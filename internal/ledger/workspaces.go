package ledger

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

var workspaceTable = sqlio.Table[domain.Workspace]{Name: "workspaces", Row: func(w *domain.Workspace) sqlio.Row {
	return sqlio.Row{
		"id key", &w.ID, "name", &w.Name, "title", &w.Title, "about", &w.About, "created_at fixed", &w.CreatedAt, "archived_at", &w.ArchivedAt, "delete_at", &w.DeleteAt,
	}
}}

var memberTable = sqlio.Table[domain.Membership]{Name: "members", Row: func(m *domain.Membership) sqlio.Row {
	return sqlio.Row{"workspace_id key", &m.Workspace, "account key", &m.Account, "role", &m.Role, "by_sign_on", &m.BySignOn, "added_at fixed", &m.AddedAt}
}}

func noWorkspace(name string) error {
	return domain.Errorf(domain.NotFound, "There is no workspace %q.", name)
}

// Like names the workspace whose schema another begins with.
type Like struct {
	Workspace domain.WorkspaceID // "" for none
	Prompts   bool               // include its prompts
	Note      string             // of the versions
}

// AddWorkspace stores a new workspace. It fails with kind Conflict if one has its name, also one that is about to be deleted.
func (l AccountStore) AddWorkspace(ctx context.Context, w domain.Workspace) error {
	return l.AddWorkspaceLike(ctx, w, Like{})
}

// AddWorkspaceLike is AddWorkspace for one that begins with the current schemas of another, except those of documents.
func (l AccountStore) AddWorkspaceLike(ctx context.Context, w domain.Workspace, like Like) error {
	return l.tx(ctx, "add workspace", func(tx *sql.Tx, now time.Time) error {
		taken, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM workspaces WHERE name = ?`, w.Name)
		if err != nil {
			return err
		}
		if taken > 0 {
			return domain.Errorf(domain.Conflict, "There is already a workspace named %s. Choose another name.", w.Name)
		}
		err = sqlio.Exec(ctx, tx, `INSERT INTO workspaces (id, head, name, title, about, created_at) VALUES (?, 0, ?, ?, ?, ?)`, w.ID, w.Name, w.Title, w.About, sqlio.Millis(now))
		if err != nil || like.Workspace == "" {
			return err
		}
		return beginLike(ctx, tx, w.ID, like, now)
	})
}

func beginLike(ctx context.Context, tx *sql.Tx, w domain.WorkspaceID, like Like, now time.Time) error {
	args := []any{w, sqlio.Millis(now), domain.PersonOf(ctx), like.Note, like.Workspace, like.Workspace}
	err := sqlio.Exec(ctx, tx, `INSERT INTO schemas (workspace_id, number, tag, name, document_id, at, who, note, body)
		SELECT CAST(? AS TEXT), ROW_NUMBER() OVER (ORDER BY number), tag, name, '', CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), body
		FROM schemas WHERE workspace_id = ? AND document_id = '' AND body <> '' AND number IN (
			SELECT MAX(s.number) FROM schemas s WHERE s.workspace_id = ? GROUP BY s.document_id, s.name, s.tag)`, args...)
	if err != nil || !like.Prompts {
		return err
	}
	return sqlio.Exec(ctx, tx, `INSERT INTO prompt_versions (workspace_id, number, role, text, note, who, at)
		SELECT CAST(? AS TEXT), ROW_NUMBER() OVER (ORDER BY number), role, text, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
		FROM prompt_versions WHERE workspace_id = ? AND text <> '' AND number IN (
			SELECT MAX(p.number) FROM prompt_versions p WHERE p.workspace_id = ? GROUP BY p.role)`,
		w, like.Note, domain.PersonOf(ctx), sqlio.Millis(now), like.Workspace, like.Workspace)
}

// WorkspaceIDs lists the ids of all workspaces, in order.
func (l AccountStore) WorkspaceIDs(ctx context.Context) ([]domain.WorkspaceID, error) {
	return list(ctx, l, "list workspaces", sqlio.Column[domain.WorkspaceID], `SELECT id FROM workspaces ORDER BY id`)
}

// Workspaces lists all workspaces, also those that are about to be deleted, by title.
func (l AccountStore) Workspaces(ctx context.Context) ([]domain.Workspace, error) {
	return list(ctx, l, "list workspaces", workspaceTable.Scan, workspaceTable.Select()+`ORDER BY LOWER(title), id`)
}

// WorkspaceNamed returns a workspace by its name, or an error of kind NotFound.
func (l AccountStore) WorkspaceNamed(ctx context.Context, name string) (domain.Workspace, error) {
	w, err := read(ctx, l.reader, workspaceTable, noWorkspace(name), `WHERE name = ? AND name <> ''`, name)
	return w, l.wrap("read workspace", err)
}

// Workspace returns a workspace, or an error of kind NotFound.
func (l AccountStore) Workspace(ctx context.Context, ws domain.WorkspaceID) (domain.Workspace, error) {
	w, err := read(ctx, l.reader, workspaceTable, noWorkspace(string(ws)), `WHERE id = ?`, ws)
	return w, l.wrap("read workspace", err)
}

// ChangeWorkspace changes a workspace, or returns an error of kind NotFound, or the error of change.
func (l AccountStore) ChangeWorkspace(ctx context.Context, ws domain.WorkspaceID, change func(*domain.Workspace) error) (w domain.Workspace, err error) {
	err = l.tx(ctx, "change workspace", func(tx *sql.Tx, _ time.Time) error {
		stored, err := read(ctx, tx, workspaceTable, noWorkspace(string(ws)), `WHERE id = ?`+l.lock.Changing, ws)
		if err != nil {
			return err
		}
		w = stored
		if err := change(&w); err != nil {
			return err
		}
		return workspaceTable.Update(ctx, tx, &stored, &w)
	})
	return w, err
}

// A WorkspaceSize is how much is in a workspace.
type WorkspaceSize struct {
	Workspace          domain.WorkspaceID
	Members, Documents int
	Bytes              int64     // of the documents' files
	AskedAt            time.Time // when a conversation last continued; zero if there is none
}

// WorkspaceSizes returns how much is in each workspace, of documents those that the viewer of ctx can read.
func (l AccountStore) WorkspaceSizes(ctx context.Context) ([]WorkspaceSize, error) {
	seen, args := Seen(ctx, "d")
	return list(ctx, l, "size workspaces", into(func(s *WorkspaceSize) []any {
		return []any{&s.Workspace, &s.Members, &s.Documents, &s.Bytes, &s.AskedAt}
	}), `SELECT w.id, (SELECT COUNT(*) FROM users u WHERE u.role = '`+string(domain.Owner)+`' OR EXISTS (SELECT 1 FROM members m WHERE m.workspace_id = w.id AND m.account = u.name)),
		(SELECT COUNT(*) FROM documents d WHERE d.workspace_id = w.id AND d.delete_at = 0`+seen+`),
		(SELECT COALESCE(SUM(d.size), 0) FROM documents d WHERE d.workspace_id = w.id AND d.delete_at = 0`+seen+`),
		(SELECT COALESCE(MAX(c.updated_at), 0) FROM conversations c WHERE c.workspace_id = w.id) FROM workspaces w ORDER BY w.id`, slices.Concat(args, args)...)
}

// RunsBegun counts the runs of each workspace that were begun between two times, the second excluded.
func (l AccountStore) RunsBegun(ctx context.Context, from, to time.Time) (map[domain.WorkspaceID]int, error) {
	return pairs[domain.WorkspaceID, int](ctx, l, "count runs", `SELECT w.id, (SELECT COUNT(*) FROM runs r WHERE r.workspace_id = w.id AND r.created_at >= ? AND r.created_at < ?) FROM workspaces w`,
		sqlio.Millis(from), sqlio.Millis(to))
}

// AllMemberships lists the memberships of all accounts.
func (l AccountStore) AllMemberships(ctx context.Context) ([]domain.Membership, error) {
	return list(ctx, l, "list memberships", memberTable.Scan, memberTable.Select()+`ORDER BY account, workspace_id`)
}

// Members lists the members of a workspace by name. Owners belong to every workspace without being a member.
func (l AccountStore) Members(ctx context.Context, ws domain.WorkspaceID) ([]domain.Membership, error) {
	return list(ctx, l, "list members", memberTable.Scan, memberTable.Select()+`WHERE workspace_id = ? ORDER BY account`, ws)
}

// Memberships lists the memberships of an account.
func (l AccountStore) Memberships(ctx context.Context, account string) ([]domain.Membership, error) {
	return list(ctx, l, "list memberships", memberTable.Scan, memberTable.Select()+`WHERE account = ? ORDER BY workspace_id`, account)
}

// SetMember makes an account a member of a workspace, or gives a member another role.
func (l AccountStore) SetMember(ctx context.Context, m domain.Membership) error {
	return l.tx(ctx, "set member", func(tx *sql.Tx, now time.Time) error {
		accounts, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM users WHERE name = ?`, m.Account)
		if err != nil {
			return err
		}
		if accounts == 0 {
			return noAccount(m.Account)
		}
		m.AddedAt, m.BySignOn = now, false
		return memberTable.Put(ctx, tx, &m)
	})
}

// rejoinFor is how long RestoreMember takes back that a member was removed.
const rejoinFor = 24 * time.Hour

// RemoveMember removes an account from a workspace, with its tokens for it. The error is of kind NotFound if it is not
// a member.
func (l AccountStore) RemoveMember(ctx context.Context, ws domain.WorkspaceID, account string) error {
	return l.tx(ctx, "remove member", func(tx *sql.Tx, now time.Time) error {
		err := sqlio.Exec(ctx, tx, `DELETE FROM former_members WHERE workspace_id = ? AND (account = ? OR left_at <= ?)`, ws, account, sqlio.Millis(now.Add(-rejoinFor)))
		if err == nil {
			err = sqlio.Exec(ctx, tx, `INSERT INTO former_members (workspace_id, account, role, added_at, left_at)
				SELECT workspace_id, account, role, added_at, CAST(? AS BIGINT) FROM members WHERE workspace_id = ? AND account = ?`, sqlio.Millis(now), ws, account)
		}
		if err != nil {
			return err
		}
		if err := leave(ctx, tx, ws, account); err != nil {
			return err
		}
		return stopAsked(ctx, tx, now, `workspace_id = ? AND person = ?`, ws, account)
	})
}

// RestoreMember takes back that an account was removed from a workspace. Its tokens stay revoked. The error is Conflict if it
// is a member, or was not removed within a day.
func (l AccountStore) RestoreMember(ctx context.Context, ws domain.WorkspaceID, account string) (m domain.Membership, err error) {
	err = l.tx(ctx, "restore member", func(tx *sql.Tx, now time.Time) error {
		m = domain.Membership{Workspace: ws, Account: account}
		found := false
		err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
			found = true
			return rows.Scan(sqlio.To(&m.Role, &m.AddedAt)...)
		}, `SELECT role, added_at FROM former_members WHERE workspace_id = ? AND account = ? AND left_at > ?`, ws, account, sqlio.Millis(now.Add(-rejoinFor)))
		if err != nil {
			return err
		}
		if !found {
			return domain.Errorf(domain.Conflict, "%s was not removed from this workspace within the last day. Add the account as a member.", account)
		}
		fresh, err := memberTable.Insert(ctx, tx, &m)
		if err == nil && !fresh {
			err = domain.Errorf(domain.Conflict, "%s is a member of this workspace already.", account)
		}
		if err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `DELETE FROM former_members WHERE workspace_id = ? AND account = ?`, ws, account)
	})
	return m, err
}

// leave removes an account from a workspace, with its tokens for it. The error is of kind NotFound if it is not a
// member.
func leave(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, account string) error {
	found, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM members WHERE workspace_id = ? AND account = ?`, ws, account))
	if err != nil {
		return err
	}
	if !found {
		return domain.Errorf(domain.NotFound, "%s is not a member of this workspace.", account)
	}
	return sqlio.Exec(ctx, tx, `DELETE FROM tokens WHERE workspace_id = ? AND account = ?`, ws, account)
}

// roleOf is the role of an account u in a workspace whose membership is m.
const roleOf = `CASE u.role WHEN 'owner' THEN 'owner' ELSE COALESCE(m.role, 'stranger') END`

// AccountIn returns an account with its role in a workspace, or an error of kind NotFound.
func (l AccountStore) AccountIn(ctx context.Context, ws domain.WorkspaceID, name string) (Account, error) {
	all, err := list(ctx, l, "read account", into(func(a *Account) []any { return []any{&a.Name, &a.Role, &a.PasswordHash, &a.Language, &a.CreatedAt} }),
		`SELECT u.name, `+roleOf+`, u.password_hash, u.language, u.created_at FROM users u LEFT JOIN members m ON m.workspace_id = ? AND m.account = u.name WHERE u.name = ?`, ws, name)
	switch {
	case err != nil:
		return Account{}, err
	case len(all) == 0:
		return Account{}, noAccount(name)
	}
	return all[0], nil
}

// Groups lists the groups of an account by name.
func (l AccountStore) Groups(ctx context.Context, account string) ([]string, error) {
	return list(ctx, l, "list groups", sqlio.Column[string], `SELECT name FROM account_groups WHERE account = ? ORDER BY name`, account)
}

// GroupsByAccount lists the groups of each account that is in one, by name.
func (l AccountStore) GroupsByAccount(ctx context.Context) (map[string][]string, error) {
	by := map[string][]string{}
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var account, group string
		err := rows.Scan(&account, &group)
		by[account] = append(by[account], group)
		return err
	}, `SELECT account, name FROM account_groups ORDER BY account, name`)
	return by, l.wrap("list groups", err)
}

// AllGroups lists the groups that accounts are in, by name.
func (l AccountStore) AllGroups(ctx context.Context) ([]string, error) {
	return list(ctx, l, "list groups", sqlio.Column[string], `SELECT DISTINCT name FROM account_groups ORDER BY name`)
}

// SetGroups puts an account into the groups of the names, and out of all others. The error is of kind NotFound for an unknown
// account.
func (l AccountStore) SetGroups(ctx context.Context, account string, names []string) error {
	return l.tx(ctx, "set groups", func(tx *sql.Tx, now time.Time) error {
		accounts, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM users WHERE name = ?`, account)
		if err != nil {
			return err
		}
		if accounts == 0 {
			return noAccount(account)
		}
		return setGroups(ctx, tx, account, names, now)
	})
}

// setGroups puts an account into the groups of the names, and out of all others. It notes since when it is in those that it joins.
func setGroups(ctx context.Context, tx *sql.Tx, account string, names []string, now time.Time) error {
	left := append([]any{account, ""}, sqlio.Args(names)...)
	if err := sqlio.Exec(ctx, tx, `DELETE FROM account_groups WHERE account = ? AND name NOT IN (`+sqlio.Marks(len(left)-1)+`)`, left...); err != nil {
		return err
	}
	for _, name := range names {
		if err := sqlio.Exec(ctx, tx, `INSERT INTO account_groups (account, name, since) VALUES (?, ?, ?) ON CONFLICT (account, name) DO NOTHING`, account, name, sqlio.Millis(now)); err != nil {
			return err
		}
	}
	return nil
}
