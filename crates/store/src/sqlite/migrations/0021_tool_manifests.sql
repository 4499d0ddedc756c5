-- Tool manifests that were registered at run time, for each project.
CREATE TABLE tool_manifests (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  text TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;

-- Counts changes, so that other processes see them. Deleting a project deletes its manifests.
CREATE TABLE tool_manifest_changes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  changes INTEGER NOT NULL
) STRICT;
INSERT INTO tool_manifest_changes (id, changes) VALUES (1, 0);
CREATE TRIGGER tool_manifest_added AFTER INSERT ON tool_manifests BEGIN
  UPDATE tool_manifest_changes SET changes = changes + 1;
END;
CREATE TRIGGER tool_manifest_changed AFTER UPDATE ON tool_manifests BEGIN
  UPDATE tool_manifest_changes SET changes = changes + 1;
END;
CREATE TRIGGER tool_manifest_deleted AFTER DELETE ON tool_manifests BEGIN
  UPDATE tool_manifest_changes SET changes = changes + 1;
END;
