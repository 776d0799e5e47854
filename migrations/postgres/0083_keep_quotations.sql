-- +goose Up

-- Of a quotation that no model has judged: its decisive words, and how it belongs to the others. JSON, '' for other citations.
ALTER TABLE citations ADD COLUMN quotation TEXT NOT NULL DEFAULT '';
ALTER TABLE figure_citations ADD COLUMN quotation TEXT NOT NULL DEFAULT '';
