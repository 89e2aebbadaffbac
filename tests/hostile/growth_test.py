"""Claim: what a trace costs grows with its size, whatever its shape: four times the spans cost about four times, and no more than n log n.

Method: a trace of each shape, in one request, small and four times as large, each to a fresh server; the time of the processor that the
server used for it is compared, of the best of some tries, so that neighbours of the machine do not count. Both sizes are large enough
that the fixed costs are little.
"""
import os
import tempfile
import unittest

from attack import Server
from support.otlp import send, span

SMALL = int(os.environ.get("WHENCE_HOSTILE_SPANS", "500"))
TIMES = 4
TIMES_MAX = 7  # of four times the size: what is n log n, and the noise; a square is 16
TRIES = 3
TRACE = "0af7651916cd43dd8448eb211c80319c"
T = 1_760_000_000_000_000_000
MS = 1_000_000


def made(number, start, end, parent, **attributes):
    return span(TRACE, f"{number + 1:016x}", "s", T + start * MS, T + end * MS, {k.replace("__", "."): v for k, v in attributes.items()},
                parent=None if parent is None else f"{parent + 1:016x}")


def chat(number, start, end, parent, prompt, answer):
    return made(number, start, end, parent, gen_ai__operation__name="chat", gen_ai__input__messages=prompt, gen_ai__output__messages=answer)


def text(role, words):
    return f'{{"role":"{role}","parts":[{{"type":"text","content":"{words}"}}]}}'


def nested(count):
    return [chat(i, i, 4 * count - i, i - 1 if i else None, f'[{text("user", f"What of {i}?")}]', f'[{text("assistant", f"Answer {i} of all.")}]')
            for i in range(count)]


def nested_same(count):
    return [chat(i, i, 4 * count - i, i - 1 if i else None, f'[{text("user", "What?")}]', f'[{text("assistant", "The same answer.")}]')
            for i in range(count)]


def siblings(count):
    """Each is told the answer of the one before."""
    return [made(0, 0, 4 * count, None, gen_ai__operation__name="invoke_agent")] + [
        chat(i, 2 * i, 2 * i + 1, 0, f'[{text("assistant", f"Answer {i - 1} of all.")},{text("user", "And now?")}]',
             f'[{text("assistant", f"Answer {i} of all.")}]') for i in range(1, count)]


def same_siblings(count):
    return [made(0, 0, 4 * count, None, gen_ai__operation__name="invoke_agent")] + [
        chat(i, 2 * i, 2 * i + 1, 0, f'[{text("assistant", "The same answer.")},{text("user", "And now?")}]',
             f'[{text("assistant", "The same answer.")}]') for i in range(1, count)]


def tools_and_calls(count):
    """Each call has the result of the tool before it; all results begin alike."""
    spans = [made(0, 0, 4 * count, None, gen_ai__operation__name="invoke_agent")]
    for i in range(1, count, 2):
        spans.append(made(i, 2 * i, 2 * i + 1, 0, gen_ai__operation__name="execute_tool", gen_ai__tool__name="look",
                          gen_ai__tool__call__id=f"call_{i}", gen_ai__tool__call__result=f"Result of step {i} is here"))
        asked = (f'[{text("user", "Go on.")},{{"role":"tool","parts":[{{"type":"tool_call_response","id":"call_{i}",'
                 f'"response":"Result of step {i} is here"}}]}}]')
        spans.append(chat(i + 1, 2 * i + 2, 2 * i + 3, 0, asked, f'[{text("assistant", f"Step {i} is done.")}]'))
    return spans


def same_results(count):
    """Half of them tools that all gave the same, which end before the other half, calls whose prompts have it."""
    spans = [made(0, 0, 8 * count, None, gen_ai__operation__name="invoke_agent")]
    half = count // 2
    for i in range(1, half):
        spans.append(made(i, 2 * i, 2 * i + 1, 0, gen_ai__operation__name="execute_tool", gen_ai__tool__name="look",
                          gen_ai__tool__call__id="call", gen_ai__tool__call__result="The same result."))
    asked = '[{"role":"tool","parts":[{"type":"tool_call_response","id":"call","response":"The same result."}]}]'
    return spans + [chat(i, 4 * i, 4 * i + 1, 0, asked, f'[{text("assistant", f"Told {i}.")}]') for i in range(half, count)]


def retrievals(count):
    """Half of them retrievals, which end before the other half, calls without a prompt, begin."""
    spans = [made(0, 0, 8 * count, None, gen_ai__operation__name="invoke_agent")]
    half = count // 2
    for i in range(1, half):
        spans.append(made(i, 2 * i, 2 * i + 1, 0, openinference__span__kind="RETRIEVER", input__value=f"query {i}",
                          retrieval__documents__0__document__content=f"Passage {i} of the book is long enough",
                          retrieval__documents__0__document__id=f"doc_{i}"))
    for i in range(half, count):
        spans.append(chat(i, 4 * i, 4 * i + 1, 0, f'[{text("user", f"Passage {i - half + 1} of the book is long enough")}]',
                          f'[{text("assistant", f"Told {i}.")}]'))
    return spans


