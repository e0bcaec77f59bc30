WITH one AS (
        SELECT site_id, allocator, callsite, machine,
               count(DISTINCT host) AS hosts,
               count(DISTINCT recording_id) AS recordings,
               sum(hit) AS hit,
               sum(bytes) AS bytes
          FROM sites
         WHERE callsite <> '[other]' AND machine IS NOT NULL
         GROUP BY site_id, machine),
     several AS (
        SELECT site_id, sum(bytes) AS bytes_all
          FROM one
         GROUP BY site_id
        HAVING count(*) > 1)
SELECT allocator, callsite, machine, hosts, recordings, hit, bytes,
       bytes / nullif(hit, 0) AS bytes_per_hit
  FROM one JOIN several USING (site_id)
 ORDER BY bytes_all DESC, allocator, callsite, machine
