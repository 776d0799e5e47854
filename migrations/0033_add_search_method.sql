-- +goose Up

-- How a question is searched: words, vectors, hybrid, walk, or '' for all that is there.
ALTER TABLE messages ADD COLUMN method TEXT NOT NULL DEFAULT '';
