-- +goose Up

-- What is wrong with a source tells what to do: another password helps only where the one it has is refused.
ALTER TABLE sources ADD COLUMN problem_kind TEXT NOT NULL DEFAULT ''; -- the name of a kind of error; '' if it is unknown, or nothing is wrong
