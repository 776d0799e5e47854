-- +goose Up

-- The process that answers a request, as in workers.
ALTER TABLE repeats ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE repeats ADD COLUMN boot TEXT NOT NULL DEFAULT '';
ALTER TABLE repeats ADD COLUMN pid INTEGER NOT NULL DEFAULT 0;
ALTER TABLE repeats ADD COLUMN started TEXT NOT NULL DEFAULT '';
