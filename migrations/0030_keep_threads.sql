-- +goose Up

-- The thread of a run that has ended is kept for a while, so that its states can
-- be looked at.
ALTER TABLE threads ADD COLUMN ended_at BIGINT NOT NULL DEFAULT 0; -- microseconds; 0 while the run goes on
ALTER TABLE threads ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0; -- of its records, once it has ended
CREATE INDEX threads_ended ON threads (ended_at, number) WHERE ended_at > 0;
