-- +goose Up

-- Accounts belong to the installation; the workspace is the one they open.
CREATE TABLE users (
    name          TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at    BIGINT NOT NULL
);

-- The browser holds the token, the table its SHA-256.
CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    data       BLOB NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE settings (
    workspace_id TEXT NOT NULL,
    name         TEXT NOT NULL,
    value        TEXT NOT NULL,
    PRIMARY KEY (workspace_id, name)
);
