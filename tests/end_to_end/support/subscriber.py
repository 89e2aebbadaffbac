"""A client of subscriptions, read by the test's own thread. `Subscriber` is a connection; a `Subscription` holds the
messages of one `subscribe` and checks the invariants of every subscription as they arrive.
"""
import json
import time

from support.raw_websocket import PATIENCE, Closed, WebSocket
from support.program import RpcError


def check(true, *about):
    """`assert` that is never compiled out."""
    if not true:
        raise AssertionError(" ".join(map(str, about))[:3000])


class Subscription:
    """The messages of one `subscribe`. Every notification holds whole transactions, in order, linked by `prev`; a replay ends
    with one `$/caught_up`; nothing comes after the end."""
    ALWAYS, SOMETIMES = {"tx", "prev", "at", "op", "ref"}, {"record", "edges", "status", "score", "snapshot", "entered", "expired", "purged",
                                                                  "put", "newer", "reason", "time", "edge_order"}

    def __init__(self, sub, from_tx):
        self.sub, self.from_tx = sub, from_tx
        self.events, self.messages = [], 0      # all of them; how many notifications they came in
        self.caught_up, self.lagged, self.ended = [], [], None
        self.tx = from_tx                       # the point to resume at
        self._last = 0                          # the transaction delivered last

    @property
    def is_caught_up(self):
        return len(self.caught_up) > len(self.lagged)

    @property
    def brief(self):
        """(tx, prev, op, ref) of each event, and "entered" or "snapshot" after it where it is one."""
        return [(e["tx"], e["prev"], e["op"], e["ref"], *(m for m in ("entered", "snapshot") if e.get(m))) for e in self.events]

    def take(self, method, params):
        check(self.ended is None, method, params, "came after the end")
        check(params.pop("sub") == self.sub)
        {"event": self._take_events, "$/caught_up": self._take_caught_up, "$/lagged": self._take_lagged,
         "$/ended": self._take_ended}[method](**params)

    def _take_events(self, events):
        check(events, "a notification without events")
        self.messages += 1
        before, now = self._last, None  # the transaction before this one; this one
        for event in events:
            self._check_members(event)
            if event.get("snapshot"):
                check(now is None, event, "came after live events")
                self._take_snapshot(event)
                before = self._last
                continue
            if event["tx"] != now:
                before, now = self._last, event["tx"]
                check(now > max(before, self.tx), event, "is old: resumed at", self.tx)
            check(event["prev"] == before, event, "does not follow", before)
            self._last = self.tx = now
        self.events += events

    def _check_members(self, event):
        check(self.ALWAYS <= set(event) <= self.ALWAYS | self.SOMETIMES, event, "has other members")
        check(all(event[m] is True for m in ("snapshot", "entered", "purged") if m in event), event)
        check(event["op"] in ("put", "version") or not {"record", "edges"} & set(event), event)
        check("put" not in event or event["op"] == "expire" and event["put"] < event["tx"], event)
        check("status" in event if event["op"] == "status" else "status" not in event or "snapshot" in event, event)

    def _take_snapshot(self, event):
        check((event["tx"], event["prev"], event["op"]) == (self.from_tx, 0, "put"), event)
        check(not self.events or self.events[-1].get("snapshot"), event, "came after live events")
        self._last = self.from_tx

    def _take_caught_up(self, tx):
        check(not self.is_caught_up, "caught up twice")
        check(tx >= self.tx, "caught up at", tx, "before", self.tx)
        self.caught_up.append(tx)
        self.tx = tx

    def _take_lagged(self, at_tx, head_tx):
        check(self.is_caught_up, "lagged while reading the log")
        check(at_tx <= head_tx and self._last in (0, at_tx), "lagged at", at_tx, head_tx, "after", self._last)
        self.lagged.append((at_tx, head_tx))

    def take_heartbeat(self, tx):
        """Everything up to `tx` has been sent."""
        self.tx = max(self.tx, tx)

    def _take_ended(self, reason, tx):
        check(tx >= self.tx, "ended at", tx, "before", self.tx)
        self.ended, self.tx = reason, tx


