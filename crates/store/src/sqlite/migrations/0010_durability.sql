-- What the timetable of a trigger said when its next moment was planned: a moment that an older rule had planned does not count.
ALTER TABLE schedules ADD COLUMN rule TEXT NOT NULL DEFAULT '';
-- A workflow that does not listen has no schedule.
DELETE FROM schedules WHERE workflow_id NOT IN (SELECT id FROM workflows WHERE active = 1);
CREATE INDEX schedules_next ON schedules (max(next_ms, coalesce(lease_until_ms, 0))) WHERE next_ms IS NOT NULL;

-- Which workflows listen, and with which version, without a look at their documents.
ALTER TABLE workflows ADD COLUMN activations INTEGER NOT NULL DEFAULT 0;
CREATE INDEX workflows_listening ON workflows (active, id, version_id, active_version_id, project_id, created_ms, activations) WHERE active = 1;

-- Pieces of runs that are gone, which a run of the same number would take for its own. A run has 2^24 places.
WITH RECURSIVE runs (id) AS (
  SELECT min(place) >> 24 FROM journal
  UNION ALL
  SELECT (SELECT min(place) FROM journal WHERE place >= (runs.id + 1) << 24) >> 24 FROM runs WHERE runs.id IS NOT NULL
)
DELETE FROM journal WHERE place IN (
  SELECT stray.place FROM runs JOIN journal stray ON stray.place BETWEEN runs.id << 24 AND ((runs.id + 1) << 24) - 1
  WHERE runs.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM executions WHERE executions.id = runs.id)
);
