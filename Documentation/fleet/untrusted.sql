-- Recordings of which something is missing.
SELECT
    host,
    kernel,
    day,
    recording_id,
    nr_events,
    lost,
    gaps,
    unknown_gaps,
    dropped,
    missing,
    bad_pages,
    truncated,
    nr_rows
FROM recordings
WHERE lost > 0 OR gaps > 0 OR unknown_gaps > 0 OR dropped > 0 OR missing > 0 OR bad_pages > 0
    OR isNotNull(truncated)
ORDER BY ifNull(lost, 0) + ifNull(dropped, 0) + ifNull(missing, 0) DESC, host NULLS FIRST, recording_id