class Subscriber:
    """One connection and its subscriptions, by their `sub`."""

    def __init__(self, server, **options):
        self.socket = WebSocket(server.authority, **options)
        self.subscriptions, self.heartbeats = {}, []
        self._answers, self._asked, self._calls = {}, 0, {}
        self._left = set()  # subs that were unsubscribed

    def send(self, method, params):
        """Sends a notification."""
        self.socket.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method, **params):
        """Sends a request without waiting; its id."""
        request = self._request(method, params)
        self.socket.send(json.dumps(request))
        return request["id"]

    def ask_all(self, *calls):
        """Sends (method, params) pairs as one batch; their ids."""
        batch = [self._request(method, params) for method, params in calls]
        self.socket.send(json.dumps(batch))
        return [request["id"] for request in batch]

    def _request(self, method, params):
        self._asked += 1
        self._calls[self._asked] = method, params
        return {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}

    def answer(self, number):
        self.until(lambda: number in self._answers, f"the answer to {self._calls.get(number)}")
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def call(self, method, **params):
        return self.answer(self.ask(method, **params))

    def subscribe(self, match=None, **params):
        """The Subscription; `match` is left out where None."""
        result = self.call("subscribe", **params, **({} if match is None else {"match": match}))
        return self.subscriptions[result["sub"]]

    def unsubscribe(self, subscription):
        return self.call("unsubscribe", sub=subscription.sub)

    def grant(self, subscription, n):
        self.send("$/credit", {"sub": subscription.sub, "n": n})

    def read(self, seconds=PATIENCE):
        """Takes one message; False where none came."""
        text = self.socket.receive(seconds)
        if text is None:
            return False
        message = json.loads(text)
        for one in message if isinstance(message, list) else [message]:
            (self._take_answer if "id" in one else self._take_notification)(one)
        return True

    def _take_answer(self, message):
        self._answers[message["id"]] = message
        method, params = self._calls.pop(message["id"])
        if "result" not in message:
            return
        if method == "subscribe":
            result = message["result"]
            check(set(result) == {"sub", "from_tx"} and isinstance(result["sub"], str), result)
            self.subscriptions[result["sub"]] = Subscription(result["sub"], result["from_tx"])
        elif method == "unsubscribe":
            self._left.add(params["sub"])

    def _take_notification(self, message):
        check(set(message) == {"jsonrpc", "method", "params"} and message["jsonrpc"] == "2.0", message)
        method, params = message["method"], message["params"]
        if method == "$/heartbeat":
            check(set(params) == {"tx"} and params["tx"] >= max(self.heartbeats, default=0), params, self.heartbeats)
            if params["tx"] > max(self.heartbeats, default=0):  # a repeated one does not concern later subscriptions
                for subscription in self.subscriptions.values():
                    subscription.take_heartbeat(params["tx"])
            self.heartbeats.append(params["tx"])
            return
        check(params["sub"] not in self._left, message, "came after unsubscribing")
        check(params["sub"] in self.subscriptions, message, "came before the answer to subscribe")
        self.subscriptions[params["sub"]].take(method, params)

    def until(self, is_reached, what="it", seconds=PATIENCE):
        """Reads until `is_reached()`."""
        deadline = time.monotonic() + seconds
        while not is_reached():
            left = deadline - time.monotonic()
            check(left > 0 and self.read(left), what, "did not come;", {s: (len(v.events), v.caught_up, v.lagged, v.ended)
                                                                      for s, v in list(self.subscriptions.items())[:5]})

    def until_tx(self, subscription, tx):
        self.until(lambda: subscription.tx >= tx, f"transaction {tx}")

    def until_caught_up(self, *subscriptions):
        self.until(lambda: all(s.is_caught_up for s in subscriptions), "$/caught_up")

    def until_closed(self):
        """Reads to the end; the code the server closed with."""
        try:
            while self.read():
                pass
        except Closed as closed:
            return closed.code
        raise AssertionError("the server did not close")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
