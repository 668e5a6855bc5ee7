#!/usr/bin/env python3
"""Loops and locks of a recording, from the events that dagscope ompt dump writes, sharing
no code with dagscope: oracle.py EVENTS... prints

  loop ADDRESS calls longest mean     ns: the longest thread's progress and the team's mean,
                                      summed over instances; progress is the time from
                                      work_begin to work_end less waits for locks and less
                                      what the kernel counted in the run queue
  lock ADDRESS requests contended waiting holding
"""
import bisect, collections, sys

loops, locks = collections.defaultdict(lambda: [0, 0.0, 0.0]), collections.defaultdict(lambda: [0, 0, 0, []])
for name in sys.argv[1:]:
    rows = [line.rstrip("\n").split(",") for line in open(name)][1:]
    queue, waits, asked, held = collections.defaultdict(list), collections.defaultdict(list), {}, {}
    begun, shares, team, count = {}, collections.defaultdict(list), {}, collections.Counter()
    for time, thread, event, task, task2, kind, flags, value, extra in rows:
        t = int(time)
        if event == "processor_time":
            queue[thread].append((t, int(extra, 0)))
        elif event == "parallel_begin":
            team[task2] = int(value)
        elif event == "mutex_acquire":
            asked[thread, value or extra] = t
        elif event == "mutex_acquired":
            lock = value or extra
            wait = t - asked[thread, lock]
            row = locks[lock]
            row[0] += 1
            row[1] += wait > 0
            row[2] += wait
            waits[thread].append((t - wait, t))
            held[thread, lock] = t
        elif event == "mutex_released":
            lock = value or extra
            locks[lock][3].append((held.pop((thread, lock)), t))
        elif event == "work_begin" and kind.startswith("loop"):
            key = (thread, task2, extra)
            begun[thread] = (t, task2, extra, count[key])
            count[key] += 1
        elif event == "work_end" and kind.startswith("loop"):
            start, region, address, number = begun.pop(thread)
            shares[region, address, number].append((thread, start, t))

    for q in queue.values():  # the kernel counts a wait when it is over
        for i in range(len(q) - 1, 0, -1):
            q[i - 1] = (q[i - 1][0], max(q[i - 1][1], q[i][1] - (q[i][0] - q[i - 1][0])))

    def lost(thread, a, b):
        def until(t):
            q = queue[thread]
            i = bisect.bisect_right(q, (t, float("inf")))
            if i == 0:
                return 0.0
            if i == len(q):
                return q[-1][1] - q[0][1]
            (t0, d0), (t1, d1) = q[i - 1], q[i]
            return d0 - q[0][1] + (d1 - d0) * (t - t0) / (t1 - t0)
        return until(b) - until(a)

    for (region, address, number), list_ in shares.items():
        progress = []
        for thread, a, b in list_:
            ns, at = 0.0, a
            for x, y in sorted((max(a, x), min(b, y)) for x, y in waits[thread] if x < b and y > a):
                ns += x - at - lost(thread, at, x)
                at = y
            progress.append(ns + b - at - lost(thread, at, b))
        row = loops[address]
        row[0] += 1
        row[1] += max(progress)
        row[2] += sum(progress) / team[region]
for address, (calls, longest, mean) in sorted(loops.items()):
    print("loop", address, calls, round(longest), round(mean))
for lock, (requests, contended, waiting, spans) in sorted(locks.items()):
    union, end = 0, float("-inf")
    for a, b in sorted(spans):
        union += max(0, b - max(a, end))
        end = max(end, b)
    print("lock", lock, requests, contended, waiting, union)
