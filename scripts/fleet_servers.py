# SPDX-License-Identifier: GPL-2.0-or-later
#
# ClickHouse servers on this machine, and the ZooKeeper that replicated tables need.
# In: a scratch directory. Out: servers that listen on 127.0.0.1 only, on free ports above 19000,
# and end with the calling script.
import ctypes
import json
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
SQL = os.path.join(TOP, "Documentation/fleet")
ZOOKEEPER = "/usr/share/java/zookeeper.jar"
PORTS = (19001, 32768)      # where the ephemeral ports begin
ATTEMPTS = 5
READY_SECONDS = 90
QUERY_SECONDS = 300
# One thread each, to show what the second server adds; together they fit on a machine with 2 GB.
CONFIG = """<yandex>
<logger><level>warning</level><log>{dir}/log</log><errorlog>{dir}/errors</errorlog></logger>
<http_port>{ports[0]}</http_port><tcp_port>{ports[1]}</tcp_port>
<interserver_http_port>{ports[2]}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host>
<listen_host>127.0.0.1</listen_host>
<path>{dir}/data/</path><tmp_path>{dir}/tmp/</tmp_path><users_config>{dir}/users.xml</users_config>
<mark_cache_size>16777216</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>
<default_profile>default</default_profile><default_database>default</default_database>
<remote_servers>{clusters}</remote_servers>
{more}
</yandex>
"""
USERS = """<yandex>
<profiles><default>
<max_threads>1</max_threads>
<max_memory_usage>600000000</max_memory_usage>
<max_compress_block_size>65536</max_compress_block_size>
<min_insert_block_size_rows>65536</min_insert_block_size_rows>
<min_insert_block_size_bytes>33554432</min_insert_block_size_bytes>
<insert_distributed_sync>1</insert_distributed_sync>
</default></profiles>
<users><{user}><password></password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></{user}></users>
<quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors>
<result_rows>0</result_rows><read_rows>0</read_rows><execution_time>0</execution_time>
</interval></default></quotas>
</yandex>
"""
# A killed replica does not start if half of its rows are in parts unknown to ZooKeeper. With as few
# rows as here, one INSERT can be half of them.
FEW_PARTS = ("<merge_tree><replicated_max_ratio_of_wrong_parts>1</replicated_max_ratio_of_wrong_parts>"
             "</merge_tree>")
LIBC = ctypes.CDLL(None)
# New for each run, so that another program's server on one of the ports does not know it.
USER = "fleet%d" % random.SystemRandom().getrandbits(64)


class Failed(Exception):
    pass


def free_ports(count):
    """Ports that nobody listens on now, all bound together so that none is returned twice."""
    taken = []
    for port in random.sample(range(*PORTS), PORTS[1] - PORTS[0]):
        if len(taken) == count:
            break
        s = socket.socket()
        try:
            s.bind(("127.0.0.1", port))
            taken.append(s)
        except OSError:
            s.close()
    ports = [s.getsockname()[1] for s in taken]
    for s in taken:
        s.close()
    return ports


def cluster_xml(name, shards, ports):
    """shards: the numbers of each one's servers."""
    return "<%s>%s</%s>" % (name, "".join(
        "<shard><internal_replication>true</internal_replication>%s</shard>" % "".join(
            "<replica><host>127.0.0.1</host><port>%d</port><user>%s</user></replica>" % (ports[i], USER)
            for i in servers) for servers in shards), name)


def end_with_parent():
    """Makes the kernel end the servers even if this script is killed."""
    LIBC.prctl(1, signal.SIGTERM)       # PR_SET_PDEATHSIG


class Server:
    def __init__(self, directory, ports, clusters, more):
        self.directory, self.port, self.process = directory, ports[1], None
        self.seconds = 0.0
        os.makedirs(directory)
        for name, content in (("config.xml", CONFIG), ("users.xml", USERS)):
            with open(os.path.join(directory, name), "w") as f:
                f.write(content.format(dir=directory, ports=ports, clusters=clusters, more=more, user=USER))
        self.output = open(os.path.join(directory, "output"), "ab")
        self.start()

    def start(self):
        # In its own process group, because ^C is for this script, which then stops the server.
        self.process = subprocess.Popen(
            ["clickhouse-server", "--config-file=%s/config.xml" % self.directory], cwd=self.directory,
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
            start_new_session=True, preexec_fn=end_with_parent)

    def client(self, *args, database="default"):
        return ["clickhouse-client", "--host", "127.0.0.1", "--port", str(self.port), "--user", USER,
                "--database", database, "--output_format_json_quote_64bit_integers", "0", *args]

    def ask(self, sql, *args, database="default", timeout=QUERY_SECONDS):
        done = subprocess.run(self.client(*args, database=database), input=sql.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
        if done.returncode != 0:
            raise Failed("clickhouse: %s\n%s" % (done.stderr.decode(errors="replace").strip(), sql))
        if "--time" in args:
            self.seconds = float(done.stderr.decode().split()[-1])
        return done.stdout.decode()

    def rows(self, sql, database="default", *options):
        """Returns the result's rows. Sets self.seconds to the time that the server took."""
        out = self.ask(sql.rstrip().rstrip(";") + "\nFORMAT JSONEachRow", "--time", *options, database=database)
        return [json.loads(line) for line in out.splitlines()]

    def wait_ready(self):
        end = time.monotonic() + READY_SECONDS
        while self.process.poll() is None:
            try:
                self.ask("SELECT 1", timeout=10)
                return
            except (Failed, subprocess.TimeoutExpired):
                if time.monotonic() > end:
                    break
                time.sleep(0.2)
        raise Failed("a server does not start")

    def last_words(self):
        """Its exit status if it has ended, and the end of its log."""
        code, log = self.process.poll(), os.path.join(self.directory, "errors")
        text = "runs" if code is None else "ended with %d" % code
        if os.path.exists(log):
            with open(log, errors="replace") as f:
                text += "".join("\n" + line[:400] for line in f.read().splitlines()
                                if "<Error>" in line or "<Fatal>" in line)
        return text

    def cpu_seconds(self):
        """Reads the process's own clock (clock_getcpuclockid(3)), which unlike /proc counts
        nanoseconds."""
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def most_memory(self):
        """Its peak resident size so far, in bytes."""
        with open("/proc/%d/status" % self.process.pid) as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1)) * 1024

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if not self.process or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()


