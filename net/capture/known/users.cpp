// What is new is looked for by the names that link it to others: ids of calls, ids of responses, links, and the units
// that would have the text of an answer. Each name is a node of the graph, so that only traces that have it are read.

#include "net/capture/known/users.hpp"

#include "net/capture/known/known_records.hpp"
#include "net/capture/messages/comparable.hpp"
#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/prov_records.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whence::net::capture {

using schema::RecordType;

namespace {

/// The calls whose log records have the result of the call `id`, of the trace of one of these records.
Result<void> touch_told(Traces& all, schema::VertexId log, std::string const& id) {
  auto const causes = all.snapshot.causes(log);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    std::string const trace{trace_of_ref(all.snapshot.id(causes.vertices[i]))};
    if (trace.empty()) continue;
    auto const state = all.state_of(trace);
    if (!state) return state.error();
    for (auto const& [own, facts] : (*state)->logs) {
      bool const has_result = facts.message && facts.message->results.size() == 1;
      if (has_result && facts.message->results.front().id == id) all.touched.insert({trace, facts.span});
    }
  }
  return {};
}

/// The calls that were given one of these units.
Result<void> touch_given(Traces& all, std::vector<std::string> const& units) {
  for (auto const& unit : units) {
    auto const vertex = all.snapshot.find(RecordType::context_unit, unit);
    if (!vertex) continue;
    if (auto touched = touch_users(all, *vertex); !touched) return touched;
  }
  return {};
}

/// The conversation that a span is part of, as it is known before the surroundings of all spans are.
std::string conversation_of(Traces const& all, SpanName name) {
  constexpr std::size_t around_max = 256;
  auto const* const own = all.find(name);
  auto const* at = own;
  for (std::size_t i = 0; at != nullptr && i < around_max; ++i) {
    if (!at->own.conversation.empty()) return at->own.conversation;
    name.span = at->parent;
    at = all.find(name);
  }
  return own->at_resource.conversation;
}

Nanos start_of(schema::Response const& response) {
  return nanos_of_time(response.timestamp) - static_cast<Nanos>(response.latency_ms.value_or(0) * 1e6);
}

/// The calls of a conversation that began after `call` and have an answer equal to its own.
Result<void> touch_users_of_equal(Traces& all, SpanName const& call, std::string const& answer) {
  auto const conversation = belonging_text(conversation_of(all, call));
  auto const hash = answer_hash(all.key, answer);
  if (conversation.empty() || hash.empty()) return {};
  auto const ref = named_answer_ref(hash);
  auto const vertex = all.snapshot.find(ref.type, ref.id);
  auto const around = vertex ? all.snapshot.relations_to(*vertex) : graph::Neighbours{};
  auto const start = all.find(call)->start;
  std::set<SpanName> asked;
  auto const is_there = [&](SpanName const& name, Nanos after) -> Result<bool> {
    auto const response = read_response(all, *record_ref(name, Kind::call));
    if (!response) return response.error();
    return *response && (*response)->conversation == conversation && start_of(**response) > after;
  };
  for (std::size_t i = around.size(); i > 0 && around.size() - i < users_max; --i) {
    auto const other = span_of_ref(all.snapshot.id(around.vertices[i - 1]));
    if (!other || all.fresh.contains(*other)) continue;
    auto const is_of_conversation = is_there(*other, 0);
    if (!is_of_conversation) return is_of_conversation.error();
    auto const own = record_ref(*other, Kind::call);
    auto const given = *is_of_conversation ? all.snapshot.find(own->type, own->id) : std::nullopt;
    auto const effects = given ? all.snapshot.effects(*given) : graph::Neighbours{};
    for (std::size_t j = 0; j < std::min(effects.size(), users_max); ++j) {
      auto const user = call_of_response(all.snapshot.id(effects.vertices[j]));
      auto const is_after = user && asked.insert(*user).second ? is_there(*user, start) : Result<bool>{false};
      if (!is_after) return is_after.error();
      if (!*is_after) continue;
      for (auto const* const trace : {&other->trace, &user->trace}) {
        if (auto const state = all.state_of(*trace); !state) return state.error();
      }
      all.touched.insert(*user);
    }
  }
  return {};
}

}  // namespace

Result<void> touch_users(Traces& all, schema::VertexId unit) {
  auto const effects = all.snapshot.effects(unit);
  for (std::size_t i = 0; i < std::min(effects.size(), users_max); ++i) {
    auto const user = call_of_response(all.snapshot.id(effects.vertices[i]));
    if (!user) continue;
    if (auto const state = all.state_of(user->trace); !state) return state.error();
    all.touched.insert(*user);
  }
  return {};
}

