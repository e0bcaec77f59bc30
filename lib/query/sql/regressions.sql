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
     value AS (
        SELECT allocator, callsite, machine, new, host,
               sum(bytes) * 1e9 / max(duration_ns) AS bytes,
               sum(hit) * 1e9 / max(duration_ns) AS hit,
               sum(coalesce(net_estimate, bytes_live)) * 1e9 / max(duration_ns) AS bytes_live
          FROM trusted CROSS JOIN side USING (recording_id)
         WHERE callsite <> '[other]' AND new IS NOT NULL AND host IS NOT NULL AND duration_ns > 0
         GROUP BY allocator, callsite, machine, new, host, recording_id),
     host AS (
        SELECT allocator, callsite, machine, new, metric, host,
               quantile(CASE metric WHEN 'bytes' THEN bytes WHEN 'hit' THEN hit ELSE bytes_live END,
                        0.5) AS per_second
          FROM value CROSS JOIN
               (SELECT 'bytes' AS metric UNION SELECT 'hit' UNION SELECT 'bytes_live')
         GROUP BY allocator, callsite, machine, new, metric, host),
     middle AS (
        SELECT allocator, callsite, machine, metric, quantile(per_second, 0.5) AS of_all
          FROM host GROUP BY allocator, callsite, machine, metric
        HAVING of_all > 0),
     test AS (
        SELECT allocator, callsite, metric, sum(NOT new) AS hosts_old, sum(new) AS hosts_new,
               quantile(CASE WHEN NOT new THEN per_second END, 0.5) AS old_per_second,
               quantile(CASE WHEN new THEN per_second END, 0.5) AS new_per_second,
               quantile(CASE WHEN new THEN per_second / of_all END, 0.5) /
                       quantile(CASE WHEN NOT new THEN per_second / of_all END, 0.5) AS times,
               mann_whitney(new, per_second / of_all) AS p
          FROM host CROSS JOIN middle USING (allocator, callsite, machine, metric)
         GROUP BY allocator, callsite, metric
        HAVING sum(new) >= 4 AND sum(NOT new) >= 4),
     -- A callsite has three chances to differ, so its smallest p is taken three times.
     site AS (
        SELECT allocator, callsite, 3 * min(p) AS smallest
          FROM test WHERE p IS NOT NULL GROUP BY allocator, callsite),
     ranked AS (
        SELECT *, smallest * count(*) OVER () / row_number() OVER (ORDER BY smallest) AS adjusted
          FROM site),
     corrected AS (
        SELECT *, min(1, min(adjusted) OVER (ORDER BY smallest DESC)) AS q FROM ranked)
SELECT allocator, callsite, metric, hosts_old, hosts_new,
       round(old_per_second, 1) AS old_per_second,
       round(new_per_second, 1) AS new_per_second,
       round(times, 2) AS times, p, q
  FROM corrected JOIN test USING (allocator, callsite)
 WHERE q <= 0.05 AND p <= 0.05
 ORDER BY metric <> 'bytes', metric, abs(new_per_second - old_per_second) DESC, allocator, callsite
