"""The load of a long run: processes that write, read, subscribe, keep the store as an operator does, and measure.

Each role is a function that a process of its own runs until `plan.end` is set. What a role did is counted; what it did not expect is
put into `plan.errors` and fails the run. Pauses are waits for the end.
"""
import collections
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "end_to_end"))
from support import otlp  # noqa: E402
from support.program import RpcError, write_tokens  # noqa: E402
from support.raw_websocket import Closed, WebSocket  # noqa: E402
from support.subscriber import Subscriber  # noqa: E402

ADMIN = "an-admin-token-of-some-length"
RECENT = 400       # what is read and rated was among the last so many responses
TOPIC_MESSAGES = 50
ROUNDS = 20
PERSONS = 40       # who ask an instrumented application, in turn; the operator erases some
REQUESTS = 10      # of each, with two turns each; then others come
POLICY = 1008      # the close code of a token that is gone
UNIT_USES = 3
SECOND = 10**9     # nanoseconds
BACKUP_SECONDS = 1200  # on a machine that has other work: it works behind others
# Errors that a request may get here: what was asked for has gone meanwhile, or the server has much to do.
GOING = {-32020, -32021, -32022, -32042, -32051, -32060, -32800, -32801}


@dataclass
class Plan:
    """What the processes share."""
    authority: str
    pid: int
    folder: str
    seconds: float
    rate: float            # responses a second
    end: Any               # set: all end
    writing: Any           # set while responses are written
    errors: Any            # texts
    counts: Any            # (name, number)
    times: Any             # (kind, when, seconds)
    latest: Any            # number of the first writer's newest response


class Client:
    """One WebSocket of somebody who waits for each answer."""

    def __init__(self, plan, token=ADMIN):
        self.socket, self.number = WebSocket(plan.authority, token=token), 0

    def call(self, method, **params):
        """The result; RpcError where it is refused. Notifications are dropped, and streams get credit."""
        self.number += 1
        self.socket.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        while True:
            text = self.socket.receive(*([BACKUP_SECONDS] if method == "admin.backup" else []))
            if text is None:
                raise TimeoutError(method)
            message = json.loads(text)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RpcError(message["error"])
                return message["result"]
            if message.get("method") == "$/partial":
                self.socket.send(json.dumps({"jsonrpc": "2.0", "method": "$/credit", "params": {"id": self.number, "n": 1}}))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def post(plan, body, token=ADMIN, path="/rpc"):
    """Status and body of a request on a connection of its own."""
    connection = http.client.HTTPConnection(plan.authority, timeout=120)
    try:
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + token}
        connection.request("POST" if body is not None else "GET", path, body=body, headers=headers)
        with connection.getresponse() as answer:
            return answer.status, answer.read()
    finally:
        connection.close()


