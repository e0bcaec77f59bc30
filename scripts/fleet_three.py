# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests three servers that each have all rows (ReplicatedMergeTree), killed while rows load and
# while queries run; and the same three as shards. In: a fleet's files and the results of kmemx
# query on them. Out: an exception unless each server gives those results.
import json
import os
import re
import subprocess
import tempfile
import time

from fleet_servers import (QUERY_SECONDS, Failed, ZooKeeper, check_same, fill_daily, loader, make_tables, sql_file,
                           start_servers, wait_until)

TABLES = {"tables": "allocations_shard", "daily": "daily_shard"}
# The server that is asked, the one that is killed when this share of the rows is loaded, and those
# that are started again before. The second round leaves one server alone, which waits for another
# and then takes no rows: only with LONG=1.
ROUNDS = ((0, 0, 0.15, ()), (1, 2, 0.3, ()), (1, 2, 0.6, (0, 2)))
ATTEMPTS = 20       # of load, while the server has not yet seen that others are back
REPEAT = 50         # of a query, so that one is running when a server is killed
# Asks the other replicas, in order, so that a query runs on the server that is killed.
ELSEWHERE = ("--prefer_localhost_replica", "0", "--load_balancing", "in_order")


def nr_rows(server, database="default"):
    return server.rows("SELECT count() AS nr FROM allocations_shard", database)[0]["nr"]


def load(kmemx, server, directory, victim=None, rows=0, database="default"):
    """Returns the exit code and the message. Kills victim once server has that many rows, unless
    load ends first."""
    running = loader(kmemx, server, directory, database)
    while victim and nr_rows(server) < rows:
        if running.poll() is not None:
            victim = None
    if victim:
        victim.kill()
    out, err = (text.decode(errors="replace") for text in running.communicate(timeout=QUERY_SECONDS))
    if running.returncode not in (0, 1) or (running.returncode == 1 and not err.startswith("load: a server does not ")):
        raise Failed("load: %d: %s%s" % (running.returncode, out, err))
    return running.returncode, out + err


def start_again(servers):
    for server in servers:
        server.start()
        server.wait_ready()


def kill_while_loading(kmemx, servers, directory, rows):
    for asked, victim, share, again in ROUNDS if os.environ.get("LONG") else ROUNDS[::2]:
        start_again([servers[i] for i in again if servers[i].process.poll() is not None])
        # An INSERT begun by a killed server blocks others until the replicas give it up.
        for attempt in range(ATTEMPTS):
            code, text = load(kmemx, servers[asked], directory, servers[victim], share * rows)
            if code == 0 or servers[victim].process.poll() is not None:
                break
            print("load, again: %s" % " ".join(text.split())[:300])
            time.sleep(1)
        if servers[victim].process.poll() is None:
            raise Failed("load ends before a server is killed: " + text)
        if victim == asked and code == 0:
            raise Failed("load has not noticed that the server is gone: " + text)
        print("load asks server %d, server %d is killed: exit %d: %s" %
              (asked + 1, victim + 1, code, " ".join(text.split())[:300]))


def load_rest(kmemx, servers, directory, rows):
    """Loads until it succeeds, and once more: nothing must be left, and nothing may count twice."""
    for attempt in range(ATTEMPTS):
        code, text = load(kmemx, servers[0], directory)
        if code == 0:
            break
        print("load, again: %s" % " ".join(text.split())[:300])
        time.sleep(1)
    again = load(kmemx, servers[0], directory)
    if code or again[0] or not again[1].startswith("0 recordings loaded"):
        raise Failed("load does not come to an end: %s%s" % (text, again[1]))
    for server in servers:
        # A killed server fetches nothing until ZooKeeper notices, after some seconds, that it was
        # gone.
        wait_until(lambda: nr_rows(server) >= rows, "a server does not get all rows")
        if nr_rows(server) != rows:
            raise Failed("a server has %d rows of %d" % (nr_rows(server), rows))


def check_results(server, results, *options):
    for name, expected in results.items():
        check_same(name, server.rows(sql_file(name), "default", *options), expected)


