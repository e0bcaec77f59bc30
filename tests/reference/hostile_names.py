#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that hostile names cannot control a terminal through any command.

usage: hostile_names.py KMEMX DATA

Overwrites every kind of name in a recording (tasks, functions, modules, caches, events, flags, the
kernel's release and machine, ring buffers, the file itself) with control sequences for terminals,
in recordings of DATA that are reduced to a few events; also the words of options, text logs and
other inputs. The output of all commands, on stdout and stderr, must then be UTF-8 without any
control or format character but the line break. Prints violations; exit 1 if there is any.
"""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zlib

# ESC, C1, text direction, invalid UTF-8, DEL, BEL, an invisible character.
EVIL = "\x1b[31m\u009b32m\u202e\u2066".encode() + b"\xff\x9b\x7f\x07\xe2\x80\x8b\b"
# The same for names that end at a control character: those in kallsyms.
EVIL_SYMBOL = b"\x9b" + "\u009b32m\u202e\u2066\u200b".encode() + b"\xff"
# Characters that must not be in output.
FORBIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co"}


def evil(size, of=EVIL):
    return (of * (size // len(of) + 1))[:size]


def spoil(word, of=EVIL):
    """The word with everything but its first and last letter replaced; same length."""
    return word[:1] + evil(len(word) - 2, of) + word[-1:] if len(word) > 4 else word


def unsafe(output, allowed):
    """A forbidden character in @output, or None."""
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"no UTF-8: {output[max(0, error.start - 30):error.end + 20]!r}"
    for char in set(text) - set(allowed):
        if unicodedata.category(char) in FORBIDDEN:
            at = text.index(char)
            return f"U+{ord(char):04X}: {text[max(0, at - 30):at + 20]!r}"
    return None


class Commands:
    def __init__(self, kmemx):
        self.kmemx, self.wrong, self.nr, self.escaped, self.pages = kmemx, [], 0, 0, 0

    def run(self, *args, stdin=None):
        run = subprocess.run([self.kmemx, *args], stdin=stdin or subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                             env={**os.environ, "COLUMNS": "70"}, timeout=120)
        self.nr += 1
        page = "/dev/stdout" in args
        allowed = "\n\t" if page or b"recover" in args or "recover" in args else "\n"
        for name, output in (("stdout", run.stdout), ("stderr", run.stderr)):
            what = unsafe(output, allowed)
            if what:
                self.wrong.append(f"{args}: {name}: {what}")
            self.escaped += output.count(rb"\x1b") + output.count(rb"\u001b")
        if page and run.returncode == 0:
            self.page(args, run.stdout)
        if "--csv" in args:
            for line in run.stdout.splitlines():
                if re.search(rb'(^|,)"?[=@]', line):
                    self.wrong.append(f"{args}: a formula: {line[:80]!r}")
        if b"Sanitizer" in run.stderr or b"runtime error:" in run.stderr:
            self.wrong.append(f"{args}: {run.stderr[-400:]!r}")
        if run.returncode < 0:
            self.wrong.append(f"{args}: ended by signal {-run.returncode}")
        return run

    def page(self, args, page):
        """What a browser sees of a page: its data must not contain markup."""
        kind, data = re.search(rb'<script type="([^"]*)" id="data">([^<]*)</script>', page).groups()
        data = base64.b64decode(data)
        data = zlib.decompress(data) if kind == b"application/zlib" else data
        texts = [json.loads(data)]
        while texts:
            value = texts.pop()
            if isinstance(value, (list, dict)):
                texts += value.values() if isinstance(value, dict) else value
            what = isinstance(value, str) and unsafe(value.encode(errors="surrogatepass"), "\n")
            if what:
                self.wrong.append(f"{args}: in the page: {what}")
        self.pages += 1

    def reports(self, path):
        for look in ((), ("--json",), ("--csv",)):
            for what in (("--slab", "--page", "--caller"), ("--alloc",), ("--live",),
                         ("--account",), ("--ledger",), ("--unmatched",), ("--sites",),
                         ("--tree",), ("--tree=callee",), ("--by", "cache"), *(("--by", by) for by in (
                             "callsite", "stack", "comm", "pid", "cpu", "node", "cache",
                             "module"))):
                self.run("stat", *what, *look, "-i", path)
            for command in (("leaks",), ("leaks", "--by", "comm"), ("peak", "--over-time", "9"),
                            ("peak", "--by", "module,comm"), ("owners",), ("summary",),
                            ("owners", "--cull", "n,p"), ("summary", "--sites")):
                self.run(*command, *look, "-i", path)
            self.run("diff", *look, path, path)
            self.run("diff", *look, "--by", "comm", path, path)
        for form in ("folded", "speedscope", "dhat", "chrome", "firefox", "openmetrics",
                     "prometheus", "ndjson", "csv"):
            self.run("export", "--format", form, "-i", path)
        for look in (("--stack",), ("--json", "--stack"), ("--format", "kmemtrace"),
                     ("--format", "kmemtrace-min"), ("--gfp-as", "short"), ("--raw-ip",)):
            self.run("script", *look, "--event", "*", "-i", path)
        self.run("script", "--comm", "*", "-i", path)
        self.run("report", "-o", "/dev/stdout", path)
        self.run("diff", "--html", "/dev/stdout", path, path)
        self.run("info", "-v", path)
        self.run("info", "--json", path)
        self.run("split", "--time", "10%,90%", "-o", path + b".part", path)
        self.run("diff", "--fail-on", "net>+1%", "--budget", path, path, path)

    def words(self, path):
        """Uses hostile words as options and operands, and as names of files."""
        word = EVIL + b"\n  Try: nothing"
        for args in (("export", "--format"), ("export", "--format", "folded", "--weight"),
                     ("stat", "--by"), ("stat", "-s"), ("stat", "--instance"),
                     ("stat", "--time"), ("stat", "--skip-func"), ("stat", "--cpu"),
                     ("stat", "--kallsyms"), ("stat", "--source"), ("stat", "--vmlinux"),
                     ("stat", "--max-lost"), ("stat", "-l"), ("stat", "--tree", "--depth"),
                     ("stat", "--tree", "--min-share"), ("script", "--event"),
                     ("script", "--callsite"), ("script", "--comm"), ("script", "--ptr"),
                     ("script", "--format"), ("split", "--time"), ("diff", "--fail-on"),
                     ("diff", "--per"), ("stat", "--modules"), ("stat", "--debug-info"),
                     ("leaks", "--older"), ("leaks", "--suppress"), ("peak", "--at"),
                     ("owners", "--cull"), ("owners", "--by"), ("owners", "-s"),
                     ("summary", "--comm"), ("report", "--time"), ("report", "--comm"),
                     ("diff", "--html")):
            self.run(*args, word, "-i" if args[0] != "diff" else path, path)
        for command in ("stat", "export", "diff", "script", "info", "split", "import", "recover",
                        "record", "boot", "extract", "version", "leaks", "peak", "owners",
                        "summary", "report"):
            self.run(command, word)
            self.run(command, b"--" + word)
        self.run("import", "--ftrace-text", word)
        self.run("import", "--raw-pages", word)
        self.run("boot", "--print-cmdline", "-e", word)
        self.run("boot", "--print-cmdline", "--release", word)
        self.run("record", "-o", word + b"/x", "--", "true")
        self.run("record", "-p", word)
        self.run("extract", "--instance", word, "-o", path + b".out")
        self.run("help", word)
        self.run(word)


def substitute(data, words):
    for word in words:
        data = data.replace(word, spoil(word))
    return data


def spoil_kallsyms(data):
    """Spoils functions and modules in lines "ffffffff81000000 T name\\t[module]"."""
    return re.sub(rb"(?m)^([0-9a-f]{8,16} [a-zA-Z] )(\S+)(\t\[)?([^\]\n]*)",
                  lambda m: (m[1] + spoil(m[2], EVIL_SYMBOL) + (m[3] or b"") +
                             spoil(m[4], EVIL_SYMBOL)), data)


def spoil_tasks(data, names):
    """Lines "179 sh" of the list of tasks: makes names longer within the same space."""
    for name in names:
        data = re.sub(rb"(?m)^(\d+ )" + re.escape(name) + rb"$",
                      lambda m: m[1] + evil(len(name)), data)
    return data


RECORDINGS = {
    "trixie-amd64-small-stack.v7.dat": (b"6.12.107+deb13-cloud-amd64", b"x86_64"),
    "bookworm-armhf-small-stack.v7.dat": (b"6.1.0-50-armmp", b"armv7l"),
    "variants-amd64-instance.v6.dat": (b"6.1.0-50-cloud-amd64", b"x86_64"),
    "pressure-bookworm-amd64.v7.dat": (b"6.1.0-50-cloud-amd64", b"x86_64"),
}


def spoilt_names(data, kernel):
    """Spoils texts about tasks, functions, caches, the kernel and buffers."""
    data = spoil_kallsyms(data)
    data = re.sub(rb"(?m)^(\d+) sleep$", lambda m: m[1] + b" =1+1\x1b", data)
    data = spoil_tasks(data, {m[2] for m in re.finditer(rb"(?m)^(\d+) ([^\s=]{2,15})$", data)})
    data = substitute(data, (*kernel, b"Debian"))
    data = re.sub(rb"\b(vm_area_struct|maple_node|task_struct|filp|skbuff_head_cache|"
                  rb"anon_vma_chain|dentry|names_cache)\x00",
                  lambda m: spoil(m[1]) + b"\0", data)
    return re.sub(rb"\x00(slab|pages)\x00", lambda m: b"\0" + evil(len(m[1])) + b"\0", data)


def spoilt_formats(data):
    """Spoils some names of events, fields and flags, known to kmemx and unknown."""
    return substitute(data, (b"GFP_HIGHUSER_MOVABLE", b"__GFP_NOWARN", b"mm_page_pcpu_drain", b"mm_page_free_batched", b"bytes_alloc",
                             b"alloc_migratetype", b"kmem_cache_alloc_node"))


def recordings(kmemx, data, directory):
    for name, kernel in RECORDINGS.items():
        part = os.path.join(directory, "part.dat")
        # split writes uncompressed parts, whose content can be overwritten.
        subprocess.run([kmemx, "split", "--time", "30%,45%", "-o", part,
                        os.path.join(data, name)], check=True, stderr=subprocess.DEVNULL)
        with open(part, "rb") as file:
            whole = file.read()
        os.remove(part)
        for what, changed in (("names", spoilt_names(whole, kernel)),
                              ("formats", spoilt_formats(whole)),
                              ("both", spoilt_formats(spoilt_names(whole, kernel)))):
            if changed == whole:
                sys.exit(f"{name}: no {what} in it")
            path = os.path.join(directory.encode(), EVIL + what.encode())
            with open(path, "wb") as file:
                file.write(changed)
            yield path


TEXT = b"""# tracer: nop
#
    %s-7  [000] .....  1.000001: kmalloc: call_site=%s+0x1/0x9 ptr=000000001 bytes_req=9 \
bytes_alloc=16 gfp_flags=GFP_KERNEL|%s node=-1 accounted=false
    %s-7  [000] .....  1.000002: mm_page_alloc: page=0x1 pfn=0x1 order=0 migratetype=0 \
gfp_flags=GFP_KERNEL
    %s-7  [000] .....  1.000003: <stack trace>
 => %s
 => %s
%s
"""


def imports(commands, directory):
    log = os.path.join(directory.encode(), EVIL + b".txt")
    with open(log, "wb") as file:
        file.write(TEXT.replace(b"%s", EVIL))
    out = os.path.join(directory.encode(), EVIL + b".imported")
    commands.run("import", "--ftrace-text", log, "-o", out)
    if not os.path.exists(out):
        with open(log, "wb") as file:
            file.write(TEXT.replace(b"%s", b"a\x1b[31m\xc2\x9b"))
        commands.run("import", "--ftrace-text", log, "-o", out)
    if os.path.exists(out):
        commands.reports(out)
    with open(log, "wb") as file:
        file.write(b"# tracer: nop\n" + EVIL)
    commands.run("import", "--ftrace-text", log, "-o", out)
    left = os.path.join(directory.encode(), b"." + EVIL + b".dat.4194000.tmp")
    os.mkdir(left)
    commands.run("recover", "-l", directory)
    commands.run("recover", left)


def main():
    kmemx, data = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    commands = Commands(kmemx)
    directory = tempfile.mkdtemp()
    os.chdir(directory)
    try:
        for path in recordings(kmemx, data, directory):
            commands.reports(path)
        commands.words(path)
        imports(commands, directory)
    finally:
        shutil.rmtree(directory)
    if commands.escaped < 1000:
        commands.wrong.append(f"only {commands.escaped} escapes are shown: nothing was tried")
    if commands.pages < 10:
        commands.wrong.append(f"only {commands.pages} pages were made")
    print("\n".join(commands.wrong[:30]))
    print(f"{commands.nr} commands, {len(commands.wrong)} wrong")
    return 1 if commands.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