def now_text():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def words(chance, length):
    text = " ".join(f"w{chance.randrange(10**7)}" for _ in range(length // 8))
    return text or "w"


class Paced:
    """Turns at a rate, late ones not made up for beyond a second."""

    def __init__(self, plan, each):
        self.plan, self.each, self.next = plan, each, time.monotonic()

    def __iter__(self):
        while not self.plan.end.wait(max(0.0, self.next - time.monotonic())):
            self.next = max(self.next + self.each, time.monotonic() - 1)
            yield


def guarded(role):
    """`role`, whose failure is told to the run."""
    def run(plan, *args):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        counts = collections.Counter()
        try:
            role(plan, counts, *args)
        except Exception:
            if not plan.end.is_set():
                plan.errors.put(f"{role.__name__}{args}: {traceback.format_exc()}")
        plan.counts.put(dict(counts))
    return run


class Recorder:
    """Makes the records of one writer: responses of units old and new, feedback, messages with XML, questions, discussions."""

    def __init__(self, call, name, chance):
        self.call, self.name, self.chance = call, name, chance
        self.responses = self.units = self.messages = self.questions = self.rounds = 0

    def batch(self, size):
        """`size` responses. Each uses units that were made a short time before; every second one brings a new one."""
        records = []
        for _ in range(size):
            if self.responses % 2 == 0:
                records.append({"$type$": "ContextUnit", "id": f"cu_{self.name}_{self.units}", "type": "External", "source": "s", "version": 1,
                                "timestamp": now_text(), "content": words(self.chance, 300)})
                self.units += 1
            used = self.chance.sample(range(max(0, self.units - 50), self.units), min(UNIT_USES, self.units))
            length = 1500 if self.responses % 10 == 0 else 300
            records.append({"$type$": "Response", "id": f"resp_{self.name}_{self.responses}", "timestamp": now_text(), "agent": f"agent_{self.responses % 7}",
                            "model": "m", "content": words(self.chance, length),
                            "context_units": [{"context_unit_id": f"cu_{self.name}_{unit}", "weight": 1 / len(used)} for unit in used]})
            self.responses += 1
        return records

    def recent(self):
        return self.chance.randrange(max(0, self.responses - RECENT), self.responses)

    def feedback(self):
        return {"$type$": "FeedbackRecord", "id": f"fb_{self.name}_{self.responses}", "response_id": f"resp_{self.name}_{self.recent()}",
                "timestamp": now_text(), "score": self.chance.choice([-0.4, 0.1, 0.5, 1]), "feedback_text": words(self.chance, 80)}

    def message(self):
        """An XML answer in a topic that ends after some messages, as conversations do."""
        topic = f"t_{self.name}_{self.messages // TOPIC_MESSAGES}"
        self.messages += 1
        subject = {"name": f"Subject {self.messages % 5}", "description": "what it is about", "isNew": True,
                   "keywords": [{"term": f"{topic}-k{self.messages % 5}", "confidence": 0.9}]}
        parts = {"response": words(self.chance, 400), "analysis": {"subjects": [subject], "summaryUpdate": ""}}
        xml = self.call("xml.build", format="llm-response", parts=parts)["xml"]
        return {"$type$": "XMLMessageAttachment", "messageId": f"m_{self.name}_{self.messages}", "topicId": topic, "format": "llm-response", "xml": xml}

    def question(self):
        """A chunk, and every few of them a question that is answered with what is near it."""
        self.questions += 1
        vector = [self.chance.uniform(-1, 1) for _ in range(8)]
        self.call("records.write", records=[{"$type$": "RetrievedChunk", "chunk_id": f"c_{self.name}_{self.questions}", "content": words(self.chance, 200),
                                             "metadata": {"document_name": f"d_{self.questions // 100}", "chunk_index": self.questions % 100}, "embedding": vector}])
        if self.questions % 3 == 0:
            request = self.call("rag.retrieve", vector=vector, question=words(self.chance, 60), record=True, filters={"max_results": 3})["request_id"]
            self.call("rag.answer", request_id=request, answer=words(self.chance, 100), processing_time_ms=3)

    def discuss(self):
        """The next round of a discussion that ends after some rounds."""
        place = {"userId": self.name, "discussionId": f"x{self.rounds // ROUNDS}"}
        self.rounds += 1
        number = self.call("discussion.open", **place)["roundNumber"]
        for persona in ("Analyzer AI", "Solver AI", "Moderator AI"):
            self.call("discussion.addResponse", **place, roundNumber=number, persona=persona, content=words(self.chance, 200))


@guarded
def write(plan, counts, number):
    """Small writes, half of all responses; and what goes with them now and then."""
    chance = random.Random(number)
    client = Client(plan)
    recorder = Recorder(client.call, f"w{number}", chance)
    mean = 5
    for turn, _ in enumerate(Paced(plan, mean / (plan.rate / 2))):
        if not plan.writing.is_set():
            if turn % 100 == 0:
                client.call("server.info")  # who answers no ping is closed
            continue
        more = {"idempotency_key": f"{number}/{turn}"} if turn % 20 == 0 else {}
        records = recorder.batch(chance.randint(1, 2 * mean - 1))
        client.call("records.write", records=records, **more)
        counts["responses"] += sum(each["$type$"] == "Response" for each in records)
        counts["writes"] += 1
        if number == 0:
            plan.latest.value = recorder.responses - 1
        try:
            if turn % 10 == 1:
                client.call("records.write", records=[recorder.feedback()])
            if turn % 20 == 2:
                client.call("records.write", records=[recorder.message()], ensure=True)
            if turn % 20 == 3:
                recorder.question()
            if turn % 40 == 4:
                recorder.discuss()
            if turn % 40 == 5:
                client.call("records.write", records=[{"$type$": "Response", "id": "resp_bad", "agent": ""}])
        except RpcError as error:
            if error.code not in GOING | {-32030}:
                raise
            counts["refused writes"] += 1


@guarded
def trace(plan, counts, each):
    """An instrumented application: turns of conversations with a retrieval and a call of a model, two traces a request."""
    chance = random.Random(7)
    asked = {}
    for turn, _ in enumerate(Paced(plan, each)):
        if not plan.writing.is_set():
            continue
        person = f"person {turn // (PERSONS * REQUESTS)}-{turn % PERSONS}"
        spans = [span for half in range(2) for span in turn_of(chance, asked, person, 2 * turn + half)]
        status, _ = post(plan, otlp.body_of(spans, "traces", "json"), path="/v1/traces")
        if status not in (200, 429, 503):
            raise AssertionError(f"spans: {status}")
        counts["spans"] += len(spans) if status == 200 else 0


def turn_of(chance, asked, person, number):
    """The spans of one turn; the earlier turns of the person are in what is sent, the last few of them."""
    begin = time.time_ns() - 2 * SECOND
    passages = [words(chance, 200) for _ in range(3)]
    question, answer = words(chance, 60), words(chance, 300)
    history = asked.setdefault(person, [])[-6:]
    prompt = history + [("user", question + " " + passages[0])]
    asked[person] = prompt + [("assistant", answer)]
    if len(asked) > PERSONS:
        asked.pop(next(iter(asked)))
    found = {"openinference.span.kind": "RETRIEVER", "input.value": question}
    for i, passage in enumerate(passages):
        found[f"retrieval.documents.{i}.document.content"] = passage
        found[f"retrieval.documents.{i}.document.metadata"] = json.dumps({"source": f"file_{number % 50}.md"})
    called = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.conversation.id": "of " + person, "user.id": person,
              "gen_ai.input.messages": json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in prompt]),
              "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": answer}]}])}
    trace = f"{number + 1:032x}"
    return [otlp.span(trace, f"{1:016x}", "retrieve", begin, begin + SECOND // 2, found), otlp.span(trace, f"{2:016x}", "chat m", begin + SECOND, begin + 2 * SECOND, called)]


READS = {
    "node.get": lambda r, u: {"ref": r, "include": ["record", "status", "edges"]},
    "lineage.ancestors": lambda r, u: {"ref": r, "depth": 3, "form": "graph", "include": ["record"]},
    "lineage.descendants": lambda r, u: {"ref": u, "depth": 2},
    "lineage.graph": lambda r, u: {"ref": u, "limit": 50},
    "lineage.path": lambda r, u: {"from": u, "to": r, "kind": "strongest"},
    "lineage.influence": lambda r, u: {"ref": r},
    "lineage.manifest": lambda r, u: {"response_id": r},
    "impact.analyze": lambda r, u: {"refs": [u]},
    "impact.blame": lambda r, u: {"responses": [r]},
    "history.get": lambda r, u: {"ref": r},
    "versions.list": lambda r, u: {"ref": u},
    "feedback.list": lambda r, u: {"ref": r},
    "node.find": lambda r, u: {"type": "Topic", "limit": 20, "order": {"by": "tx", "desc": True}},
    "node.count": lambda r, u: {"type": "Message"},
    "server.info": lambda r, u: {},
    "rag.retrieve": lambda r, u: {"vector": [1, 0, 0, 0, 0, 0, 0, 1]},
    "attachment.list": lambda r, u: {"topicId": "t_w0_0", "count_only": True},
    "xml.context": lambda r, u: {"topicId": "t_w0_0"},
    "discussion.context": lambda r, u: {"userId": "w0", "discussionId": "x0"},
}


def ask_again(plan, client, counts):
    """What connections do besides asking and waiting: batches, cancelled streams, old moments, cursors, and going away."""
    refs = [f"Response:resp_w0_{i}" for i in range(3)]
    answer = json.loads(post(plan, json.dumps([{"jsonrpc": "2.0", "id": i, "method": "node.get", "params": {"ref": r}} for i, r in enumerate(refs)]))[1])
    counts["batches"] += len(answer) == 3
    with contextlib.suppress(RpcError):
        first = client.call("node.find", type="Topic", limit=1)
        if "cursor" in first:
            client.call("node.find", cursor=first["cursor"])
    client.call("lineage.descendants", ref="ContextUnit:cu_probe", stream={"credit": 1})
    leaving = WebSocket(plan.authority, token=ADMIN)
    leaving.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "node.find", "params": {"type": "Message", "stream": {"credit": 1}}}))
    leaving.send(json.dumps({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 1}}))
    leaving.abort()
    begun = WebSocket(plan.authority)
    begun._socket.sendall(bytes([0x81, 0x80 | 126]) + (60000).to_bytes(2, "big") + bytes(4) + b"[" * 1000)
    begun.abort()
    for body in (b"{", b'{"jsonrpc":"2.0","id":1,"method":"no.such"}', b"[]"):
        post(plan, body)
    counts["bad requests"] += 3
    counts["refused tokens"] += post(plan, b"{}", token="nobody")[0] == 401
    counts["pages"] += sum(post(plan, None, path=path)[0] < 500 for path in ("/healthz", "/readyz", "/openrpc.json", "/nowhere"))


