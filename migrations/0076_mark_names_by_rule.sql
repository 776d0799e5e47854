-- +goose Up

-- Names that rules find beside a model's entities lead retrieval to a chunk, and are in no list of the graph.
ALTER TABLE mentions ADD COLUMN by_rule INTEGER NOT NULL DEFAULT 0;
