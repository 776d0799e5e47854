-- +goose Up

-- A provider of sign-on names people by subjects. Each belongs to one account.
CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    account    TEXT NOT NULL,
    called     TEXT NOT NULL, -- what the provider calls the person
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_by_account ON identities (account);

-- What a provider gave is taken away when the person's groups change, and what a person gave stays.
ALTER TABLE members ADD COLUMN by_sign_on BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN owner_by_sign_on BIGINT NOT NULL DEFAULT 0;
