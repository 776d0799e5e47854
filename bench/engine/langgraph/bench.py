"""Does with LangGraph what bench/engine measures. It reads lines "WORK SIZE
TIMES" and answers each: see there."""
import functools
import gc
import operator
import os
import signal
import sqlite3
import sys
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

FOLDER = sys.argv[-1]
LIMIT = 5000  # super-steps; more than any run here needs
ENDLESS = 1 << 30
MESSAGE = "m" * 200
EMPTY = {"count": 0, "found": [], "notes": []}


class State(TypedDict):
    count: int
    found: Annotated[list, operator.add]
    notes: Annotated[list, operator.add]


def mark():
    print("mark", flush=True)
    sys.stdin.readline()


def chain(n, idle=0):
    """A linear graph of n nodes beside idle ones."""
    b = StateGraph(State)
    for i in range(n):
        b.add_node(f"n{i}", lambda s: {"count": s["count"] + 1})
        b.add_edge(f"n{i-1}" if i else START, f"n{i}")
    for i in range(idle):
        b.add_node(f"idle{i}", lambda s: {})
        b.add_edge(f"idle{i}", END)
    if idle:
        b.add_conditional_edges(f"n{n-1}", lambda s: END, [f"idle{i}" for i in range(idle)] + [END])
    else:
        b.add_edge(f"n{n-1}", END)
    return b.compile()


def fan(n, store=None, work=lambda i: {"found": [i]}):
    """A graph that sends n payloads to one node."""
    b = StateGraph(State)
    b.add_node("work", work)
    b.add_conditional_edges(START, lambda s: [Send("work", i) for i in range(n)], ["work"])
    b.add_edge("work", END)
    return b.compile(checkpointer=store)


def growing(steps, store, asks=0, told=None, stop=None):
    """A graph that appends a message in each of so many steps, and then asks
    so many times."""
    b = StateGraph(State)

    def add(s):
        if told:
            told(len(s["notes"]) + 1)
        return {"notes": [MESSAGE]}

    def more(s):
        if len(s["notes"]) < steps:
            return "add"
        return "ask" if s["count"] < asks else END

    b.add_node("add", add)
    b.add_node("ask", lambda s: {"count": s["count"] + 1})
    b.add_edge(START, "add")
    b.add_conditional_edges("add", more, ["add", "ask", END])
    b.add_conditional_edges("ask", more, ["add", "ask", END])
    return b.compile(checkpointer=store, interrupt_before=stop)


def path(name):
    return os.path.join(FOLDER, name + ".db")


def saver(name, synchronous="NORMAL"):
    """A checkpointer, as its documentation opens it. SQLite's own default is
    FULL."""
    conn = sqlite3.connect(path(name), check_same_thread=False)
    conn.execute("PRAGMA journal_mode=WAL")
    conn.execute(f"PRAGMA synchronous={synchronous}")
    store = SqliteSaver(conn)
    store.setup()
    return store


def on(thread):
    return {"configurable": {"thread_id": thread}, "recursion_limit": LIMIT}


def run(g):
    def do():
        g.invoke(EMPTY, {"recursion_limit": LIMIT})

    return do


def durable(name, steps, durability, synchronous="NORMAL"):
    g = growing(steps, saver(name, synchronous))
    threads = iter(range(ENDLESS))

    def do():
        g.invoke(EMPTY, on(f"t{next(threads)}"), durability=durability)

    return do


def size(name):
    """The database's size in MB; all of it is in its main file then."""
    conn = sqlite3.connect(path(name))
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    conn.close()
    return os.path.getsize(path(name)) / 1e6


def grow(steps):
    def told(step):
        if step in (10, 110, steps - 100, steps):
            mark()

    def do():
        store = saver("grow")
        empty = size("grow")
        growing(steps, store, told=told).invoke(EMPTY, on("t"), durability="sync")
        store.conn.close()
        grown = size("grow")
        os.remove(path("grow"))
        return grown - empty

    return do


def reading(work, messages):
    """Reads a thread of so many messages, each from a step of its own."""
    g = growing(messages, saver(work), asks=ENDLESS, stop=["ask"])
    g.invoke(EMPTY, on("t"))

    def resume():
        g.invoke(None, on("t"))

    def state():
        assert len(g.get_state(on("t")).values["notes"]) == messages

    def history():
        assert len(list(g.get_state_history(on("t"), limit=10))) == 10

    return {"resume": resume, "state": state, "history": history}[work]


def killed(size, seconds):
    """Kills its own process in call 500, each call taking a while."""
    calls = 0

    def work(i):
        nonlocal calls
        calls += 1
        if calls == 500:
            os.kill(os.getpid(), signal.SIGKILL)
        if seconds:
            time.sleep(seconds)
        return {"found": [i]}

    def do():
        if os.path.exists(path("killed")):
            os.remove(path("killed"))
        fan(size, saver("killed"), work).invoke(EMPTY, on("t") | {"max_concurrency": 1})

    return do


def kept(_):
    """How many calls the thread of a killed process has."""

    def do():
        query = "select count(distinct task_id) from writes where channel = 'found'"
        return sqlite3.connect(path("killed")).execute(query).fetchone()[0]

    return do


WORKS = {
    "linear": lambda n: run(chain(n)),
    "idle": lambda n: run(chain(10, n)),
    "send": lambda n: run(fan(n)),
    "wide": lambda n: run(fan(n)),
    "durable": lambda n: durable("durable", n, "sync"),
    "durable_default": lambda n: durable("durable_default", n, "async"),
    "durable_full": lambda n: durable("durable_full", n, "sync", "FULL"),
    "grow": grow,
    "resume": lambda n: reading("resume", n),
    "state": lambda n: reading("state", n),
    "history": lambda n: reading("history", n),
    "killed": lambda n: killed(n, 0),
    "killed_slow": lambda n: killed(n, 0.01),
    "kept": kept,
}


@functools.cache
def ready(work, size):
    return WORKS[work](size)


def main():
    for line in iter(sys.stdin.readline, ""):
        work, size, times = line.split()
        if work not in WORKS:
            print("none", flush=True)
            continue
        do = ready(work, int(size))
        if times == "0":
            gc.collect()
        told = None
        for _ in range(int(times)):
            told = do()
        print(told or 0, flush=True)


main()
