-- Tasks whose live bytes grow on several hosts: from each host's first recording to its last one.
WITH one AS (
        SELECT host, comm, start_unix, recording_id,
               sum(coalesce(net_estimate, bytes_live)) AS live
          FROM allocations JOIN (SELECT DISTINCT recording_id FROM trusted) USING (recording_id)
         WHERE comm IS NOT NULL AND host IS NOT NULL AND start_unix IS NOT NULL
           AND allocator = 'page'
         GROUP BY host, comm, recording_id, start_unix
        HAVING live IS NOT NULL),
     host AS (
        SELECT host, comm, change(start_unix, live) AS more,
               (max(start_unix) - min(start_unix)) / 3600.0 AS hours
          FROM one GROUP BY host, comm
        HAVING hours > 0)
SELECT comm, count(*) AS hosts, sum(more > 0) AS grew, sum(more < 0) AS shrank,
       round(quantile(more / hours, 0.5), 1) AS bytes_per_hour, sum(more) AS bytes_more,
       sign_test(sum(more > 0), sum(more < 0)) AS p
  FROM host GROUP BY comm
HAVING grew > shrank AND sum(more) > 0
 ORDER BY bytes_more DESC, comm