def kill_while_querying(asked, victim, results):
    """A query whose server is killed must fail with a message or give the right result; the next
    one must be right. The server asked must not have seen victim dead before, as it would then
    prefer the others."""
    name = "new-stacks"
    sql = sql_file(name).rstrip() + "\nFORMAT JSONEachRow;\n"
    out = tempfile.TemporaryFile()      # not a pipe: a full one would stop it
    running = subprocess.Popen(asked.client("--multiquery", *ELSEWHERE), stdin=subprocess.PIPE, stdout=out,
                               stderr=subprocess.PIPE)
    running.stdin.write(sql.encode() * REPEAT)
    running.stdin.close()
    running.stdin = None
    while running.poll() is None:
        if victim.rows("SELECT 1 AS one FROM system.processes WHERE query NOT LIKE '%system.processes%'"):
            break
    else:
        raise Failed("the server to kill was not asked")
    victim.kill()
    err = running.communicate(timeout=QUERY_SECONDS)[1]
    out.seek(0)
    rows = [json.loads(line) for line in out.read().splitlines() if line]
    whole = len(rows) // len(results[name])
    if whole:
        check_same(name, rows[:whole * len(results[name])], results[name] * whole)
    if (running.returncode == 0) != (whole == REPEAT) or (running.returncode and b"Exception: " not in err):
        raise Failed("a query whose server is killed: %d: %d whole results: %s" % (running.returncode, whole, err))
    check_results(asked, {name: results[name]}, *ELSEWHERE)
    print("a server is killed while it answers: %d right results, then %s; asked again, all rows are right" %
          (whole, " ".join(err.decode(errors="replace").split())[:160] or "no error"))


def leader_of(servers, table):
    """ClickHouse 18.16 forwards statements that remove rows to the leader, as the user "default",
    which these servers lack. After a start they first elect a leader."""
    sql = "SELECT is_leader FROM system.replicas WHERE table = '%s'" % table
    return wait_until(lambda: next((s for s in servers if s.rows(sql)[0]["is_leader"]), None),
                      "no server became the leader of " + table)


def check_shards(kmemx, servers, directory, results):
    """Each server has a third of the rows. With one missing, a query must fail rather than leave
    out rows."""
    database = "shards"
    make_tables(servers, database, database)
    code, text = load(kmemx, servers[0], directory, database=database)
    if code:
        raise Failed("load, of three shards: " + text)
    shares = [nr_rows(s, database) for s in servers]
    if not all(shares):
        raise Failed("a shard has no rows: %s" % shares)
    for server in servers:
        for name, expected in results.items():
            check_same(name + " on three shards", server.rows(sql_file(name), database), expected)
    servers[1].kill()
    try:
        servers[0].rows(sql_file("top-callsites"), database)
    except Failed as failed:
        if "Exception: " not in str(failed):
            raise
    else:
        raise Failed("a query without one of three shards does not fail")
    print("three shards of %s rows: all results are equal; without one a query fails" %
          " + ".join(map(str, shares)))


def check_three(kmemx, scratch, servers, files, results):
    """servers: an empty list, which gets those that run. files: their directory and the number of
    rows."""
    directory, rows = files
    start, zookeeper = time.monotonic(), ZooKeeper(scratch)
    try:
        start_servers(scratch, servers, {"fleet": [[0, 1, 2]], "shards": [[0], [1], [2]]}, zookeeper)
        for server in servers:
            for name, table in TABLES.items():
                server.ask(re.sub(r"^ENGINE = (\w*MergeTree)$", r"ENGINE = Replicated\1('/kmemx/{shard}/%s', '{replica}')" %
                                  table, sql_file(name), flags=re.M), "--multiquery")
        kill_while_loading(kmemx, servers, directory, rows)
        start_again(servers[2:])
        load_rest(kmemx, servers, directory, rows)
        fill_daily(leader_of(servers, "daily_shard"))
        for server in servers:
            server.ask("SYSTEM SYNC REPLICA daily_shard")
            check_results(server, results)
            check_same("top-callsites-daily", server.rows(sql_file("top-callsites-daily")), results["top-callsites"])
        kill_while_querying(servers[2], servers[0], results)
        start_again(servers[:1])
        check_results(servers[0], {"top-callsites": results["top-callsites"]})
        check_shards(kmemx, servers, directory, results)
        print("three servers: all results are equal, %.0f s" % (time.monotonic() - start))
    finally:
        zookeeper.stop()
