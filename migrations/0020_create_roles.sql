-- +goose Up

-- Whoever has an account before there are roles is an owner.
ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';

-- A session is valid only with the password it was begun with. Sessions of
-- before can't be told whose they are: they end.
DROP TABLE sessions;
CREATE TABLE sessions (
    token_hash    TEXT PRIMARY KEY,
    user_name     TEXT NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    password_hash TEXT NOT NULL,
    address       TEXT NOT NULL,
    browser       TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    used_at       BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_name);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
