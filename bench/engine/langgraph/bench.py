"""The rows of bench/engine for LangGraph: prints one JSON object from row to
number. CPU is user+sys of the process, medians of several rounds."""
import json
import operator
import os
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send


class State(TypedDict):
    count: int
    found: Annotated[list, operator.add]


class Messages(TypedDict):
    notes: Annotated[list, operator.add]


MESSAGE = "m" * 200


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def peak():
    """Most memory the process ever had, in MB. The peak that getrusage tells
    would be inherited from the process that started this one."""
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1e3


def median(f, rounds, per=1):
    """Median CPU seconds of f() in several rounds, divided by per."""
    f()
    times = []
    for _ in range(rounds):
        began = cpu()
        f()
        times.append((cpu() - began) / per)
    return statistics.median(times)


def chain(n, idle=0):
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


def fan(n, store=None, work=None):
    b = StateGraph(State)
    b.add_node("work", work or (lambda i: {"found": [i]}))
    b.add_conditional_edges(START, lambda s: [Send("work", i) for i in range(n)], ["work"])
    b.add_edge("work", END)
    return b.compile(checkpointer=store)


def loop(steps, store):
    b = StateGraph(Messages)
    b.add_node("add", lambda s: {"notes": [MESSAGE]})
    b.add_edge(START, "add")
    b.add_conditional_edges("add", lambda s: "add" if len(s["notes"]) < steps else END, ["add", END])
    return b.compile(checkpointer=store)


def saver(path):
    conn = sqlite3.connect(path, check_same_thread=False)
    conn.execute("PRAGMA journal_mode=WAL")
    conn.execute("PRAGMA synchronous=NORMAL")
    s = SqliteSaver(conn)
    s.setup()
    return s


def size(path):
    total = os.path.getsize(path)
    return total / 1e6


def durable(steps, durability, folder):
    path = os.path.join(folder, f"{durability}-{steps}.db")
    store = saver(path)
    g = loop(steps, store)
    config = {"configurable": {"thread_id": "t"}, "recursion_limit": steps + 5}
    began = cpu()
    g.invoke({"notes": []}, config, durability=durability)
    took = (cpu() - began) / steps
    store.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return took, size(path), g, config


def short_durable(durability, folder):
    times = []
    for i in range(5):
        d = os.path.join(folder, f"short{i}{durability}")
        os.mkdir(d)
        times.append(durable(10, durability, d)[0])
    return statistics.median(times)


def killed(path):
    calls = 0

    def work(i):
        nonlocal calls
        calls += 1
        if calls == 500:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"found": [i]}

    g = fan(1000, saver(path), work)
    g.invoke({"count": 0, "found": []}, {"configurable": {"thread_id": "t"}, "max_concurrency": 1})


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "killed":
        return killed(sys.argv[2])
    if len(sys.argv) > 1 and sys.argv[1] == "memory":
        g = fan(10000)
        fan(10).invoke({"count": 0, "found": []})
        idle = peak()
        g.invoke({"count": 0, "found": []})
        print(peak() - idle)
        return None
    out = {}
    start = {"count": 0, "found": []}
    g = chain(10)
    out["linear_us"] = median(lambda: g.invoke(start), 51, 10) * 1e6
    g1 = chain(1)
    out["invoke_us"] = median(lambda: g1.invoke(start), 101) * 1e6
    many = {"recursion_limit": 200}
    g, h = chain(100), chain(100, 300)
    out["idle_ratio"] = median(lambda: h.invoke(start, many), 9) / median(lambda: g.invoke(start, many), 9)
    for n, rounds in ((1000, 5), (10000, 1)):
        f = fan(n)
        out[f"send_{n}_us"] = median(lambda: f.invoke(start), rounds, n) * 1e6
    out["memory_mb"] = float(subprocess.check_output([sys.executable, __file__, "memory"]))
    with tempfile.TemporaryDirectory() as folder:
        out["durable_us"] = short_durable("sync", folder) * 1e6
        out["durable_default_us"] = short_durable("async", folder) * 1e6
        _, out["db_1000_mb"], g, config = durable(1000, "sync", folder)
        times = []
        for _ in range(9):
            began = cpu()
            assert len(g.get_state(config).values["notes"]) == 1000
            times.append(cpu() - began)
        out["state_ms"] = statistics.median(times) * 1e3
        began = cpu()
        assert len(list(g.get_state_history(config, limit=10))) == 10
        out["history_ms"] = (cpu() - began) * 1e3
        _, out["db_2000_mb"], _, _ = durable(2000, "sync", folder)
        path = os.path.join(folder, "killed.db")
        subprocess.run([sys.executable, __file__, "killed", path], check=False)
        rows = sqlite3.connect(path).execute("select count(distinct task_id) from writes where channel = 'found'").fetchone()
        out["lost"] = 499 - rows[0]
    print(json.dumps(out))
    return None


main()
