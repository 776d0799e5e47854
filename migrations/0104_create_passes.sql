-- +goose Up

-- What lets an account go on, once: a link that resets its password, or the second step of signing in. It ends when the
-- password changes. Only the hash of its secret is kept.
CREATE TABLE passes (
    secret_hash   TEXT PRIMARY KEY,
    purpose       TEXT NOT NULL,
    account       TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);
CREATE INDEX passes_of_account ON passes (account, purpose);
