-- Live bytes of a callsite in a host's first and last recording with it, which must differ.
SELECT host, allocator, callsite, recordings, bytes_first, bytes_last, bytes_more, shrank
  FROM (SELECT site_id, host_id, count(*) AS recordings,
               at_first(start_unix, coalesce(net_estimate, bytes_live)) AS bytes_first,
               at_last(start_unix, coalesce(net_estimate, bytes_live)) AS bytes_last,
               change(start_unix, coalesce(net_estimate, bytes_live)) AS bytes_more,
               drops(start_unix, coalesce(net_estimate, bytes_live)) AS shrank
          FROM sites
         WHERE callsite <> '[other]' AND host IS NOT NULL
           AND start_unix IS NOT NULL AND bytes_live IS NOT NULL
         GROUP BY site_id, host_id
        HAVING bytes_more > 0)
       CROSS JOIN hosts USING (host_id) CROSS JOIN callsites USING (site_id)
 ORDER BY bytes_more DESC, host, allocator, callsite
