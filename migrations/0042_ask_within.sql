-- +goose Up

-- What part of the library a question is asked within, as JSON: tags, documents' ids
-- and days; {} is all of it.
ALTER TABLE messages ADD COLUMN scope TEXT NOT NULL DEFAULT '{}';
