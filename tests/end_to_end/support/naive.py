"""A naive reference model: the rules of context records implemented a second time, over dictionaries, as simply as possible.

It shares no code with the engine. Every answer walks all edges; weights of paths are computed by dynamic programming over
a topological order. For small and medium data only.
"""
from collections import defaultdict

from support.naive_xml import Extracted, hash_of

IMPACT_TYPES = {"Response", "Answer", "XMLMessageAttachment", "Keyword", "Subject", "Summary"}


class World:
    """The graph made by a sequence of accepted batches."""

    def __init__(self, deprecate_below=-0.5):
        self.deprecate_below = deprecate_below
        self.records = {}                    # ref -> record as written
        self.effects = defaultdict(dict)     # cause -> {effect: path weight}
        self.causes = defaultdict(dict)      # effect -> {cause: path weight}
        self.carried = {}                    # (cause, effect) -> the weight that the edge carries, of those that carry one
        self.feedback = defaultdict(list)    # response ref -> feedback records in order of writing
        self.scores = {}                     # unit ref -> [score, count, status]
        self.extracted = Extracted()         # from the attachments

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, records):
        new = [r for r in records if self.ref(r) not in self.records]
        for record in new:
            self.records[self.ref(record)] = record
            if record["$type$"] == "ContextUnit":
                self.scores[self.ref(record)] = [0.0, 0, "active"]
        for record in new:
            self._link(record)
        for record in new:
            if record["$type$"] == "FeedbackRecord":
                self._rate(record)

    @staticmethod
    def ref(record):
        if record["$type$"] == "XMLMessageAttachment":
            return "XMLMessageAttachment:" + hash_of(record)
        return f"{record['$type$']}:{record['id']}"

    def _attach(self, record):
        """The edges of an attachment and of the records extracted from it."""
        me, known = self.ref(record), len(self.extracted.edges)
        if record.get("responseId"):
            response = "Response:" + record["responseId"]
            self._edge(*((me, response) if record["format"] == "llm-query" else (response, me)))
        self.extracted.write(record)
        for ref, _, _ in self.extracted.edges[known:]:
            self._edge(me, ref)
            self.records.setdefault(ref, None)
            if ref.startswith("Summary:"):
                before = self.extracted.summaries[ref].get("previousVersion")
                if before:
                    self._edge("Summary:" + before, ref)

    def _edge(self, cause, effect, weight=None):
        if weight is not None:
            self.carried[cause, effect] = weight
        self.effects[cause][effect] = self.causes[effect][cause] = 1.0 if weight is None else weight

    def _link(self, record):
        me = self.ref(record)
        if record["$type$"] == "Response":
            for use in record["context_units"]:
                self._edge("ContextUnit:" + use["context_unit_id"], me, use["weight"])
        elif record["$type$"] == "XMLMessageAttachment":
            self._attach(record)
        elif record["$type$"] == "ContextUnit":
            if record.get("previous_version_id"):
                previous = "ContextUnit:" + record["previous_version_id"]
                self._edge(previous, me)
                if self.scores[previous][2] == "active":
                    self.scores[previous][2] = "updated"
            for source in record.get("derived_from") or []:
                self._edge("ContextUnit:" + source, me)
            if record.get("updated_by_response_id"):
                self._edge("Response:" + record["updated_by_response_id"], me)

    def _rate(self, record):
        response = "Response:" + record["response_id"]
        self.feedback[response].append(record)
        for use in self.records[response]["context_units"]:
            state = self.scores["ContextUnit:" + use["context_unit_id"]]
            old, count, _ = state
            state[0] = (old * count + record["score"] * use["weight"]) / (count + 1)
            state[1] = count + 1
            if state[0] < self.deprecate_below:
                state[2] = "deprecated"

    # -- reading ------------------------------------------------------------------------------------------------

    def _walk(self, start, neighbours, depth=None):
        """{ref: least depth} of everything reached, the start left out."""
        depths, layer, at = {start: 0}, [start], 0
        while layer and (depth is None or at < depth):
            at += 1
            layer = [n for v in layer for n in neighbours[v] if depths.setdefault(n, at) == at]
            layer = list(dict.fromkeys(layer))
        del depths[start]
        return depths

    def _order(self, start, neighbours):
        """The reached part in topological order, the start first."""
        done, order, stack = set(), [], [(start, iter(neighbours[start]))]
        done.add(start)
        while stack:
            vertex, rest = stack[-1]
            for following in rest:
                if following not in done:
                    done.add(following)
                    stack.append((following, iter(neighbours[following])))
                    break
            else:
                order.append(vertex)
                stack.pop()
        return order[::-1]

    def _fold(self, start, neighbours, join):
        value = {start: 1.0}
        for vertex in self._order(start, neighbours):
            for following, weight in neighbours[vertex].items():
                step = value[vertex] * weight
                value[following] = join(value[following], step) if following in value else step
        del value[start]
        return value

    def _lineage(self, ref, neighbours):
        depths, weights = self._walk(ref, neighbours), self._fold(ref, neighbours, max)
        return [(d, weights[n], n) for n, d in sorted(depths.items(), key=lambda i: (i[1], -weights[i[0]], i[0]))]

    def ancestors(self, ref):
        return self._lineage(ref, self.causes)

    def descendants(self, ref):
        return self._lineage(ref, self.effects)

    def _edge_type(self, cause, effect):
        """Equal for the causes of one effect whose edges have one type."""
        kind = effect.split(":")[0]
        if kind == "Response":
            return "USED_IN" if (cause, effect) in self.carried else "PROMPTED"
        return "INCLUDED_IN" if kind == "PromptContext" else cause.split(":")[0]

    def _part(self, cause, effect):
        """The share of a cause among all causes of an effect."""
        types = defaultdict(list)
        for other in self.causes[effect]:
            types[self._edge_type(other, effect)].append(other)
        alike = types[self._edge_type(cause, effect)]
        equal = 1 / len(types) / len(alike)
        carried = [self.carried[other, effect] for other in alike if (other, effect) in self.carried]
        if (cause, effect) not in self.carried or sum(carried) == 0:
            return equal
        return equal * len(carried) * self.carried[cause, effect] / sum(carried)

    def _shares(self, start, neighbours, is_upward):
        """{reached ref: sum over all paths of the products of shares}."""
        value = defaultdict(float, {start: 1.0})
        for vertex in self._order(start, neighbours):
            for following in neighbours[vertex]:
                cause, effect = (following, vertex) if is_upward else (vertex, following)
                value[following] += value[vertex] * self._part(cause, effect)
        del value[start]
        return value

    def influence(self, ref):
        """{ancestor: its share}."""
        return self._shares(ref, self.causes, True)

    def impact(self, ref):
        """({affected ref: share of `ref` in it}, counts by type, counts by depth)."""
        depths = self._walk(ref, self.effects)
        shares = self._shares(ref, self.effects, False)
        affected = {n: shares[n] for n in depths if n.split(":")[0] in IMPACT_TYPES}
        by_type, by_depth = defaultdict(int), defaultdict(int)
        for n in affected:
            by_type[n.split(":")[0]] += 1
            by_depth[str(depths[n])] += 1
        return affected, dict(by_type), dict(by_depth)

    def mean_score(self, response):
        scores = [f["score"] for f in self.feedback[response]]
        return sum(scores) / len(scores) if scores else None

    def blame(self, bad, rated):
        """{unit: (mean share in the bad responses, how many of them rest on it, how many of the rated ones)}."""
        total, count, all_of = defaultdict(float), defaultdict(int), defaultdict(int)
        for response in rated:
            for ancestor, share in self.influence(response).items():
                if ancestor.startswith("ContextUnit:") and share > 0:
                    all_of[ancestor] += 1
                    if response in bad:
                        total[ancestor] += share / len(bad)
                        count[ancestor] += 1
        return {unit: (total[unit], count[unit], all_of[unit]) for unit in all_of}

    def manifest(self, response):
        record = self.records[response]
        uses = sorted(record["context_units"], key=lambda u: (-u["weight"], u["context_unit_id"].encode()))
        units = [self.records["ContextUnit:" + u["context_unit_id"]] for u in uses]
        return {
            "response_id": record["id"], "timestamp": record["timestamp"], "agent": record["agent"],
            "model": record["model"], "token_count": record.get("token_count"),
            "context_tree": [{"id": unit["id"], "type": unit["type"], "source": unit["source"], "weight": use["weight"],
                              "embedding_id": unit.get("embedding_id"), "summary": unit.get("summary")}
                             for use, unit in zip(uses, units)],
            "provenance_tree": {"root": record["id"],
                                "edges": [{"from": use["context_unit_id"], "to": record["id"], "weight": use["weight"]}
                                          for use in uses]},
        }
