-- :kernel is the release since which they are new: --set kernel=6.12
SELECT allocator, callsite,
       count(DISTINCT host) AS hosts,
       count(DISTINCT recording_id) AS recordings,
       sum(hit) AS hit,
       sum(bytes) AS bytes,
       stack
  FROM allocations
 WHERE callsite <> '[other]'
 GROUP BY allocator, callsite, stack
HAVING min(kernel_version(kernel)) >= kernel_version(:kernel)
 ORDER BY sum(bytes) DESC, allocator, stack
