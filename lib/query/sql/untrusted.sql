SELECT host, kernel, day, recording_id, nr_events, lost, gaps, unknown_gaps, dropped,
       missing, bad_pages, truncated, nr_rows
  FROM recordings
 WHERE lost > 0 OR gaps > 0 OR unknown_gaps > 0 OR dropped > 0 OR missing > 0
    OR bad_pages > 0 OR truncated IS NOT NULL
 ORDER BY coalesce(lost, 0) + coalesce(dropped, 0) + coalesce(missing, 0) DESC,
          host, recording_id
