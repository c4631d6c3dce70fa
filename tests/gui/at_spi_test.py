#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a screen reader gets through AT-SPI: the tree of the running window, and one event for each
arrow key in loops, graph, lists and history. Skipped (77) where Xvfb, D-Bus or pyatspi are missing.

    at_spi_test.py PROGRAM KERNEL.te
"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time

DOWN, UP, LEFT, RIGHT = 0xFF54, 0xFF52, 0xFF51, 0xFF53
INTERACTIVE = {"push button", "toggle button", "check box", "combo box", "list item", "page tab",
               "radio button", "text", "slider", "spin button"}
STEPS = ["i.0, i.1 = split(C.i, factor=4)", "parallel(C.i.0)"]


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def enter_display():
    """Once more, in a display and on a bus of its own."""
    for tool in ("Xvfb", "dbus-run-session"):
        if not shutil.which(tool):
            skip(f"there is no {tool} here")
    os.environ["TILEWRIGHT_AT_SPI"] = "inside"
    with tempfile.TemporaryDirectory() as runtime:
        os.chmod(runtime, 0o700)
        os.environ["XDG_RUNTIME_DIR"] = runtime
        server = start_display()
        try:
            command = ["dbus-run-session", "--", sys.executable, "-B", *sys.argv]
            code = subprocess.run(command).returncode
        finally:
            server.terminate()
            server.wait()
        sys.exit(code)


def start_display():
    """An X server that says its number when it is ready, however long that takes it. One that began
    beside another may have chosen the same number, and ends: the next one chooses again. Without
    -noreset it starts anew whenever its last client leaves, and then refuses the next one: here the
    bus of accessibility may come and go just before the window."""
    for _ in range(5):
        here, there = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(there), "-noreset", "-screen",
                                   "0", "1700x1100x24"], pass_fds=[there])
        os.close(there)
        with os.fdopen(here) as said:
            number = said.readline().strip()
        if number:
            os.environ["DISPLAY"] = ":" + number
            return server
        print("Xvfb ended before it was ready, with", server.wait())
        time.sleep(1)
    sys.exit("Xvfb does not start")


