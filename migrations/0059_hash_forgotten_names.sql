-- +goose Up

-- The hash of a name in the curation log that no document holds any longer. Entries about one name stay
-- together by it: an entity that went with its documents may have had others merged into it.
ALTER TABLE curated_entities ADD COLUMN key_hash TEXT NOT NULL DEFAULT '';
