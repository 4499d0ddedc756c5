-- How many runs ended, by the day on which they began, and how long they took. A run is counted in the transaction that ends it, and stays
-- counted when it is removed.
CREATE TABLE run_days (
  -- Days since 1970, in UTC.
  day INTEGER NOT NULL,
  workflow_id TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Milliseconds, to within 5 %.
  took_ms INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (day, workflow_id, status, took_ms)
) STRICT, WITHOUT ROWID;
INSERT INTO run_days (day, workflow_id, status, took_ms, runs)
  WITH ended AS (
    SELECT started_ms / 86400000 AS day, workflow_id, status, max(stopped_ms - started_ms, 0) AS ms FROM executions
    WHERE stopped_ms IS NOT NULL AND passing = 0
  ), stepped AS (
    SELECT day, workflow_id, status, ms, CASE
        WHEN ms < 20 THEN 1
        -- The power of ten below it, a tenth of that, and by its first digit once, twice or five times.
        ELSE CAST(CAST('1e' || substr(printf('%e', ms), -2) AS REAL) / 10 AS INTEGER)
          * CASE WHEN printf('%e', ms) < '2' THEN 1 WHEN printf('%e', ms) < '5' THEN 2 ELSE 5 END
      END AS step
    FROM ended
  )
  SELECT day, workflow_id, status, (ms + step / 2) / step * step AS took_ms, count(*) FROM stepped GROUP BY day, workflow_id, status, took_ms;

-- Runs that did not end well are few, and looked for among all others.
CREATE INDEX executions_not_well ON executions (status) WHERE stopped_ms IS NOT NULL AND status <> 'success';
CREATE INDEX executions_of_workflow_not_well ON executions (workflow_id, status) WHERE stopped_ms IS NOT NULL AND status <> 'success';
