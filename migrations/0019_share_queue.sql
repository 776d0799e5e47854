-- +goose Up

-- Whose runs they are, and the laps in which persons take turns: of each kind
-- of run, a person has one run in each lap.
ALTER TABLE runs ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN lap INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_of_laps ON runs (kind, lap) WHERE status = 'waiting';
CREATE INDEX runs_of_persons ON runs (kind, person, lap) WHERE status = 'waiting';

ALTER TABLE threads DROP COLUMN lease_until;
