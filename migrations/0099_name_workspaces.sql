-- +goose Up

-- People name workspaces, and are members of them. The one that an installation begins with is the library.
ALTER TABLE workspaces ADD COLUMN name TEXT NOT NULL DEFAULT ''; -- in addresses and commands
ALTER TABLE workspaces ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN about TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN archived_at BIGINT NOT NULL DEFAULT 0; -- 0: it is not
ALTER TABLE workspaces ADD COLUMN delete_at BIGINT NOT NULL DEFAULT 0;   -- 0: it stays
INSERT INTO workspaces (id, head) VALUES ('default', 0) ON CONFLICT (id) DO NOTHING;
UPDATE workspaces SET name = id, title = id;
UPDATE workspaces SET name = 'library', title = 'Library' WHERE id = 'default';
CREATE UNIQUE INDEX workspaces_by_name ON workspaces (name) WHERE name <> '';

CREATE TABLE members (
    workspace_id TEXT NOT NULL,
    account      TEXT NOT NULL,
    role         TEXT NOT NULL,
    added_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, account)
);
CREATE INDEX members_by_account ON members (account);
-- Members could do all that curators may.
INSERT INTO members (workspace_id, account, role, added_at) SELECT 'default', name, 'curator', created_at FROM users WHERE role = 'member';
