-- +goose Up

-- Where a chunk or a citation lies in a file that has other units than pages: of a chunk its parts with
-- their numbers, as JSON; of a citation in words, such as 'Sheet Costs, rows 4–9'.
ALTER TABLE chunks ADD COLUMN places TEXT NOT NULL DEFAULT 'null';
ALTER TABLE citations ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE figure_citations ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE summary_citations ADD COLUMN place TEXT NOT NULL DEFAULT '';
