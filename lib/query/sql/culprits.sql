-- Callsites that no recording of an older kernel has, the largest first: --set kernel=6.12
SELECT allocator, callsite, count(DISTINCT host) AS hosts,
       count(DISTINCT recording_id) AS recordings,
       min(kernel) AS kernel_first, sum(hit) AS hit, sum(bytes) AS bytes, sum(bytes_live) AS bytes_live
  FROM trusted
 WHERE callsite <> '[other]'
 GROUP BY site_id
HAVING min(kernel_version(kernel)) >= kernel_version(:kernel)
 ORDER BY sum(bytes) DESC, allocator, callsite
