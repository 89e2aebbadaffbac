// A call may rest on one that began before it. Where a trace has several clocks it may also rest on one that began
// later by them, unless that closes a circle: known and new causes are walked, and a walk that would take too long
// counts as a circle.

#include "net/capture/causes/answer_order.hpp"

#include "graph/snapshot/snapshot.hpp"
#include "net/capture/causes/call_causes.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/types/ref.hpp"

#include <utility>
#include <variant>

namespace whence::net::capture {

namespace {

std::string response_ref(SpanName const& name) {
  return schema::format_ref(*record_ref(name, Kind::call));
}

}  // namespace

bool AnswerOrder::may_precede(SpanName const& answered, SpanName const& asked) {
  auto const* const before = all_.find(answered);
  auto const* const after = all_.find(asked);
  bool const is_before = Place{before->start, answered} < Place{after->start, asked};
  auto const& around = around_.of(asked.trace);
  if (!around.clocks.are_several()) return is_before;
  if (!is_before && !around.clocks.may_precede(around.tree.find(answered.span), around.tree.find(asked.span)))
    return false;
  if (is_before && !is_crossed(asked.trace)) return true;
  if (rests_on(answered, asked)) return false;
  if (!is_before) crossed_[asked.trace] = true;
  return true;
}

bool AnswerOrder::is_crossed(std::string const& trace) {
  auto const [at, is_new] = crossed_.try_emplace(trace, false);
  if (!is_new) return at->second;
  std::size_t looked_at = 0;
  for (auto const& [span, facts] : all_.states.at(trace).spans) {
    if (facts.kind != Kind::call) continue;
    SpanName const name{trace, span};
    auto const ref = *record_ref(name, Kind::call);
    auto const vertex = all_.snapshot.find(ref.type, ref.id);
    auto const causes = vertex ? all_.snapshot.causes(*vertex) : graph::Neighbours{};
    looked_at += causes.size();
    at->second = at->second || looked_at > steps_max;
    for (std::size_t i = 0; i < causes.size() && !at->second; ++i) {
      auto const other = call_of_response(all_.snapshot.id(causes.vertices[i]));
      auto const* const before = other && other->trace == trace ? all_.find(*other) : nullptr;
      at->second = before != nullptr && Place{before->start, *other} >= Place{facts.start, name};
    }
  }
  return at->second;
}

bool AnswerOrder::rests_on(SpanName const& answered, SpanName const& asked) {
  note_written();
  auto const sought = response_ref(answered);
  std::set<std::string> seen;
  std::vector<std::string> open{response_ref(asked)};
  auto const reach = [&](std::string ref) {
    if (seen.insert(ref).second) open.push_back(std::move(ref));
  };
  while (!open.empty()) {
    auto const ref = std::move(open.back());
    open.pop_back();
    if (++steps_ > steps_max || ref == sought) return true;
    if (auto const written = on_.find(ref); written != on_.end()) {
      for (auto const& each : written->second) reach(each);
    }
    auto const node = *schema::parse_ref(ref);
    auto const vertex = all_.snapshot.find(node.type, node.id);
    auto const effects = vertex ? all_.snapshot.effects(*vertex) : graph::Neighbours{};
    steps_ += effects.size();
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (all_.snapshot.type(effects.vertices[i]) != schema::RecordType::response) continue;
      reach(schema::format_ref(schema::RecordType::response, std::string(all_.snapshot.id(effects.vertices[i]))));
    }
  }
  return false;
}

void AnswerOrder::note_written() {
  for (; written_ < all_.out.records.size(); ++written_) {
    auto const* const response = std::get_if<schema::Response>(&all_.out.records[written_].record);
    if (response == nullptr) continue;
    auto const own = schema::format_ref(schema::RecordType::response, response->id);
    for (auto const& [cause, basis] : known_causes(*response)) {
      if (schema::parse_ref(cause)->type == schema::RecordType::response) on_[cause].insert(own);
    }
  }
}

}  // namespace whence::net::capture
