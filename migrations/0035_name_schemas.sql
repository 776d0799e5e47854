-- +goose Up

-- A schema kept under a name, which a person chooses when adding documents: ''
-- for the other scopes.
ALTER TABLE schemas ADD COLUMN name TEXT NOT NULL DEFAULT '';

-- The name chosen for a document, '' if the schema of a tag or of the library
-- guides it.
ALTER TABLE documents ADD COLUMN schema_name TEXT NOT NULL DEFAULT '';
