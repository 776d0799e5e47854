-- A change that brings vectors alone: the graph has nothing to read of it.
ALTER TABLE changes ADD COLUMN vectors INTEGER NOT NULL DEFAULT 0;
