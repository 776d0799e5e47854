-- +goose Up

-- What a run waits for is its status: held with a bill, paused by a person,
-- asking one, or at a cap. Before, all of them waited: the first three for their
-- next try in the year 9999, told apart by their input, and the last with a
-- problem that begins with "The cap of ".
ALTER TABLE runs ADD COLUMN problem_kind TEXT NOT NULL DEFAULT '';
UPDATE runs SET status = CASE WHEN kind <> 'ingest' THEN 'asking' WHEN input = '' THEN 'paused' ELSE 'held' END, next_try = 0
    WHERE status = 'waiting' AND next_try >= 221845392000000;
UPDATE runs SET problem_kind = 'capped' WHERE SUBSTR(problem, 1, 11) = 'The cap of ';
UPDATE runs SET status = 'capped' WHERE status = 'waiting' AND problem_kind = 'capped' AND next_try > 0;
