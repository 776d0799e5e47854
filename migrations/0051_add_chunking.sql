-- +goose Up

-- How a document is cut into chunks, as JSON: by what, into how many tokens, and which field of a record is its text.
ALTER TABLE documents ADD COLUMN chunking TEXT NOT NULL DEFAULT '{}';
