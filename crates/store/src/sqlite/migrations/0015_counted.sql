-- Runs up to this one are counted in `run_days`, or will be when they end. Newer ones are counted later, some hundred together.
INSERT INTO facts (key, value) SELECT 'counted_to', coalesce(max(id), 0) FROM executions;
