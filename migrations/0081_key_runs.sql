-- +goose Up

-- A form that is sent twice starts one run: its key is stored with the run, hashed with what the form says.
ALTER TABLE runs ADD COLUMN form_key TEXT NOT NULL DEFAULT ''; -- '' for runs of no form
CREATE UNIQUE INDEX runs_of_form ON runs (workspace_id, form_key) WHERE form_key <> '';
