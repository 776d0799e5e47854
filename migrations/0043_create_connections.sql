-- +goose Up

-- Models that were connected in the page, for the whole installation: one for each
-- role. The key is encrypted, by a key that is not in this database.
CREATE TABLE connections (
    role    TEXT PRIMARY KEY, -- answer, extract, grade, rewrite, summary or embed
    server  TEXT NOT NULL,    -- what kind of server it is: ollama, openai, …
    address TEXT NOT NULL,
    model   TEXT NOT NULL,
    sealed  TEXT NOT NULL,    -- '' without a key
    who     TEXT NOT NULL,
    at      BIGINT NOT NULL
);