@guarded
def read(plan, counts, each):
    """One read of each kind in turn, on connections that are used for a while."""
    chance = random.Random(99)
    methods = list(READS)
    client = None
    for turn, _ in enumerate(Paced(plan, each)):
        if turn % 200 == 0:
            if client:
                client.close()
            client = Client(plan)
        if turn % 50 == 0:
            ask_again(plan, client, counts)
        number = chance.randrange(max(0, plan.latest.value - RECENT), plan.latest.value + 1)
        method = methods[turn % len(methods)]
        try:
            client.call(method, **READS[method](f"Response:resp_w0_{number}", f"ContextUnit:cu_w0_{number // 2}"))
            counts["reads"] += 1
        except RpcError as error:
            if error.code not in GOING:
                raise
            counts["reads of what is gone"] += 1


def follow(plan, chance, counts):
    """One subscription from its begin to its end; what came is checked by `Subscriber`."""
    kind = chance.choice(["live", "live", "replay", "snapshot", "slow", "paused", "downstream", "aborted"])
    options = {"receive_bytes": 4096} if kind == "slow" else {}
    seconds = chance.uniform(0.5, max(1.0, min(20.0, plan.seconds / 10)))
    subscriber = Subscriber(Authority(plan.authority), token=ADMIN, **options)
    with subscriber:
        params = {"include": ["record", "edges"]} if chance.random() < 0.5 else {}
        if kind == "replay":
            params["since"] = max(0, subscriber.call("server.info")["tx"] - 2000)
        if kind == "snapshot":
            params |= {"snapshot": True, "match": {"types": ["Topic", "Discussion"]}}
        if kind == "downstream":
            params["match"] = {"downstream_of": "ContextUnit:cu_probe", "depth": 3}
        if kind == "paused":
            params["credit"] = 0
        match = params.pop("match", None)
        subscription = subscriber.subscribe(match, **params)
        if kind == "slow":
            plan.end.wait(3 * seconds)
        if kind == "paused":
            subscriber.grant(subscription, 50)
        end = time.monotonic() + seconds
        while time.monotonic() < end and not plan.end.is_set():
            subscriber.read(0.2)
            if kind == "aborted":
                subscriber.socket.abort()
                break
        counts["events"] += len(subscription.events)
        if kind in ("live", "replay") and not plan.end.is_set():
            subscriber.unsubscribe(subscription)
        counts["subscriptions " + kind] += 1
        counts["lagged"] += len(subscription.lagged)


