-- +goose Up

-- What a run waits for is its status: held with a bill, paused by a person,
-- asking one, or at a cap. Before, all of them waited: the first three for their
-- next try in the year 9999, told apart by their input, and the last with a
-- problem that begins with "The cap of ".
ALTER TABLE runs ADD COLUMN problem_kind TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE runs SET status = CASE WHEN kind <> 'ingest' THEN 'asking' WHEN input = '' THEN 'paused' ELSE 'held' END, next_try = 0
    WHERE status = 'waiting' AND next_try >= 221845392000000;
UPDATE runs SET problem_kind = 'capped' WHERE SUBSTR(problem, 1, 11) = 'The cap of ';
UPDATE runs SET status = 'capped' WHERE status = 'waiting' AND problem_kind = 'capped' AND next_try > 0;

-- Integers have 64 bits, as all others.
ALTER TABLE documents ALTER COLUMN deaths TYPE BIGINT, ALTER COLUMN dropped TYPE BIGINT, ALTER COLUMN keep_quoted TYPE BIGINT,
    ALTER COLUMN version TYPE BIGINT, ALTER COLUMN place TYPE BIGINT;
ALTER TABLE document_versions ALTER COLUMN number TYPE BIGINT, ALTER COLUMN chars TYPE BIGINT, ALTER COLUMN chunks TYPE BIGINT;
ALTER TABLE dropped ALTER COLUMN position TYPE BIGINT;
ALTER TABLE citations ALTER COLUMN version TYPE BIGINT;
ALTER TABLE figure_citations ALTER COLUMN version TYPE BIGINT;
ALTER TABLE summary_citations ALTER COLUMN version TYPE BIGINT;
ALTER TABLE retagged ALTER COLUMN given TYPE BIGINT;
ALTER TABLE changes ALTER COLUMN vectors TYPE BIGINT;
