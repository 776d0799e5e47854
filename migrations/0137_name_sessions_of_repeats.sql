-- +goose Up

-- The session of the process that answers a request, as in store_leases, and when it last said that it still does.
ALTER TABLE repeats ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE repeats ADD COLUMN signed_at BIGINT NOT NULL DEFAULT 0;
