-- +goose Up

-- Accounts belong to the installation; the workspace is the one they open.
CREATE TABLE users (
    name          TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL,
    password_hash TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL
);

-- The browser holds the token, the table its SHA-256.
CREATE TABLE sessions (
    token_hash TEXT COLLATE "C" PRIMARY KEY,
    data       BYTEA NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE settings (
    workspace_id TEXT COLLATE "C" NOT NULL,
    name         TEXT COLLATE "C" NOT NULL,
    value        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, name)
);
