-- +goose Up

-- The session of a worker's process, by which others see at once that it has ended; '' where that can't be told.
ALTER TABLE workers ADD COLUMN session TEXT NOT NULL DEFAULT '';
