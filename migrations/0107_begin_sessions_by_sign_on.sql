-- +goose Up

ALTER TABLE sessions ADD COLUMN issuer TEXT NOT NULL DEFAULT ''; -- of the sign-on that it began with; '' after a password

-- Each sign-on that was begun is finished once.
CREATE TABLE finished_sign_ons (
    state      TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX finished_sign_ons_by_expiry ON finished_sign_ons (expires_at);
