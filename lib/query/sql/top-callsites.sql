SELECT allocator, callsite,
       count(DISTINCT host) AS hosts,
       count(DISTINCT recording_id) AS recordings,
       sum(hit) AS hit,
       sum(bytes) AS bytes,
       sum(bytes_live) AS bytes_live
  FROM sites
 WHERE callsite <> '[other]'
 GROUP BY site_id
 ORDER BY sum(bytes) DESC, allocator, callsite