Result<void> touch_next(Traces& all, std::string const& response_id) {
  auto const ref = named_response_ref(all.key, response_id);
  auto const vertex = all.snapshot.find(ref.type, ref.id);
  if (!vertex) return {};
  auto const effects = all.snapshot.effects(*vertex);
  for (std::size_t i = 0; i < std::min(effects.size(), users_max); ++i) {
    auto const next = span_of_ref(all.snapshot.id(effects.vertices[i]));
    if (!next) continue;
    if (auto const state = all.state_of(next->trace); !state) return state.error();
    all.touched.insert(*next);
  }
  return {};
}

Result<void> find_users(Traces& all) {
  auto const touch = [&](SpanName const& name) -> Result<void> {
    if (auto const state = all.state_of(name.trace); !state) return state.error();
    all.touched.insert(name);
    return {};
  };
  auto const fresh = all.fresh;
  for (auto const& [name, span] : fresh) {
    auto ids = named_calls_of(*all.find(name));
    for (auto const& id : given_ids(*all.find(name))) {
      if (auto done = touch_next(all, id); !done) return done;
    }
    if (span->kind == Kind::call) {  // who has the results has the message that asked for them
      auto const asked = comparable(span->answer).calls;
      ids.insert(ids.end(), asked.begin(), asked.end());
    }
    for (auto const& id : ids) {
      auto const ref = named_call_ref(all.key, id);
      auto const vertex = all.snapshot.find(ref.type, ref.id);
      if (!vertex) continue;
      auto const around = all.snapshot.relations_to(*vertex);
      for (std::size_t i = 0; i < std::min(around.size(), users_max); ++i) {
        if (is_log_ref(all.snapshot.id(around.vertices[i]))) {
          if (auto done = touch_told(all, around.vertices[i], id); !done) return done;
        }
        auto const other = span_of_ref(all.snapshot.id(around.vertices[i]));
        if (!other) continue;
        if (auto done = touch(*other); !done) return done;
      }
    }
    if (span->kind != Kind::call || span->answer.empty()) continue;
    if (auto done = touch_users_of_equal(all, name, span->answer); !done) return done;
    auto const persons = all.persons_in(name.trace);
    auto units = answer_units(all.key, span->answer, persons);
    for (auto const& call_id : all.calls_around(name)) {  // whose result the answer may be
      for (auto const* const role : {"tool", "user", "function"})
        units.push_back(unit_of(all.key, result_message(role, call_id, span->answer), 0).id);
    }
    if (auto done = touch_given(all, units); !done) return done;
  }
  for (auto const& name : std::set(all.answered)) {
    for (auto const& [id, facts] : all.states.at(name.trace).logs) {
      if (!facts.is_output || facts.span != name.span) continue;
      auto const text = facts.message->text;
      if (auto done = touch_given(all, answer_units(all.key, text, all.persons_in(name.trace))); !done) return done;
    }
  }
  return {};
}

Result<void> touch_linkers(Traces& all, SpanName const& name) {
  auto const ref = span_ref(name);
  auto const vertex = all.snapshot.find(ref.type, ref.id);
  if (!vertex) return {};
  auto const around = all.snapshot.relations_to(*vertex);
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (all.snapshot.type(around.edges[i]) != schema::EdgeType::prov_alternate_of) continue;
    auto const linker = span_of_ref(all.snapshot.id(around.vertices[i]));
    if (!linker) continue;
    if (auto const state = all.state_of(linker->trace); !state) return state.error();
    all.touched.insert(*linker);
  }
  return {};
}

Result<void> find_linkers(Traces& all) {
  for (auto const& [name, span] : all.fresh) {
    if (auto touched = touch_linkers(all, name); !touched) return touched;
  }
  for (auto const& [name, span] : all.fresh) {  // and what the new ones link
    for (auto const& link : span->links) {
      if (auto const state = all.state_of(link.trace); !state) return state.error();
    }
  }
  for (auto const& name : all.touched) {
    auto const* const facts = all.find(name);
    if (facts == nullptr) continue;
    auto const earlier = earlier_ids(*facts);
    auto const links = facts->links;
    for (auto const& id : earlier) {
      if (auto const response = all.named_response(id); !response) return response.error();
    }
    for (auto const& link : links) {
      if (auto const state = all.state_of(link.trace); !state) return state.error();
    }
  }
  return {};
}

}  // namespace whence::net::capture
