// Ids are unique within their workspace.
CREATE CONSTRAINT migration_name IF NOT EXISTS FOR (m:__Migration__) REQUIRE m.name IS UNIQUE;
CREATE CONSTRAINT workspace_id IF NOT EXISTS FOR (w:__Workspace__) REQUIRE w.id IS UNIQUE;
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (d:Document) REQUIRE (d.workspace_id, d.id) IS UNIQUE;
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (c:Chunk) REQUIRE (c.workspace_id, c.id) IS UNIQUE;
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:__Entity__) REQUIRE (e.workspace_id, e.id) IS UNIQUE;
