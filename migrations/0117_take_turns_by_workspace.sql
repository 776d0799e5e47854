-- +goose Up

-- Workspaces take turns, and within each its persons: the next run is found by kind and workspace.
CREATE INDEX runs_in_turn ON runs (status, kind, workspace_id, priority DESC, lap, created_at, id) WHERE status IN ('waiting', 'capped', 'running');
DROP INDEX runs_of_laps;
DROP INDEX runs_of_persons;
CREATE INDEX runs_of_laps ON runs (kind, workspace_id, lap) WHERE status = 'waiting';
CREATE INDEX runs_of_persons ON runs (kind, workspace_id, person, lap) WHERE status = 'waiting';
