-- +goose Up

-- Models that were connected in the page, for the whole installation: one for each
-- role. The key is encrypted, by a key that is not in this database.
CREATE TABLE connections (
    role    TEXT COLLATE "C" PRIMARY KEY, -- answer, extract, grade, rewrite, summary or embed
    server  TEXT COLLATE "C" NOT NULL,    -- what kind of server it is: ollama, openai, …
    address TEXT COLLATE "C" NOT NULL,
    model   TEXT COLLATE "C" NOT NULL,
    sealed  TEXT COLLATE "C" NOT NULL,    -- '' without a key
    who     TEXT COLLATE "C" NOT NULL,
    at      BIGINT NOT NULL
);
