-- Each recording's live bytes of the callsite, then what changed from one to the next. A host
-- has to have it in two recordings.
WITH one AS (
        SELECT host, allocator, callsite, start_unix, recording_id,
               sum(coalesce(net_estimate, bytes_live)) AS live
          FROM allocations
         WHERE callsite <> '[other]' AND host IS NOT NULL
           AND start_unix IS NOT NULL AND bytes_live IS NOT NULL
         GROUP BY host, allocator, callsite, start_unix, recording_id),
     step AS (
        SELECT host, allocator, callsite, live,
               row_number() OVER late AS back,
               row_number() OVER early AS number,
               lag(live) OVER early AS before
          FROM one
        WINDOW early AS (PARTITION BY host, allocator, callsite
                             ORDER BY start_unix, recording_id),
               late AS (PARTITION BY host, allocator, callsite
                            ORDER BY start_unix DESC, recording_id DESC))
SELECT host, allocator, callsite,
       count(*) AS recordings,
       sum(CASE WHEN number = 1 THEN live ELSE 0 END) AS bytes_first,
       sum(CASE WHEN back = 1 THEN live ELSE 0 END) AS bytes_last,
       sum(CASE WHEN back = 1 THEN live ELSE 0 END) -
               sum(CASE WHEN number = 1 THEN live ELSE 0 END) AS bytes_more,
       sum(CASE WHEN live < before THEN 1 ELSE 0 END) AS shrank
  FROM step
 GROUP BY host, allocator, callsite
HAVING bytes_more > 0
 ORDER BY bytes_more DESC, host, allocator, callsite