class ZooKeeper:
    """What replicas agree through. Newer ClickHouse has its own: Keeper."""
    def __init__(self, scratch):
        self.process = None
        directory = os.path.join(scratch, "zookeeper")
        os.makedirs(directory)
        for _ in range(ATTEMPTS):
            self.port = free_ports(1)[0]
            with open(os.path.join(directory, "cfg"), "w") as f:
                f.write("dataDir=%s/data\ntickTime=2000\nclientPort=%d\nclientPortAddress=127.0.0.1\n"
                        "admin.enableServer=false\n" % (directory, self.port))
            with open(os.path.join(directory, "output"), "ab") as output:
                self.process = subprocess.Popen(
                    ["java", "-Xmx128m", "-cp", ZOOKEEPER, "org.apache.zookeeper.server.ZooKeeperServerMain",
                     os.path.join(directory, "cfg")], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    start_new_session=True, preexec_fn=end_with_parent)
            if self.ready():
                return
            self.stop()
        raise Failed("ZooKeeper does not start")

    def ready(self):
        end = time.monotonic() + READY_SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 5) as s:
                    s.sendall(b"srvr")
                    if b"Mode: standalone" in s.makefile("rb").read():
                        return True
            except OSError:
                pass
            time.sleep(0.1)
        return False

    def xml(self):
        return ("<zookeeper><node><host>127.0.0.1</host><port>%d</port></node>"
                "<session_timeout_ms>8000</session_timeout_ms></zookeeper>" % self.port)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def start_servers(scratch, servers, clusters, zookeeper=None):
    """Appends the started ones to servers. clusters: the shards of each, see cluster_xml(). Tries
    other ports if another program took one first."""
    count = 1 + max(i for shards in clusters.values() for shard in shards for i in shard)
    for attempt in range(ATTEMPTS):
        ports = free_ports(3 * count)
        text = "".join(cluster_xml(name, shards, ports[1::3]) for name, shards in clusters.items())
        for i in range(count):
            more = zookeeper.xml() + FEW_PARTS + "<macros><shard>1</shard><replica>%d</replica></macros>" % (i + 1) \
                if zookeeper else ""
            servers.append(Server(os.path.join(scratch, "%d-server%d.%d" % (count, i + 1, attempt)),
                                  ports[3 * i:3 * i + 3], text, more))
        try:
            for server in servers:
                server.wait_ready()
            return
        except Failed:
            words = "".join(server.last_words() for server in servers)
            if attempt + 1 == ATTEMPTS or "already in use" not in words:
                raise
        for server in servers:
            server.stop()
        servers.clear()


def sql_file(name):
    with open(os.path.join(SQL, name + ".sql")) as f:
        return f.read()


def make_tables(servers, database, cluster="fleet", sql=None):
    """Makes the tables of tables.sql, or of sql, in a new database, or in "default"."""
    for server in servers:
        if database != "default":
            server.ask("CREATE DATABASE " + database)
        server.ask((sql or sql_file("tables")).replace("Distributed(fleet,", "Distributed(%s," % cluster), "--multiquery",
                   database=database)


def wait_until(condition, failure):
    """Returns the first true result of condition(). Fails after five minutes."""
    end = time.monotonic() + QUERY_SECONDS
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.1)
    raise Failed(failure)


def check_same(name, cluster, kmemx):
    for rows in (cluster, kmemx):
        for row in rows:
            if any(not isinstance(v, (int, str, type(None))) for v in row.values()):
                raise Failed("%s: a value is neither a whole number nor text: %s" % (name, row))
    if not kmemx:
        raise Failed("%s: no rows: nothing was compared" % name)
    for i, (a, b) in enumerate(zip(cluster, kmemx)):
        if list(a.items()) != list(b.items()):
            raise Failed("%s: row %d differs\n  cluster: %s\n  kmemx:   %s" % (name, i + 1, a, b))
    if len(cluster) != len(kmemx):
        raise Failed("%s: the cluster has %d rows, kmemx %d" % (name, len(cluster), len(kmemx)))


def fill_daily(server):
    """Does what the manual says, for each day."""
    for row in server.rows("SELECT DISTINCT ifNull(day, toDate(0)) AS day FROM allocations_shard"):
        server.ask(sql_file("daily-fill").replace("2026-11-22", row["day"]), "--multiquery")


def loader(kmemx, server, directory, database):
    """Starts Documentation/fleet/load with this server."""
    return subprocess.Popen(
        [os.path.join(SQL, "load"), "--rows", "20000", "--kmemx", kmemx, "--client",
         shlex.join(server.client(database=database)), directory],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
