-- +goose Up

-- What let in whoever asked for a run: the beginning of the id of a session, the id of a token, or ''. When that ends early, the run is
-- stopped.
ALTER TABLE runs ADD COLUMN access TEXT NOT NULL DEFAULT '';
