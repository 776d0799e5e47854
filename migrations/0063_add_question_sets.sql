-- +goose Up

-- Named sets of kept questions. The set 'first' is there without a row, and holds
-- what was kept before there were sets.
CREATE TABLE evaluation_sets (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    name         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    deleted_at   BIGINT NOT NULL,  -- 0: it is there
    PRIMARY KEY (workspace_id, id)
);
ALTER TABLE evaluation_questions ADD COLUMN set_id TEXT NOT NULL DEFAULT 'first';
ALTER TABLE evaluations ADD COLUMN set_id TEXT NOT NULL DEFAULT 'first';

-- The verdict of a person, which counts in place of the one in figures; '' for none.
ALTER TABLE evaluation_replies ADD COLUMN by_hand TEXT NOT NULL DEFAULT '';
