# SPDX-License-Identifier: GPL-2.0-or-later
"""
The parts of a headless browser that the tests need.
In: calls; $KMEMX_BROWSER: "firefox", or else Chromium. Out: WebDriver commands (W3C) to Debian's
chromium-driver, over HTTP; the same to firefox-esr without a driver, which Debian lacks: geckodriver
only translates them to Firefox's own protocol, Marionette.
"""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FIREFOX = os.environ.get("KMEMX_BROWSER") == "firefox"
MARIONETTE = {"/url": "Navigate", "/execute/sync": "ExecuteScript", "/element": "FindElement",
              "/actions": "PerformActions", "/screenshot": "TakeScreenshot", "/print": "Print",
              "/click": "ElementClick", "/value": "ElementSendKeys"}
PREFERENCES = """
user_pref("marionette.port", 0);
user_pref("app.update.disabledForTesting", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
"""


def missing():
    """What is not installed, or None."""
    needed, package = (("firefox-esr", "firefox-esr") if FIREFOX else
                       ("chromedriver", "chromium-driver"))
    return None if shutil.which(needed) else f"{needed} is not installed ({package})"


def main(test):
    """Runs @test, a class, on three paths and perhaps a directory for pictures, the arguments of the
    program. Returns the exit code.
    """
    if missing():
        print(missing())
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        return test(*(os.path.abspath(path) for path in sys.argv[1:4]), scratch).run(*sys.argv[4:5])


class Chromium:
    """A window of @width by @height pixels; end with close()."""

    def __init__(self, width=1280, height=800, dark=False):
        self.profile = tempfile.mkdtemp()
        # pylint: disable-next=consider-using-with
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True,
                                       start_new_session=True)
        port = next(line.split()[-1].rstrip(".") for line in self.driver.stdout
                    if "started successfully" in line)
        self.base = f"http://127.0.0.1:{port}/session"
        args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                f"--window-size={width},{height}", f"--user-data-dir={self.profile}"]
        if dark:
            args.append("--blink-settings=preferredColorScheme=0")
        answer = self.ask("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"args": args},
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += "/" + answer["sessionId"]
        self.tools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=False)

    def tools(self, name, **parameters):
        """The result of a command of Chromium's developer tools."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def ask(self, method, path, body=None):
        """Sends a request and returns its value."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error

    def open(self, url):
        """Loads a page."""
        self.ask("POST", "/url", {"url": url})

    def script(self, text, *args):
        """The result of a JavaScript function with that body."""
        return self.ask("POST", "/execute/sync", {"script": text, "args": list(args)})

    def wait(self, text, seconds=30):
        """Waits until the expression is true."""
        end = time.monotonic() + seconds
        while not self.script("return !!(" + text + ")"):
            if time.monotonic() > end:
                raise RuntimeError("it never happened: " + text)
            time.sleep(0.05)

    def element(self, selector):
        """The first matching element."""
        return self.ask("POST", "/element", {"using": "css selector",
                                             "value": selector})[ELEMENT]

    def tell(self, selector, command, body):
        """Sends a command to the element; again if the page replaced it in between."""
        for left in range(10, -1, -1):
            try:
                return self.ask("POST", f"/element/{self.element(selector)}/{command}", body)
            except RuntimeError as error:
                if not left or "stale element reference" not in str(error):
                    raise

    def click(self, selector):
        """Clicks in the middle of the element."""
        self.tell(selector, "click", {})

    def keys(self, selector, text):
        """Types into the element."""
        self.tell(selector, "value", {"text": text})

    def drag(self, selector, start, end):
        """Drags from one point of the element to another, given as fractions of its width; equal
        points make a click."""
        box = self.script("document.querySelector(arguments[0]).scrollIntoView();"
                          "const b = document.querySelector(arguments[0])"
                          ".getBoundingClientRect(); return [b.left, b.top, b.width];", selector)

        def move(part):
            return {"type": "pointerMove", "duration": 20, "origin": "viewport",
                    "x": int(box[0] + box[2] * part[0]), "y": int(box[1] + part[1])}
        self.ask("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [move(start), {"type": "pointerDown", "button": 0}, move(end),
                        {"type": "pointerUp", "button": 0}]}]})

    def place(self, selector, part, down):
        """The window position of a point of the element: @part of its width from the left, @down
        pixels from its top."""
        box = self.script("const e = document.querySelector(arguments[0]);"
                          "e.scrollIntoView({ block: 'center' });"
                          "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width];",
                          selector)
        return {"origin": "viewport", "x": int(box[0] + box[2] * part), "y": int(box[1] + down)}

    def wheel(self, selector, place, turned):
        """Turns the wheel there; @turned: pixels, more than 0 is down."""
        self.ask("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "deltaX": 0, "deltaY": turned, "duration": 0,
             **self.place(selector, *place)}]}]})

    def point(self, selector, place, clicks=0):
        """Moves the mouse there, and clicks."""
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.ask("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [{"type": "pointerMove", "duration": 20,
                         **self.place(selector, *place)}] + press * clicks}]})

    def pinch(self, selector, start, end):
        """Moves two fingers from the pair of places @start to @end."""
        def finger(name, a, b):
            return {"type": "pointer", "id": name, "parameters": {"pointerType": "touch"},
                    "actions": [{"type": "pointerMove", "duration": 0, **self.place(selector, *a)},
                                {"type": "pointerDown", "button": 0},
                                {"type": "pointerMove", "duration": 100,
                                 **self.place(selector, *b)},
                                {"type": "pointerUp", "button": 0}]}
        self.ask("POST", "/actions", {"actions": [finger("one", start[0], end[0]),
                                                  finger("two", start[1], end[1])]})

    def picture(self, path):
        """The content of the window as PNG."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def paper(self):
        """The page as printed, a PDF."""
        return base64.b64decode(self.ask("POST", "/print", {}))

    def complaints(self):
        """Messages in the browser's log: errors, violations of the policy."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def close(self):
        """Ends the browser and all its processes."""
        try:
            self.ask("DELETE", "")
        finally:
            os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)


