-- What differs between two sides: --set since=6.12 (a kernel), 2026-11-20 (a day), ring=canary (a
-- label), build_id=... A host is one value: its median per second, divided by the median of all hosts
-- of its architecture. Only hosts that have the callsite count, at least 4 on each side: others may not
-- run what calls it. p is of the Mann-Whitney U test, q of Benjamini and Hochberg.
WITH side AS (
        SELECT recording_id, max(CASE
                 WHEN :since GLOB '[0-9][0-9][0-9][0-9]-*' THEN day >= :since
                 WHEN :since LIKE 'build_id=%' THEN build_id = substr(:since, 10)
                 WHEN :since LIKE '%=%' THEN
                      ifnull(json_extract(labels, '$."' || substr(:since, 1, instr(:since, '=') - 1) || '"')
                             = substr(:since, instr(:since, '=') + 1), 0)
                 ELSE kernel_version(kernel) >= kernel_version(:since) END) AS new
          FROM recordings
         GROUP BY recording_id),
     -- Both sides of a host in one row: so the rows need no sorting.
     pair AS (
        SELECT site_id, host_id, machine, sum(new) > 0 AS has_new, sum(NOT new) > 0 AS has_old,
               quantile(bytes * 1e9 / duration_ns, 0.5) FILTER (WHERE new) AS bytes_new,
               quantile(bytes * 1e9 / duration_ns, 0.5) FILTER (WHERE NOT new) AS bytes_old,
               quantile(hit * 1e9 / duration_ns, 0.5) FILTER (WHERE new) AS hit_new,
               quantile(hit * 1e9 / duration_ns, 0.5) FILTER (WHERE NOT new) AS hit_old,
               quantile(coalesce(net_estimate, bytes_live) * 1e9 / duration_ns, 0.5)
                       FILTER (WHERE new) AS live_new,
               quantile(coalesce(net_estimate, bytes_live) * 1e9 / duration_ns, 0.5)
                       FILTER (WHERE NOT new) AS live_old
          FROM trusted CROSS JOIN side USING (recording_id)
         WHERE callsite <> '[other]' AND new IS NOT NULL AND host IS NOT NULL AND duration_ns > 0
         GROUP BY site_id, host_id),
     host AS (
        SELECT site_id, machine, 1 AS new, bytes_new AS bytes, hit_new AS hit, live_new AS bytes_live
          FROM pair WHERE has_new
        UNION ALL
        SELECT site_id, machine, 0, bytes_old, hit_old, live_old FROM pair WHERE has_old),
     middle AS (
        SELECT site_id, machine, nullif(quantile(bytes, 0.5), 0) AS bytes_all,
               nullif(quantile(hit, 0.5), 0) AS hit_all,
               nullif(quantile(bytes_live, 0.5), 0) AS live_all
          FROM host GROUP BY site_id, machine),
     relative AS (
        SELECT site_id, new, bytes, hit, bytes_live, bytes / bytes_all AS bytes_times,
               hit / hit_all AS hit_times, bytes_live / live_all AS live_times
          FROM host CROSS JOIN middle USING (site_id, machine)),
     metric AS (
        SELECT site_id, 'bytes' AS metric, new, bytes AS per_second, bytes_times AS part FROM relative
        UNION ALL SELECT site_id, 'hit', new, hit, hit_times FROM relative
        UNION ALL SELECT site_id, 'bytes_live', new, bytes_live, live_times FROM relative),
     test AS (
        SELECT site_id, metric, sum(NOT new) AS hosts_old, sum(new) AS hosts_new,
               quantile(per_second, 0.5) FILTER (WHERE NOT new) AS old_per_second,
               quantile(per_second, 0.5) FILTER (WHERE new) AS new_per_second,
               quantile(part, 0.5) FILTER (WHERE new) /
                       quantile(part, 0.5) FILTER (WHERE NOT new) AS times,
               mann_whitney(new, part) AS p
          FROM metric WHERE part IS NOT NULL
         GROUP BY site_id, metric
        HAVING sum(new) >= 4 AND sum(NOT new) >= 4),
     -- A callsite has three chances to differ, so its smallest p is taken three times.
     site AS (SELECT site_id, 3 * min(p) AS smallest FROM test WHERE p IS NOT NULL GROUP BY site_id),
     ranked AS (
        SELECT *, smallest * count(*) OVER () / row_number() OVER (ORDER BY smallest) AS adjusted
          FROM site),
     corrected AS (
        SELECT *, min(1, min(adjusted) OVER (ORDER BY smallest DESC)) AS q FROM ranked)
SELECT allocator, callsite, metric, hosts_old, hosts_new,
       round(old_per_second, 1) AS old_per_second,
       round(new_per_second, 1) AS new_per_second,
       round(times, 2) AS times, p, q
  FROM corrected JOIN test USING (site_id) JOIN callsites USING (site_id)
 WHERE q <= 0.05 AND p <= 0.05
 ORDER BY metric <> 'bytes', metric, abs(new_per_second - old_per_second) DESC, allocator, callsite
