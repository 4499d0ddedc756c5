-- Folders that workflows of a project lie in. A folder without a parent is at the top.
CREATE TABLE folders (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  parent_id TEXT REFERENCES folders (id),
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX folders_of_project ON folders (project_id);
CREATE INDEX folders_of_parent ON folders (parent_id);
CREATE INDEX workflows_of_folder ON workflows (folder_id) WHERE folder_id IS NOT NULL;