@dataclass
class Authority:
    """As much of a server as `Subscriber` asks for."""
    authority: str


@guarded
def subscribe(plan, counts, number):
    """Subscribers that come and go, a few at a time."""
    def one(seed):
        chance = random.Random(seed)
        own = collections.Counter()
        try:
            while not plan.end.is_set():
                follow(plan, chance, own)
        except Exception:
            if not plan.end.is_set():
                plan.errors.put(f"subscribe {seed}: {traceback.format_exc()}")
        with lock:
            counts.update(own)

    lock = threading.Lock()
    threads = [threading.Thread(target=one, args=(1000 * number + i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Operator:
    """What the one who runs the server does, each thing in its interval."""

    def __init__(self, plan, counts):
        self.plan, self.counts, self.client = plan, counts, Client(plan)
        self.chance, self.number, self.token = random.Random(5), 0, 0

    def recent_response(self):
        latest = self.plan.latest.value
        return f"Response:resp_w{self.chance.randrange(2)}_{self.chance.randrange(max(0, latest - RECENT), latest + 1)}"

    def retention(self):
        self.counts["expired"] += self.client.call("admin.retention")["expired"]

    def purge(self):
        self.counts["purged"] += len(self.client.call("records.purge", refs=[self.recent_response()])["purged"])

    def delete(self):
        self.counts["deleted"] += len(self.client.call("records.delete", refs=[self.recent_response()], force=True)["deleted"])

    def erase(self):
        """One of the persons that are there, as they asked for."""
        persons = self.client.call("node.find", type="Person", limit=20, order={"by": "tx", "desc": True})["nodes"]
        if persons:
            person = self.chance.choice(persons)["ref"].split(":", 1)[1]
            self.counts["erased"] += self.client.call("person.erase", person=person, reason="asked for it")["tx"] > 0

    def backup(self):
        path = f"{self.plan.folder}/backup"
        self.counts["backups"] += self.client.call("admin.backup", path=path)["tx"] > 0
        shutil.rmtree(path)

    def export(self, **select):
        """Started, waited for, fetched, given up; every third is given up before it is done."""
        self.number += 1
        formats = ("jsonl", "graphml", "prov-json", "node-link") if select else ("jsonl",)
        job = self.client.call("export.start", format=self.chance.choice(formats), **select)["job"]
        while self.number % 3 and (status := self.client.call("export.status", job=job))["state"] == "running":
            if self.plan.end.wait(0.05):
                return
        if self.number % 3:
            for file in status["files"]:
                self.counts["exported bytes"] += len(post(self.plan, None, path=path_of(file["url"]))[1])
        self.client.call("export.cancel", job=job)
        self.counts["exports"] += 1

    def export_part(self):
        self.export(select={"method": "lineage.graph", "params": {"ref": self.recent_response(), "up": 3, "down": 3}})

    def reload(self):
        """The readers' token is another one: who has the old one is closed."""
        guest = WebSocket(self.plan.authority, token=reader(self.token))
        self.token += 1
        write_tokens(self.plan.folder + "/tokens", tokens_text(self.token))
        os.kill(self.plan.pid, signal.SIGHUP)
        try:
            while guest.receive() is not None:
                pass
        except Closed as closed:
            self.counts["closed readers"] += closed.code == POLICY
        guest.close()
        self.counts["reloads"] += 1

    def scrape(self):
        self.counts["scrapes"] += post(self.plan, None, path="/metrics")[0] == 200


def reader(number):
    return f"reader-{number}-of-some-length"


def tokens_text(number):
    return f"admin {ADMIN}\nread {reader(number)}\n"


def path_of(url):
    return "/" + url.split("://", 1)[1].split("/", 1)[1] if "://" in url else url


@guarded
def operate(plan, counts):
    operator = Operator(plan, counts)
    cycle = plan.seconds / 6
    intervals = {operator.retention: min(20, cycle / 3), operator.purge: min(7, cycle / 4), operator.delete: min(5, cycle / 4), operator.erase: min(10, cycle / 3),
                 operator.backup: cycle / 1.5, operator.export: cycle / 1.2, operator.export_part: min(10, cycle / 3),
                 operator.reload: min(15, cycle / 3), operator.scrape: min(5, cycle / 4)}
    begin = time.monotonic()
    due = {each: begin + interval / 2 for each, interval in intervals.items()}
    for _ in Paced(plan, 0.1):
        for each, when in due.items():
            if time.monotonic() < when:
                continue
            due[each] = time.monotonic() + intervals[each]
            try:
                each()
            except RpcError as error:
                if error.code not in GOING:
                    raise
                counts["operations on what is gone"] += 1


@guarded
def probe(plan, counts):
    """Measures a one-hop query and a write of one unit, always the same."""
    client = Client(plan)
    number = 0
    for turn, _ in enumerate(Paced(plan, 0.05)):
        begin = time.perf_counter()
        client.call("lineage.ancestors", ref="Response:resp_probe", depth=1)
        plan.times.put(("read", time.time(), time.perf_counter() - begin))
        if turn % 3 == 0:
            number += 1
            record = {"$type$": "ContextUnit", "id": f"cu_probe_{number}", "type": "External", "source": "s", "version": 1, "timestamp": now_text()}
            begin = time.perf_counter()
            client.call("records.write", records=[record])
            plan.times.put(("write", time.time(), time.perf_counter() - begin))
        counts["probes"] += 1
