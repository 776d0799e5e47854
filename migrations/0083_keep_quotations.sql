-- +goose Up

-- Of a citation that no model has read: its decisive words, as spans in JSON; 1 if it is only close; the name that ties it
-- to the most likely one.
ALTER TABLE citations ADD COLUMN marks TEXT NOT NULL DEFAULT 'null';
ALTER TABLE citations ADD COLUMN is_close INTEGER NOT NULL DEFAULT 0;
ALTER TABLE citations ADD COLUMN tie TEXT NOT NULL DEFAULT '';
