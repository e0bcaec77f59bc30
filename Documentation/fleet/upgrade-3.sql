-- For tables that were made without the column balance: run it once on every server, before loading
-- rows that have it. Rows that are there have NULL in it.
ALTER TABLE allocations_shard ADD COLUMN balance Nullable(String) AFTER labels;

ALTER TABLE allocations ADD COLUMN balance Nullable(String) AFTER labels;

DROP TABLE IF EXISTS recordings;

CREATE VIEW recordings AS
SELECT
    recording_id,
    any(host) AS host,
    any(machine) AS machine,
    any(kernel) AS kernel,
    any(build_id) AS build_id,
    any(day) AS day,
    any(start_unix) AS start_unix,
    any(duration_ns) AS duration_ns,
    any(kernel_page_size) AS kernel_page_size,
    any(nr_cpus) AS nr_cpus,
    any(nr_events) AS nr_events,
    any(lost) AS lost,
    any(gaps) AS gaps,
    any(unknown_gaps) AS unknown_gaps,
    any(dropped) AS dropped,
    any(missing) AS missing,
    any(bad_pages) AS bad_pages,
    any(truncated) AS truncated,
    any(scope) AS scope,
    any(frees) AS frees,
    any(imported) AS imported,
    any(sample) AS sample,
    any(filter) AS filter,
    any(labels) AS labels,
    any(balance) AS balance,
    count() AS nr_rows
FROM allocations
GROUP BY recording_id;
