-- +goose Up

-- What is said of two names is found without reading all that is said of one.
DROP INDEX statements_by_source;
CREATE INDEX statements_by_ends ON statements (workspace_id, source_key, target_key);
