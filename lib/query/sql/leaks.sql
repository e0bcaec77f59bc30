-- Callsites whose live bytes grow on several hosts. Each host compares its first and its last
-- recording. p is that of a sign test (hosts that grew and shrank), q corrects it after Benjamini
-- and Hochberg.
WITH host AS (
        SELECT site_id, host_id, change(start_unix, coalesce(net_estimate, bytes_live)) AS more,
               (max(start_unix) - min(start_unix)) / 3600.0 AS hours
          FROM trusted
         WHERE callsite <> '[other]' AND host IS NOT NULL AND start_unix IS NOT NULL
           AND coalesce(net_estimate, bytes_live) IS NOT NULL
         GROUP BY site_id, host_id
        HAVING hours > 0),
     test AS (
        SELECT site_id, count(*) AS hosts, sum(more > 0) AS grew, sum(more < 0) AS shrank,
               quantile(CASE WHEN more > 0 THEN more / hours END, 0.5) AS per_hour,
               sum(more) AS bytes_more,
               sign_test(sum(more > 0), sum(more < 0)) AS p
          FROM host GROUP BY site_id),
     ranked AS (
        SELECT *, p * count(*) OVER () / row_number() OVER (ORDER BY p) AS adjusted
          FROM test WHERE p IS NOT NULL),
     corrected AS (SELECT *, min(1, min(adjusted) OVER (ORDER BY p DESC)) AS q FROM ranked)
SELECT allocator, callsite, hosts, grew, shrank, round(per_hour, 1) AS bytes_per_hour,
       bytes_more, p, q
  FROM corrected JOIN callsites USING (site_id)
 WHERE q <= 0.05 AND grew > shrank AND grew >= 3 AND bytes_more > 0
 ORDER BY bytes_more DESC, allocator, callsite
