-- +goose Up

-- The language of the pages for an account, such as 'de', or '' for what its browser asks for.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
