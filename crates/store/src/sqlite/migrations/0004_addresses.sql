-- Addresses that active workflows listen at. An address has one owner, and keeps it until that workflow listens there no more. A part of a
-- pattern that takes any value is `:`; `parts` and `head` find what may take some of the same calls.
CREATE TABLE addresses (
  door TEXT NOT NULL,
  method TEXT NOT NULL,
  pattern TEXT NOT NULL,
  parts INTEGER NOT NULL,
  head TEXT NOT NULL,
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  PRIMARY KEY (door, method, pattern)
) STRICT, WITHOUT ROWID;
CREATE INDEX addresses_alike ON addresses (door, method, parts, head);
CREATE INDEX addresses_of_workflow ON addresses (workflow_id);

-- Workflows that were active when their address turned out to be another one's.
CREATE TABLE lost_addresses (
  workflow_id TEXT PRIMARY KEY REFERENCES workflows (id) ON DELETE CASCADE,
  node TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  lost_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
