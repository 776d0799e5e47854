-- +goose Up

-- The codes of an app that an account is asked for at sign-in, after the password.
CREATE TABLE second_steps (
    account      TEXT PRIMARY KEY,
    sealed       TEXT NOT NULL,   -- the secret that the app has too, encrypted
    confirmed_at BIGINT NOT NULL, -- 0: it is not asked for yet
    used         BIGINT NOT NULL, -- number of the latest code that was used: no code is used twice
    recovery     TEXT NOT NULL    -- hashes of the codes for when the app is lost, as JSON
);
