// For people and other programs: what is called so, without a scan of all entities.
CREATE TEXT INDEX entity_name IF NOT EXISTS FOR (e:__Entity__) ON (e.name);
CREATE TEXT INDEX document_name IF NOT EXISTS FOR (d:Document) ON (d.name);
