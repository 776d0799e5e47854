-- +goose Up

-- What a program shows in place of a session. Only the hash of a token is kept.
CREATE TABLE tokens (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    account      TEXT NOT NULL, -- whose it is; '': made where nobody signs in
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL, -- the first letters of the token, by which people know it
    token_hash   TEXT NOT NULL,
    scopes       TEXT NOT NULL, -- as JSON
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    used_at      BIGINT NOT NULL,
    address      TEXT NOT NULL  -- it was last used from
);
CREATE UNIQUE INDEX tokens_by_hash ON tokens (token_hash);
CREATE INDEX tokens_of_account ON tokens (workspace_id, account, created_at);
