"""Small records for tests."""
import json

TIME = "2025-10-09T16:15:00Z"


def unit(name, **more):
    return {"$type$": "ContextUnit", "id": f"cu_{name}", "type": "User", "source": "s", "timestamp": TIME, "version": 1, **more}


def nameless(number):
    """A unit without id: the server assigns one."""
    return {"$type$": "ContextUnit", "type": "User", "source": f"s{number}", "timestamp": TIME, "version": 1}


def response(name, **weights):
    """`response("1", a=0.5, b=0.5)` uses cu_a and cu_b."""
    return {"$type$": "Response", "id": f"resp_{name}", "timestamp": TIME, "agent": "agent", "model": "model",
            "context_units": [{"context_unit_id": f"cu_{u}", "weight": w} for u, w in weights.items()]}


def feedback(name, of, score):
    return {"$type$": "FeedbackRecord", "id": f"fb_{name}", "response_id": f"resp_{of}", "timestamp": TIME, "score": score}


def lines(*items):
    """NDJSON."""
    return "".join(json.dumps(item) + "\n" for item in items)
