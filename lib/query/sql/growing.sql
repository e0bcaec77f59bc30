-- Each recording's live bytes of the callsite, then what changed from one to the next. A host
-- has to have it in two recordings.
WITH one AS (
        SELECT host_id, site_id, start_unix, recording_id,
               coalesce(net_estimate, bytes_live) AS live
          FROM sites
         WHERE callsite <> '[other]' AND host IS NOT NULL
           AND start_unix IS NOT NULL AND bytes_live IS NOT NULL),
     step AS (
        SELECT host_id, site_id, live,
               lag(live) OVER early AS before,
               lead(live) OVER early AS after
          FROM one
        WINDOW early AS (PARTITION BY site_id, host_id
                             ORDER BY start_unix, recording_id))
SELECT host, allocator, callsite,
       count(*) AS recordings,
       sum(CASE WHEN before IS NULL THEN live ELSE 0 END) AS bytes_first,
       sum(CASE WHEN after IS NULL THEN live ELSE 0 END) AS bytes_last,
       sum(CASE WHEN after IS NULL THEN live ELSE 0 END) -
               sum(CASE WHEN before IS NULL THEN live ELSE 0 END) AS bytes_more,
       sum(CASE WHEN live < before THEN 1 ELSE 0 END) AS shrank
  FROM step CROSS JOIN hosts USING (host_id) CROSS JOIN callsites USING (site_id)
 GROUP BY host_id, site_id
HAVING bytes_more > 0
 ORDER BY bytes_more DESC, host, allocator, callsite