class Reader:
    """The window as assistive technology sees it."""

    def __init__(self, pyatspi, context, process):
        self.pyatspi, self.context, self.process = pyatspi, context, process
        self.events = []
        kinds = ("object:state-changed:focused", "object:property-change:accessible-value",
                 "object:active-descendant-changed")
        for kind in kinds:
            pyatspi.Registry.registerEventListener(self.hear, kind)

    def hear(self, event):
        gains = not event.type.startswith("object:state-changed") or event.detail1 == 1
        if gains and event.source and "tilewright" in (event.source.getApplication().name or ""):
            self.events.append((event.type, event.source.getRoleName(), event.source.name))

    def pump(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            while self.context.pending():
                self.context.iteration(False)
            time.sleep(0.005)

    def wait_for(self, what, why, seconds=120):
        """A machine may be slow: the time only ends a wait for what never comes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = what()
            if found:
                return found
            if self.process.poll() is not None:
                sys.exit(f"the window ended with {self.process.returncode}")
            self.pump(0.1)
        sys.exit(f"never came: {why}")

    def application(self):
        for one in self.pyatspi.Registry.getDesktop(0):
            if one and "tilewright" in (one.name or "") and one.childCount:
                return one
        return None

    def shown(self, at):
        """All that is on the screen, from one down."""
        for i in range(at.childCount):
            child = at.getChildAtIndex(i)
            if not child:
                continue
            state = child.getState()
            if state.contains(self.pyatspi.STATE_SHOWING):
                yield child
                yield from self.shown(child)

    def find(self, role, name):
        for one in self.shown(self.application()):
            if one.getRoleName() == role and one.name == name:
                return one
        return None

    def actions(self, one):
        try:
            action = one.queryAction()
        except NotImplementedError:
            return {}
        return {action.getName(i): i for i in range(action.nActions)}

    def act(self, one, name):
        one.queryAction().doAction(self.actions(one)[name])

    def send(self, key):
        self.pump(0.3)
        self.events.clear()
        self.pyatspi.Registry.generateKeyboardEvent(key, None, self.pyatspi.KEY_SYM)

    def press(self, key):
        """What one key said."""
        self.send(key)
        self.wait_for(lambda: self.events, f"an event for the key {key:x}", 30)
        self.pump(0.3)  # a second one would come with it
        return list(self.events)


def focus_window():
    """No window manager does it here."""
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
    x.XDefaultRootWindow.restype = ctypes.c_ulong
    display = x.XOpenDisplay(None)
    root, parent = ctypes.c_ulong(), ctypes.c_ulong()
    children, count = ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
    x.XQueryTree(ctypes.c_void_p(display), ctypes.c_ulong(x.XDefaultRootWindow(display)),
                 ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children),
                 ctypes.byref(count))
    widest, size = 0, 0
    for i in range(count.value):
        at = [ctypes.c_int(), ctypes.c_int()]
        sizes = [ctypes.c_uint() for _ in range(4)]
        x.XGetGeometry(ctypes.c_void_p(display), ctypes.c_ulong(children[i]), ctypes.byref(root),
                       *(ctypes.byref(value) for value in at + sizes))
        if sizes[0].value > size:
            widest, size = children[i], sizes[0].value
    x.XSetInputFocus(ctypes.c_void_p(display), ctypes.c_ulong(widest), 2, 0)
    x.XSync(ctypes.c_void_p(display), 0)


def check_tree(reader, view):
    wrong, seen = [], 0
    for one in reader.shown(reader.application()):
        role, state = one.getRoleName(), one.getState()
        if role == "filler" and one.name and state.contains(reader.pyatspi.STATE_FOCUSABLE):
            wrong.append(f"{view}: what '{one.name}' is nobody says")
        if role not in INTERACTIVE or not state.contains(reader.pyatspi.STATE_ENABLED):
            continue
        seen += 1
        if not (one.name or one.description):
            wrong.append(f"{view}: a {role} has no name")
        if not reader.actions(one):
            wrong.append(f"{view}: the {role} '{one.name}' has no action")
    return wrong, seen


def check_keys(reader, view, keys, begin=None):
    """Each key says one thing, and each another part. `begin`: goes to an end first."""
    the_list = reader.wait_for(lambda: reader.find("list", view), f"the list '{view}'")
    reader.act(the_list, "SetFocus")
    reader.pump(0.5)
    if begin:
        reader.send(begin)
        reader.pump(1)
    wrong, names = [], []
    for key in keys:
        events = reader.press(key)
        if len(events) != 1:
            wrong.append(f"{view}: {len(events)} events for one key: {events}")
        if not events[0][2]:
            wrong.append(f"{view}: what has the focus has no name")
        names.append(events[0][2])
    if names[0] == names[1]:
        wrong.append(f"{view}: both keys say '{names[0]}'")
    return wrong


def show(reader, tab):
    reader.act(reader.wait_for(lambda: reader.find("page tab", tab), f"the tab '{tab}'"), "Press")
    reader.pump(1)


def main():
    if os.environ.get("TILEWRIGHT_AT_SPI") != "inside":
        enter_display()
    try:
        import pyatspi
        from gi.repository import GLib
    except ImportError:
        skip("there is no pyatspi here")
    program, kernel = sys.argv[1:3]
    wrong = []
    for lines, last, examine in (
            ([f"open {os.path.abspath(kernel)}", *(f"step {step}" for step in STEPS)], STEPS[-1],
             examine_kernel),
            (["sample dqn"], "13 operators", examine_network)):
        with tempfile.TemporaryDirectory() as state:
            wrong += run(program, state, lines, last, examine, pyatspi, GLib)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


def run(program, state, lines, last, examine, pyatspi, glib):
    journal = os.path.join(state, "steps.journal")
    with open(journal, "w", encoding="utf-8") as text:
        text.write("\n".join(["tilewright journal 1", *lines, ""]))
    environment = dict(os.environ, QT_QPA_PLATFORM="xcb", QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1")
    process = subprocess.Popen([program, "--state", state, "--size", "1600x1000", "--journal",
                                journal, "--stay"], env=environment)
    try:
        reader = Reader(pyatspi, glib.MainContext.default(), process)
        reader.wait_for(reader.application, "the window")
        reader.wait_for(lambda: any((one.name or "").startswith(last) for one in
                                    reader.shown(reader.application())), last)
        focus_window()
        reader.pump(0.5)
        return examine(reader)
    finally:
        process.kill()
        process.wait()


def examine_kernel(reader):
    wrong, seen = [], 0
    for tab in ("Loops", "Graph", "Memory", "Iterations", "Tuning", "Devices", "Loops"):
        show(reader, tab)
        faults, count = check_tree(reader, tab)
        wrong += faults
        seen += count
    print(f"{seen} interactive elements")
    if seen < 200:
        wrong.append(f"only {seen} interactive elements are in the tree")
    wrong += check_keys(reader, "Loop nest", (DOWN, UP), begin=UP)
    wrong += check_keys(reader, "History", (LEFT, RIGHT), begin=RIGHT)
    wrong += check_keys(reader, "Roofline", (LEFT, LEFT))
    show(reader, "Suggestions")
    wrong += check_keys(reader, "Suggestions", (DOWN, UP), begin=UP)
    return wrong


def examine_network(reader):
    wrong = check_keys(reader, "Kernels", (DOWN, UP), begin=UP)
    show(reader, "Graph")
    return wrong + check_keys(reader, "Graph", (DOWN, UP), begin=UP)


main()
