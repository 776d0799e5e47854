-- +goose Up

-- All that a page of a month reads, so that it looks at no row.
CREATE INDEX model_usage_by_role ON model_usage (workspace_id, day, model, role, person, calls, input, cached, output, embedded);
CREATE INDEX model_usage_by_document ON model_usage (workspace_id, day, document_id, model, calls, input, cached, output, embedded);
