-- +goose Up

-- A run keeps its owner when it has ended: looking for the leases of a process must
-- not go through all that it ever did.
DROP INDEX runs_of_owner;
CREATE INDEX runs_of_owner ON runs (owner, status);
