-- +goose Up

-- Runs of other installations are not opened any more: their files can be read by other programs.
DELETE FROM runs WHERE id IN (SELECT run_id FROM run_files);
DROP TABLE run_files;