def ends_of_mcp(count):
    """Calls of tools with both ends of MCP within each, of which the inner one alone says the result."""
    spans = [made(0, 0, 8 * count, None, gen_ai__operation__name="invoke_agent")]
    for i in range(1, count - 2, 3):
        spans += [made(i + n, 4 * i + n, 4 * i + 9 - n, i + n - 1 if n else 0, gen_ai__operation__name="execute_tool", gen_ai__tool__name="look",
                       **({"mcp__method__name": "tools/call"} if n else {"gen_ai__tool__call__id": f"call_{i}"}),
                       **({"gen_ai__tool__call__result": f"Result of step {i} is here"} if n == 2 else {})) for n in range(3)]
    return spans


def two_clocks(count):
    """Each is told the answer of the one before, of another machine."""
    return [{**each, "resource": {"host.name": "ab"[i % 2]}} for i, each in enumerate(siblings(count))]


def shared_passages(count):
    """Tools, each with a retrieval within it that found the passage of its result."""
    spans = [made(0, 0, 8 * count, None, gen_ai__operation__name="invoke_agent")]
    for i in range(1, count - 1, 2):
        words = f"Passage {i} of the book is long enough"
        spans += [made(i, 4 * i, 4 * i + 3, 0, gen_ai__operation__name="execute_tool", gen_ai__tool__name="find",
                       gen_ai__tool__call__result=f'[{{"content":"{words}","source":"book_{i}.md"}}]'),
                  made(i + 1, 4 * i + 1, 4 * i + 2, i, gen_ai__operation__name="retrieval", gen_ai__retrieval__query__text="What is it?",
                       gen_ai__retrieval__documents=f'[{{"content":"{words}","id":"d{i}"}}]')]
    return spans


def pieces_of_choices(count):
    """Two pieces of an answer that has so many choices."""
    piece = '{"choices":[' + ",".join(f'{{"index":{i},"delta":{{"content":"a"}}}}' for i in range(16 * count)) + "]}"
    return [made(0, 0, 1, None, gen_ai__operation__name="chat", gen_ai__completion=f"[{piece},{piece}]")]


def lists_in_lists(count):
    """The same items, in so many more lists around them: each is looked at once a level."""
    prompt = '{"a":1}'
    prompt = "[" + ",".join([prompt] * 10 * SMALL) + "]"
    levels = 2 if count == SMALL else 7  # what is deeper is one part
    return [made(0, 0, 1, None, gen_ai__operation__name="chat", gen_ai__input__messages="[" * levels + prompt + "]" * levels)]


def calls_below_a_chain(count):
    """Half of them one within the other in a call, none of them anything of ours; the other half calls in the innermost."""
    half = count // 2
    spans = [chat(0, 0, 8 * count, None, f'[{text("user", "What?")}]', f'[{text("assistant", "All of it.")}]')]
    spans += [made(i, i, 8 * count - i, i - 1, step=str(i)) for i in range(1, half)]
    return spans + [chat(i, 2 * i, 2 * i + 1, half - 1, f'[{text("user", f"What of {i}?")}]', f'[{text("assistant", f"Answer {i} of all.")}]')
                    for i in range(half, count)]


def outputs_of_a_tool(count):
    """One tool that says what it gave in so many events, which begin alike."""
    tool = made(0, 0, 8 * count, None, gen_ai__operation__name="execute_tool", gen_ai__tool__name="look")
    return [{**tool, "events": [(T + i, "tool.output", {"output": "A line of what it found. " * 8 + str(i)}) for i in range(8 * count)]}]


def used(server):
    """Seconds of the processor that its threads have used."""
    with open(f"/proc/{server.process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cost(spans):
    with tempfile.TemporaryDirectory() as folder, Server(folder + "/db") as server:
        before = used(server)
        for status, _, body in send(server, spans):
            assert (status, body) == (200, b"{}"), body[:200]
        return used(server) - before


class GrowthTest(unittest.TestCase):
    def check(self, shape):
        for attempt in range(TRIES):
            small = min(cost(shape(SMALL)) for _ in range(1 + attempt))
            large = min(cost(shape(TIMES * SMALL)) for _ in range(1 + attempt))
            print(f"{shape.__name__}: {SMALL} spans {small:.2f} s, {TIMES * SMALL} spans {large:.2f} s, {large / max(small, 0.01):.1f} times")
            if large <= TIMES_MAX * max(small, 0.05):
                return
        self.fail(f"{shape.__name__}: {large / small:.1f} times")

    def test_nested(self):
        self.check(nested)

    def test_nested_with_one_answer(self):
        self.check(nested_same)

    def test_siblings(self):
        self.check(siblings)

    def test_siblings_with_one_answer(self):
        self.check(same_siblings)

    def test_ends_of_mcp(self):
        self.check(ends_of_mcp)

    def test_two_clocks(self):
        self.check(two_clocks)

    def test_shared_passages(self):
        self.check(shared_passages)

    def test_tools_and_calls(self):
        self.check(tools_and_calls)

    def test_tools_with_one_result(self):
        self.check(same_results)

    def test_retrievals(self):
        self.check(retrievals)

    def test_lists_in_lists(self):
        self.check(lists_in_lists)

    def test_calls_below_a_chain(self):
        self.check(calls_below_a_chain)

    def test_outputs_of_a_tool(self):
        self.check(outputs_of_a_tool)

    def test_pieces_of_choices(self):
        self.check(pieces_of_choices)


if __name__ == "__main__":
    unittest.main()
