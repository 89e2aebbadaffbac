"""Whether what clients were told agrees with the history that the nodes have in the end.

The history is one order of transactions, so linearizability is: what was acknowledged is in it once, at the transaction that the
answer named; what was refused is not; whatever ended before another began is before it; every read is the history up to its
transaction; and each version of a register follows the one before.
"""
import bisect
import json
from collections import Counter, defaultdict


class History:
    """Of a jsonl export: where each source was put."""

    def __init__(self, export):
        self.puts = defaultdict(list)  # source -> [(tx, ref)]
        self.transactions = set()
        for line in export.splitlines():
            event = json.loads(line)
            self.transactions.add(event["tx"])
            if event["op"] == "put":
                self.puts[event["record"]["source"]].append((event["tx"], event["ref"]))
        self.registers = defaultdict(list)  # prefix -> [(tx, source)] in order
        for source, puts in self.puts.items():
            if source.startswith("register:"):
                prefix = source[:source.index(":", len("register:")) + 1]
                self.registers[prefix] += [(tx, source) for tx, _ in puts]
        for versions in self.registers.values():
            versions.sort()


def check_history(operations, history):
    """What is wrong, as sentences."""
    head = max(history.transactions, default=0)
    problems = [f"transaction {tx} is missing" for tx in range(1, head + 1) if tx not in history.transactions]
    for source, puts in history.puts.items():
        if len(puts) > 1:
            problems.append(f"{source} is there {len(puts)} times: {puts}")
    for operation in operations:
        problems += check_operation(operation, history)
    for prefix, versions in history.registers.items():
        problems += check_register(prefix, versions)
    return problems + check_order(operations) + check_own_reads(operations)


def check_operation(operation, history):
    puts = history.puts.get(operation.name, [])
    if operation.kind == "read":
        versions = history.registers.get(operation.name, [])
        place = bisect.bisect_right(versions, operation.tx, key=lambda version: version[0])
        there = versions[place - 1][1] if place else ""
        return [] if there == operation.seen else [f"{operation}: the history has {there!r}"]
    if operation.outcome == "refused" and puts:
        return [f"{operation} was refused, and is there: {puts}"]
    if operation.outcome == "refused" and operation.tx <= operation.expected:
        return [f"{operation} was refused at a head that is not later"]
    if operation.outcome == "acknowledged":
        if not puts:
            return [f"{operation} was acknowledged, and is lost"]
        if puts[0] != (operation.tx, operation.refs[0]):
            return [f"{operation} was acknowledged, and is at {puts[0]}"]
    if operation.kind == "claim" and puts and puts[0][0] != operation.expected + 1:
        return [f"{operation} is at {puts[0]}, not right after what it expected"]
    return []


def check_register(prefix, versions):
    numbers = [int(source.split(":")[2]) for _, source in versions]
    return [] if numbers == list(range(1, len(numbers) + 1)) else [f"{prefix} has versions {numbers}"]


def check_order(operations):
    """An operation that began after another was acknowledged is later; a refusal names a head that is no earlier."""
    ended = sorted((each.ended, each.tx) for each in operations if each.kind != "read" and each.outcome == "acknowledged")
    begun = sorted((each for each in operations if each.kind != "read" and each.outcome in ("acknowledged", "refused")),
                   key=lambda each: each.started)
    problems, latest, next_ended = [], 0, 0
    for each in begun:
        while next_ended < len(ended) and ended[next_ended][0] < each.started:
            latest = max(latest, ended[next_ended][1])
            next_ended += 1
        if each.tx < latest + (each.outcome == "acknowledged"):
            problems.append(f"{each} began after transaction {latest} was acknowledged")
    return problems


def check_own_reads(operations):
    """A node that has answered as of a transaction is never seen before it again, restarts included."""
    problems = []
    for node in {each.node for each in operations}:
        # A repetition may be answered with a transaction of long ago: it is a lower bound all the same.
        answered = sorted((each.ended, each.tx) for each in operations if each.node == node and each.outcome != "unknown")
        latest, place = 0, 0
        for read in sorted((each for each in operations if each.kind == "read" and each.node == node), key=lambda each: each.started):
            while place < len(answered) and answered[place][0] < read.started:
                latest = max(latest, answered[place][1])
                place += 1
            if read.tx < latest:
                problems.append(f"{read} is older than {latest}, which the node had answered with")
    return problems


def counts(operations):
    """For a line of output."""
    outcomes = Counter(each.outcome for each in operations if each.kind != "read")
    return (f"{outcomes['acknowledged']} acknowledged, {outcomes['refused']} refused, {outcomes['unknown']} unknown, "
            f"{sum(each.kind == 'read' for each in operations)} reads, "
            f"{sum(each.kind == 'claim' and each.outcome == 'acknowledged' for each in operations)} claims won")
