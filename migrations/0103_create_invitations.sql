-- +goose Up

-- Links that let somebody into a workspace, once. Only the hash of the secret in a link is kept.
CREATE TABLE invitations (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    role         TEXT NOT NULL,
    note         TEXT NOT NULL, -- for whom it is
    secret_hash  TEXT NOT NULL,
    made_by      TEXT NOT NULL, -- '': with a command, or where nobody signs in
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    used_at      BIGINT NOT NULL,
    used_by      TEXT NOT NULL
);
CREATE UNIQUE INDEX invitations_by_hash ON invitations (secret_hash);
CREATE INDEX invitations_of_workspace ON invitations (workspace_id, created_at);
