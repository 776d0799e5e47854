-- +goose Up

-- What the server of a connected model allows in a minute, 0 for any number.
ALTER TABLE connections ADD COLUMN per_minute INTEGER NOT NULL DEFAULT 0;
ALTER TABLE connections ADD COLUMN tokens_per_minute INTEGER NOT NULL DEFAULT 0;