class Firefox(Chromium):
    """The same in Firefox."""

    def __init__(self, width=1280, height=800, dark=False):
        # pylint: disable=super-init-not-called
        self.profile = tempfile.mkdtemp()
        with open(os.path.join(self.profile, "user.js"), "w", encoding="ascii") as file:
            file.write(PREFERENCES + f'user_pref("ui.systemUsesDarkTheme", {int(dark)});\n')
        # pylint: disable-next=consider-using-with
        self.driver = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", self.profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "HOME": self.profile})
        port = os.path.join(self.profile, "MarionetteActivePort")
        end = time.monotonic() + 120
        while not os.path.exists(port) or not os.path.getsize(port):
            if time.monotonic() > end:
                raise RuntimeError("Firefox does not start")
            time.sleep(0.1)
        with open(port, encoding="ascii") as file:
            self.link = socket.create_connection(("127.0.0.1", int(file.read())))
        self.read()
        self.last = 0
        self.command("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})
        # Allow for the window's frame.
        self.command("WebDriver:SetWindowRect", {"width": width, "height": height})
        inner = self.script("return [innerWidth, innerHeight]")
        self.command("WebDriver:SetWindowRect", {"width": 2 * width - inner[0],
                                                 "height": 2 * height - inner[1]})

    def read(self):
        """Reads the next message: its length, a colon, JSON."""
        size, data = b"", b""
        while not size.endswith(b":"):
            size += self.link.recv(1)
        while len(data) < int(size[:-1]):
            data += self.link.recv(int(size[:-1]) - len(data))
        return json.loads(data)

    def command(self, name, parameters):
        """Sends a command and returns its result."""
        self.last += 1
        data = json.dumps([0, self.last, name, parameters]).encode()
        self.link.sendall(b"%d:%s" % (len(data), data))
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(error)
        return result

    def ask(self, method, path, body=None):
        parts = path.split("/")
        parameters = {**(body or {}), **({"id": parts[2]} if len(parts) == 4 else {})}
        if path == "/screenshot":
            parameters["full"] = False
        name = MARIONETTE[path if path in MARIONETTE else "/" + parts[-1]]
        return self.command("WebDriver:" + name, parameters)["value"]

    def complaints(self):
        """Firefox gives no access to its log."""
        return []

    def close(self):
        try:
            self.command("Marionette:Quit", {"flags": ["eForceQuit"]})
        finally:
            self.link.close()
            try:
                self.driver.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.driver.pid, signal.SIGKILL)
                self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)


Browser = Firefox if FIREFOX else Chromium
