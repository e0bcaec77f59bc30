-- Rows of kmemx export in ClickHouse: run this file on every server of the cluster "fleet".

-- What this server keeps: columns and their order are those of Documentation/export.md.
CREATE TABLE IF NOT EXISTS allocations_shard
(
    recording_id String,
    host Nullable(String),
    machine Nullable(String),
    kernel Nullable(String),
    build_id Nullable(String),
    day Nullable(Date),
    start_unix Nullable(UInt64),
    duration_ns Nullable(UInt64),
    kernel_page_size Nullable(UInt64),
    nr_cpus Nullable(UInt64),
    nr_events Nullable(UInt64),
    lost Nullable(UInt64),
    gaps Nullable(UInt64),
    unknown_gaps Nullable(UInt64),
    dropped Nullable(UInt64),
    missing Nullable(UInt64),
    bad_pages Nullable(UInt64),
    truncated Nullable(String),
    scope Nullable(String),
    frees Nullable(String),
    imported Nullable(String),
    sample Nullable(String),
    filter Nullable(String),
    labels String,
    balance Nullable(String),
    allocator String,
    callsite String,
    module Nullable(String),
    stack String,
    stack_id String,
    entry Nullable(String),
    comm Nullable(String),
    process Nullable(String),
    cgroup Nullable(String),
    cache Nullable(String),
    order Nullable(UInt64),
    migratetype Nullable(String),
    gfp Nullable(String),
    hit Nullable(UInt64),
    bytes Nullable(UInt64),
    live Nullable(UInt64),
    bytes_live Nullable(UInt64),
    bytes_peak Nullable(UInt64),
    bytes_req Nullable(UInt64),
    net_min Nullable(UInt64),
    net_max Nullable(UInt64),
    net_estimate Nullable(UInt64),
    bytes_charged Nullable(UInt64)
)
ENGINE = MergeTree
PARTITION BY ifNull(day, toDate(0))
ORDER BY (callsite, stack_id, recording_id);

-- All servers' rows: those of a recording are on one server, chosen by its id.
CREATE TABLE IF NOT EXISTS allocations AS allocations_shard
ENGINE = Distributed(fleet, currentDatabase(), allocations_shard, cityHash64(recording_id));

-- A row for each recording.
CREATE VIEW IF NOT EXISTS recordings AS
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
