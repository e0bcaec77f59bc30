-- Which control groups (containers, units) and programs hold more memory: live pages in a host's
-- last recording, minus those in its first one. A program is the process, or the task if that was
-- not recorded. Rows that chance does not explain come first: q, as in leaks, is at most 5 %.
WITH one AS (
        SELECT host_id, cgroup, coalesce(process, comm) AS program, start_unix, run_id,
               sum(coalesce(net_estimate, bytes_live) * factor) AS live
          FROM tasks
         WHERE factor IS NOT NULL AND allocator = 'page' AND coalesce(process, comm) IS NOT NULL
           AND host IS NOT NULL AND start_unix IS NOT NULL
         GROUP BY host_id, cgroup, program, run_id
        HAVING live IS NOT NULL),
     host AS (
        SELECT cgroup, program, change(start_unix, live) AS more,
               (max(start_unix) - min(start_unix)) / 3600.0 AS hours
          FROM one GROUP BY host_id, cgroup, program
        HAVING hours > 0),
     test AS (
        SELECT cgroup, program, count(*) AS hosts, sum(more > 0) AS grew, sum(more < 0) AS shrank,
               quantile(CASE WHEN more > 0 THEN more / hours END, 0.5) AS per_hour, sum(more) AS bytes_more,
               sign_test(sum(more > 0), sum(more < 0)) AS p
          FROM host GROUP BY cgroup, program),
     ranked AS (
        SELECT *, p * count(*) OVER () / row_number() OVER (ORDER BY p) AS adjusted
          FROM test WHERE p IS NOT NULL),
     corrected AS (SELECT *, min(1, min(adjusted) OVER (ORDER BY p DESC)) AS q FROM ranked)
SELECT cgroup, hosts, grew, shrank, round(per_hour, 1) AS bytes_per_hour, bytes_more, p, q, program
  FROM corrected
 WHERE grew > shrank AND bytes_more > 0
 ORDER BY q > 0.05, bytes_more DESC, cgroup, program
