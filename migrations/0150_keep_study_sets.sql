-- +goose Up

-- Study sets are made of documents as summaries are: they have the same sources, rights and deletions. A line of one is an item, of which
-- text is the back.
ALTER TABLE summaries ADD COLUMN kind TEXT NOT NULL DEFAULT '';           -- '' for a summary; glossary, faq or cards for a study set
ALTER TABLE summaries ADD COLUMN most INTEGER NOT NULL DEFAULT 0;         -- items of a study set
ALTER TABLE summary_lines ADD COLUMN front TEXT NOT NULL DEFAULT '';      -- of an item
ALTER TABLE summary_lines ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;  -- 1: a reader found the item wrong
