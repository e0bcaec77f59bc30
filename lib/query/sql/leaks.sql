-- Callsites whose live bytes grow on several hosts at once. A host's first and last recording are
-- one comparison. p is of the sign test (of hosts that grew and shrank), q of Benjamini and Hochberg.
WITH one AS (
        SELECT host, allocator, callsite, start_unix, recording_id,
               sum(coalesce(net_estimate, bytes_live)) AS live
          FROM trusted
         WHERE callsite <> '[other]' AND host IS NOT NULL AND start_unix IS NOT NULL
         GROUP BY host, allocator, callsite, recording_id, start_unix
        HAVING live IS NOT NULL),
     step AS (
        SELECT host, allocator, callsite, live, start_unix,
               lag(live) OVER early AS before, lead(live) OVER early AS after
          FROM one
        WINDOW early AS (PARTITION BY host, allocator, callsite
                             ORDER BY start_unix, recording_id)),
     host AS (
        SELECT host, allocator, callsite,
               sum(CASE WHEN after IS NULL THEN live ELSE 0 END) -
                       sum(CASE WHEN before IS NULL THEN live ELSE 0 END) AS more,
               (max(start_unix) - min(start_unix)) / 3600.0 AS hours
          FROM step
         GROUP BY host, allocator, callsite
        HAVING hours > 0),
     test AS (
        SELECT allocator, callsite, count(*) AS hosts,
               sum(more > 0) AS grew, sum(more < 0) AS shrank,
               quantile(CASE WHEN more > 0 THEN more / hours END, 0.5) AS per_hour,
               sum(more) AS bytes_more,
               sign_test(sum(more > 0), sum(more < 0)) AS p
          FROM host GROUP BY allocator, callsite),
     ranked AS (
        SELECT *, p * count(*) OVER () / row_number() OVER (ORDER BY p) AS adjusted
          FROM test WHERE p IS NOT NULL),
     corrected AS (SELECT *, min(1, min(adjusted) OVER (ORDER BY p DESC)) AS q FROM ranked)
SELECT allocator, callsite, hosts, grew, shrank, round(per_hour, 1) AS bytes_per_hour,
       bytes_more, p, q
  FROM corrected
 WHERE q <= 0.05 AND grew > shrank AND grew >= 3 AND bytes_more > 0
 ORDER BY bytes_more DESC, allocator, callsite
