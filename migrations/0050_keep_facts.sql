-- +goose Up

-- How a document came into the library, its place there, and what is known of it. A date is a year, a
-- month or a day as text, so that dates sort; author_words is the author in lower case, for filters.
-- The tag is what a server on the web calls the version that was fetched.
ALTER TABLE documents ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN link TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN published_on TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN author TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN author_words TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN link_tag TEXT NOT NULL DEFAULT '';
CREATE INDEX documents_by_link ON documents (workspace_id, link) WHERE link <> '';
