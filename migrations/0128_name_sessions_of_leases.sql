-- +goose Up

-- The session of the holder's process, as in workers.
ALTER TABLE store_leases ADD COLUMN session TEXT NOT NULL DEFAULT '';
