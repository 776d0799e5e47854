-- +goose Up

-- How often reading a document ended the process that read it, and perhaps the
-- program with it.
ALTER TABLE documents ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
