"""Tests whose examples each have a trace of their own on one server."""
from support.otlp import span
from support.wire_case import FreshServerCase

START = 1_790_000_000_000_000_000


def number(n):
    """The id of the span `n` of a trace."""
    return f"{n + 1:016x}"


class TraceCase(FreshServerCase):
    UNIT, END = 1_000_000, 5  # times of spans are in so many nanoseconds; where a span ends that does not say
    trace = 0

    def setUp(self):
        super().setUp()
        self.next_trace()

    def next_trace(self):
        type(self).trace += 1
        self.t = f"{self.trace + 1:032x}"

    def one(self, n, attributes, begin=0, end=None, parent=None, events=(), name="s"):
        """The span `n` of this trace. Events are (time after START, name, attributes)."""
        return span(self.t, number(n), name, START + begin * self.UNIT, START + (self.END if end is None else end) * self.UNIT, attributes,
                    None if parent is None else number(parent), [(START + at * self.UNIT, event, held) for at, event, held in events])
