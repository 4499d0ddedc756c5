-- What the tools of MCP servers looked like, for each project: what was approved, and what the server lists instead.
CREATE TABLE mcp_tools (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- A name from the operator's file, or an address without secrets.
  server TEXT NOT NULL,
  name TEXT NOT NULL,
  -- The definition as JSON with sorted keys, and its SHA-256.
  approved TEXT,
  approved_digest TEXT,
  proposed TEXT,
  proposed_digest TEXT,
  -- The definition that somebody decided against.
  rejected_digest TEXT,
  seen_ms INTEGER NOT NULL,
  decided_by TEXT,
  decided_ms INTEGER,
  PRIMARY KEY (project_id, server, name)
) STRICT, WITHOUT ROWID;
