-- +goose Up

-- The file of an item, by whose name its document is called, and the name that the item had before it was moved.
ALTER TABLE source_items ADD COLUMN file TEXT NOT NULL DEFAULT '';
ALTER TABLE source_items ADD COLUMN moved_from TEXT NOT NULL DEFAULT '';
