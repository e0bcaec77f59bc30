-- Hosts that use a callsite far more than the other hosts of their architecture, relative to the
-- host's use of other callsites: a big host is no outlier. outlying() compares bytes per second of
-- at least 20 hosts, in logarithms, because hosts differ by factors. It lists those with a q of at
-- most 5 %.
WITH far AS (
        SELECT value AS cell
          FROM json_each((
                SELECT outlying(site_id, bytes * 1e9 / duration_ns, host_id, machine)
                  FROM trusted
                 WHERE callsite <> '[other]' AND host IS NOT NULL AND duration_ns > 0 AND bytes > 0))),
     host AS (
        SELECT json_extract(cell, '$.site_id') AS site_id, json_extract(cell, '$.host_id') AS host_id,
               json_extract(cell, '$.hosts') AS hosts, json_extract(cell, '$.recordings') AS recordings,
               json_extract(cell, '$.value') AS value, json_extract(cell, '$.others') AS others,
               json_extract(cell, '$.times') AS times, json_extract(cell, '$.p') AS p,
               json_extract(cell, '$.q') AS q
          FROM far)
SELECT host, machine, allocator, callsite, hosts, recordings, round(value, 1) AS host_per_second,
       round(others, 1) AS others_per_second, round(times, 1) AS times, p, q
  FROM host JOIN hosts USING (host_id) JOIN callsites USING (site_id)
 WHERE host.times > 4
 ORDER BY host.times DESC, host, allocator, callsite
