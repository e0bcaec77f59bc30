-- What differs between two sides: --set since=6.12 (a kernel), 2026-11-20 (a day), ring=canary (a
-- label), build_id=... Each host has one value: its median per second, divided by the median of all
-- hosts of its architecture. Only hosts with the callsite count (others may not run what calls it),
-- at least 4 on each side. p is that of a Mann-Whitney U test, q corrects it after Benjamini and
-- Hochberg.
WITH side AS (
        SELECT run_id, CASE
                 WHEN :since GLOB '[0-9][0-9][0-9][0-9]-*' THEN day >= :since
                 WHEN :since LIKE 'build_id=%' THEN build_id = substr(:since, 10)
                 WHEN :since LIKE '%=%' THEN
                      ifnull(json_extract(labels, '$."' || substr(:since, 1, instr(:since, '=') - 1) || '"')
                             = substr(:since, instr(:since, '=') + 1), 0)
                 ELSE kernel_version(kernel) >= kernel_version(:since) END AS new
          FROM recordings),
     -- compare() takes the median of a host's values, divided by the median of its architecture.
     one AS (
        SELECT site_id,
               compare(new, bytes * 1e9 / duration_ns, host_id, machine) AS bytes,
               compare(new, hit * 1e9 / duration_ns, host_id, machine) AS hit,
               compare(new, coalesce(net_estimate, bytes_live) * 1e9 / duration_ns, host_id,
                       machine) AS bytes_live
          FROM trusted CROSS JOIN side USING (run_id)
         WHERE callsite <> '[other]' AND host IS NOT NULL AND duration_ns > 0
         GROUP BY site_id),
     metric AS (
        SELECT site_id, 'bytes' AS metric, bytes AS sides FROM one
        UNION ALL SELECT site_id, 'hit', hit FROM one
        UNION ALL SELECT site_id, 'bytes_live', bytes_live FROM one),
     test AS (
        SELECT site_id, metric, json_extract(sides, '$.hosts_old') AS hosts_old,
               json_extract(sides, '$.hosts_new') AS hosts_new,
               json_extract(sides, '$.old') AS old_per_second,
               json_extract(sides, '$.new') AS new_per_second,
               json_extract(sides, '$.times') AS times, json_extract(sides, '$.p') AS p
          FROM metric
         WHERE json_extract(sides, '$.hosts_old') >= 4 AND json_extract(sides, '$.hosts_new') >= 4),
     -- A callsite has three chances to differ, so its smallest p is multiplied by three.
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
