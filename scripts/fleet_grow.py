# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures the queries with more rows: more recordings of the same hosts.
# In: two servers whose database "alone" has the rows once. Out: a table; both shards, one shard and
# the daily sums must give the same results.
from fleet_servers import Failed, check_same, sql_file

FACTORS = (1, 4, 16)
MEMORY = ("--max_memory_usage", "8000000000")
DAILY = "top-callsites-daily"


def make_tables(servers):
    """"grow" is on both servers, "grow_alone" only on the first one."""
    for server, database, cluster in [(s, "grow", "fleet") for s in servers] + [(servers[0], "grow_alone", "alone")]:
        server.ask("CREATE DATABASE " + database)
        for name in ("tables", "daily"):
            server.ask(sql_file(name).replace("Distributed(fleet,", "Distributed(%s," % cluster), "--multiquery",
                       database=database)


def add_copy(server, number):
    """Copy 0 keeps the recordings' ids and times; the others are hours later."""
    names = [row["name"] for row in server.rows("SELECT name FROM system.columns WHERE database = 'alone' AND "
                                                "table = 'allocations_shard'")]
    other = {"recording_id": "lower(substring(hex(MD5(concat(recording_id, '%d'))), 1, 16))" % number,
             "start_unix": "start_unix + %d" % (3600 * number)} if number else {}
    for database in ("grow", "grow_alone"):
        server.ask("INSERT INTO allocations (%s) SELECT %s FROM alone.allocations_shard" % (
            ", ".join("`%s`" % n for n in names), ", ".join(other.get(n, "`%s`" % n) for n in names)),
            *MEMORY, database=database)


def merge(server, database):
    for table in ("allocations_shard", "daily_shard"):
        for day in server.rows("SELECT DISTINCT partition FROM system.parts WHERE active AND database = '%s' "
                               "AND table = '%s'" % (database, table)):
            server.ask("OPTIMIZE TABLE %s PARTITION '%s' FINAL" % (table, day["partition"]), database=database)


def stored(servers, table):
    """Rows and bytes on the disks."""
    parts = [s.rows("SELECT sum(rows) AS nr, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND "
                    "database = 'grow' AND table = '%s'" % table)[0] for s in servers]
    return [sum(int(p[k]) for p in parts) for k in ("nr", "bytes")]


def grow(servers, names, timed_rows):
    make_tables(servers)
    have = 0
    print("\nseconds, and CPU seconds of the server that works most")
    print("%-20s %5s %8s %18s %18s" % ("query", "rows", "results", "two shards", "one shard"))
    for factor in FACTORS:
        for number in range(have, factor):
            add_copy(servers[0], number)
        have = factor
        for server, database in [(s, "grow") for s in servers] + [(servers[0], "grow_alone")]:
            merge(server, database)
        seen = {}
        for name in names + [DAILY]:
            two, two_seconds = timed_rows(servers, sql_file(name), "grow", *MEMORY)
            one, one_seconds = timed_rows(servers, sql_file(name), "grow_alone", *MEMORY)
            check_same(name + ", grown", two, one)
            seen[name] = two
            print("%-20s %4dx %8d %18s %18s" % (name, factor, len(two), two_seconds, one_seconds), flush=True)
        check_same(DAILY + ", grown", seen[DAILY], seen["top-callsites"])
        (rows, size), (days, small) = stored(servers, "allocations_shard"), stored(servers, "daily_shard")
        if not rows or not days:
            raise Failed("no rows are stored")
        print("%dx: %d rows, %.1f bytes each; sums of days: %d rows, %.1f bytes each" %
              (factor, rows, size / rows, days, small / days))
