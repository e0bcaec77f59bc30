#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sends requests to a command that prints an address, and prints what it answers.
In: a command, whose first line is "http://127.0.0.1:PORT/TOKEN/". Out: a line for each request.

usage: requests.py COMMAND...
"""
import atexit
import re
import signal
import socket
import subprocess
import sys
import time

command = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
atexit.register(command.kill)  # it would not end by itself
address = command.stdout.readline().strip()
found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)", address)
if not found:
    sys.exit(f"no address: {address!r}, {command.wait()}")
port, path = int(found[1]), found[2]
host = f"127.0.0.1:{port}"


def send(data, end=False):
    """The answer to these bytes, which may be none. @end: it gets to know that there is no more."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as link:
        answer = b""
        try:
            link.sendall(data)
            if end:
                link.shutdown(socket.SHUT_WR)
            while part := link.recv(65536):
                answer += part
        except OSError:  # it was closed at the first bad byte
            pass
    return answer


def ask(what, url=path, method="GET", headers=(("Host", host),), body=""):
    """Prints the answer's number, its type and the beginning of its text."""
    lines = [f"{method} {url} HTTP/1.1", *(f"{name}: {value}" for name, value in headers),
             "Connection: close"]
    head, _, text = send(("\r\n".join(lines) + "\r\n\r\n" + body).encode()).partition(b"\r\n\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
    kind = fields.get("content-type", "")
    start = re.sub(rb"\s+", b" ", text[:200]).decode() if kind.startswith("text/") else kind
    print(f"{what}: {head.split()[1].decode() if head else 'closed'}: {start[:40]}")
    return fields, text


def hosts(value, **more):
    """Headers with this Host and others."""
    return [("Host", value)] + [(name.replace("_", "-"), text) for name, text in more.items()]


fields, _ = ask("the address")
print("  headers:", *(f"{name}={fields.get(name)}" for name in (
    "cache-control", "referrer-policy", "x-content-type-options", "cross-origin-resource-policy",
    "cross-origin-opener-policy", "access-control-allow-origin")))
ask("by the name localhost", headers=hosts(f"localhost:{port}"))
ask("from its own page", headers=hosts(host, Origin=f"http://{host}", Sec_Fetch_Site="same-origin"))
ask("a time", path + "?time=49.5,50")
ask("a part", path + "?part=0,1000000,1000,1;1000000,1000000,300,2")
print("Refused:")
ask("no token", "/")
ask("a wrong token", path[:-2] + ("0" if path[-2] != "0" else "1") + "/")
ask("a part of the token", path[:-3] + "/")
ask("the token as an argument", "/?token=" + path[1:-1])
ask("another Host", headers=hosts("kmemx.example"))
ask("another Host with the port", headers=hosts(f"kmemx.example:{port}"))
ask("another port", headers=hosts("127.0.0.1:80"))
ask("no port", headers=hosts("127.0.0.1"))
ask("an address that begins the same", headers=hosts(host + ".kmemx.example"))
ask("an empty Host", headers=hosts(""))
ask("no Host", headers=())
ask("two Hosts", headers=hosts(host, Host=host))
ask("another origin", headers=hosts(host, Origin="http://kmemx.example"))
ask("another port's origin", headers=hosts(host, Origin="http://127.0.0.1:80"))
ask("no origin", headers=hosts(host, Origin="null"))
ask("a link of another site", headers=hosts(host, Sec_Fetch_Site="cross-site"))
ask("a page of another port", headers=hosts(host, Sec_Fetch_Site="same-site"))
ask("another path", path + "x")
ask("a way up", path + "../../etc/passwd")
ask("POST", method="POST", headers=hosts(host, Content_Length="3"), body="abc")
ask("OPTIONS", method="OPTIONS")
ask("another argument", path + "?file=/etc/passwd")
ask("two times", path + "?time=49,50&time=49,50")
ask("an option as a time", path + "?time=--output=x")
ask("a time without end", path + "?time=49")
ask("a long time", path + "?time=1," + "0" * 64)
ask("no time", path + "?time=")
ask("a time backward", path + "?time=50,49")
ask("a time without events", path + "?time=1,2")
ask("a part and a time", path + "?time=49.5,50&part=0,1000,1,1")
for words in ("", "0", "0,10,1", "0,10,0,1", "0,10,11,1", "0,10,1,0", "5,10,1,2;24,10,1,1", "-1,10,1,1",
              "0,8193,1,1", "9223372036854775807,1,1,1", "18446744073709551616,1,1,1", ";", "0,10,1,1;;",
              "0,1,1,1;" * 25, "1" * 1537, "0,10,1,a", "0%2C10%2C1%2C1"):
    ask("a part " + (words if len(words) < 40 else words[:8] + "..."), path + "?part=" + words)
print("Still there:")
with socket.create_connection(("127.0.0.1", port)) as slow:
    slow.sendall(b"GET ")
    ask("beside one that does not end its request")
links = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
for i, link in enumerate(links):
    link.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()[:i * 3])
for link in links:
    link.close()
# The server refuses others until it has seen that these are closed.
for _ in range(100):
    if send(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()):
        break
    time.sleep(0.1)
ask("after 40 that were given up")
for what, data in (("zeros", bytes(5000)), ("noise", bytes(range(128, 256)) * 40), ("a long line", b"G" * 99999),
                   ("many headers", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 9999)):
    send(data + b"\r\n\r\n", True)
    ask("after " + what)
for other, family in (("127.0.0.2", socket.AF_INET), ("::1", socket.AF_INET6)):
    with socket.socket(family, socket.SOCK_STREAM) as link:
        try:
            print(f"{other} answers {link.connect((other, port))}")
        except OSError:
            print(f"{other}: nothing listens")
second = subprocess.run([*sys.argv[1:], "--port", str(port)], stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, check=False)
print(f"a second one on its port: {second.returncode}:", second.stdout.replace(str(port), "PORT").strip())
command.send_signal(signal.SIGINT)
print("ends by signal", -command.wait())
