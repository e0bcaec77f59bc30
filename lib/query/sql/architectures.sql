WITH one AS (
        SELECT allocator, callsite, machine,
               count(DISTINCT host) AS hosts,
               count(DISTINCT recording_id) AS recordings,
               sum(hit) AS hit,
               sum(bytes) AS bytes
          FROM sites
         WHERE callsite <> '[other]' AND machine IS NOT NULL
         GROUP BY allocator, callsite, machine),
     several AS (
        SELECT allocator, callsite, sum(bytes) AS bytes_all
          FROM one
         GROUP BY allocator, callsite
        HAVING count(*) > 1)
SELECT allocator, callsite, machine, hosts, recordings, hit, bytes,
       bytes / nullif(hit, 0) AS bytes_per_hit
  FROM one JOIN several USING (allocator, callsite)
 ORDER BY bytes_all DESC, allocator, callsite, machine
