-- +goose Up

-- The times for which a statement says that its relation holds, JSON; 'null' where it says none.
ALTER TABLE statements ADD COLUMN periods TEXT NOT NULL DEFAULT 'null';
