-- Runs that are not over, newest first by their status: there may be as many of them as a crash or a long wait leaves behind.
DROP INDEX executions_unfinished;
CREATE INDEX executions_unfinished ON executions (status) WHERE stopped_ms IS NULL;
-- Whether the run that called it waits for its end. Once that one is over, nobody wants what it would give.
ALTER TABLE executions ADD COLUMN awaited INTEGER NOT NULL DEFAULT 0;
UPDATE executions SET awaited = 1
  WHERE stopped_ms IS NULL AND id IN (SELECT waits_for FROM executions WHERE waits_for IS NOT NULL);
CREATE INDEX executions_awaited ON executions (parent) WHERE awaited = 1 AND stopped_ms IS NULL;
-- When those that sleep are to be woken.
CREATE INDEX executions_due ON executions (wait_till_ms) WHERE status = 'waiting' AND wait_till_ms IS NOT NULL;
