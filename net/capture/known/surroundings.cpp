// One pass over the tree of a trace, what is around first, gives each span the conversation, person and agent of the
// nearest around it that says them, and whether anything around it is new. It is made at the first question of a trace
// and kept.

#include "net/capture/known/surroundings.hpp"

#include <algorithm>
#include <tuple>

namespace whence::net::capture {

Around const& Surroundings::of(std::string const& trace) const {
  if (auto const known = around_.find(trace); known != around_.end()) return known->second;
  auto const& state = all_.states.at(trace);
  auto& around = around_.emplace(trace, state).first->second;
  auto const or_else = [](std::string_view own, std::string_view outer) { return own.empty() ? outer : own; };
  auto const& nodes = around.tree.nodes();
  around.of.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto const& node = nodes[i];
    Around::Of of = node.parent == SpanTree::none ? Around::Of{} : around.of[node.parent];
    SpanName const name{trace, std::string(node.span)};
    of.is_new = of.is_new || all_.fresh.contains(name);
    if (node.facts != nullptr) {
      of.conversation = or_else(node.facts->own.conversation, of.conversation);
      of.person = or_else(node.facts->own.person, of.person);
      of.agent = or_else(node.facts->agent, of.agent);
    }
    around.of.push_back(of);
    if (node.facts == nullptr || node.facts->kind != Kind::call || outer_.is_outer(name)) continue;
    around.calls.push_back(i);
    auto const& hash = answers_.hash_of(trace, name.span, *node.facts);
    if (!hash.empty()) around.by_answer[hash].emplace_back(Place{node.facts->start, name}, i);
  }
  for (auto& [hash, calls] : around.by_answer) std::ranges::sort(calls);
  for (auto const& [id, facts] : state.logs) {
    if (facts.message) around.said[facts.span].push_back(&facts);
  }
  return around;
}

Belonging Surroundings::belonging_of(SpanFacts const& call, SpanName const& name) const {
  auto const& around = of(name.trace);
  auto const& of = around.of[around.tree.find(name.span)];
  return {of.conversation.empty() ? call.at_resource.conversation : std::string(of.conversation),
          of.person.empty() ? call.at_resource.person : std::string(of.person)};
}

std::string Surroundings::agent_of(SpanName const& name, SpanFacts const& call) const {
  auto const& around = of(name.trace);
  auto const agent = around.of[around.tree.find(name.span)].agent;
  return agent.empty() ? call.service : std::string(agent);
}

bool Surroundings::is_new(SpanName const& name) const {
  auto const& around = of(name.trace);
  return all_.touched.contains(name) || around.of[around.tree.find(name.span)].is_new;
}

MovedSources const& Surroundings::moved_sources(std::string const& trace) const {
  auto const [at, is_new] = moved_.try_emplace(trace);
  if (!is_new) return at->second;
  auto& moved = at->second;
  auto const& around = of(trace);
  for (std::size_t i = 0; i < around.of.size(); ++i) {
    auto const& node = around.tree.nodes()[i];
    bool const is_source =
        node.facts != nullptr && (node.facts->kind == Kind::retrieval || node.facts->kind == Kind::tool);
    if (!is_source || !around.of[i].is_new) continue;
    moved.spans.emplace(node.span);
    if (!node.facts->call_id.empty()) moved.calls.insert(node.facts->call_id);
    moved.first_end = std::min(moved.first_end.value_or(node.facts->end), node.facts->end);
  }
  return moved;
}

Said Surroundings::said_of(SpanName const& name, SpanFacts const& call) const {
  auto const& around = of(name.trace);
  auto const own = around.said.find(name.span);
  auto said = own == around.said.end() ? std::vector<LogFacts const*>{} : own->second;
  std::ranges::sort(said, {}, [](LogFacts const* each) {
    return std::tuple{each->time, each->place, each->message->role != "system", each->id};
  });
  Said result;
  if (!said.empty() && !call.instructions.empty())
    result.input.push_back({.role = "system", .text = call.instructions});
  for (auto const* const each : said) {
    auto& to = each->is_output ? result.output : result.input;
    bool const is_known =
        !each->is_output && each->message->role == "system" && each->message->text == call.instructions;
    if (!is_known) to.push_back(*each->message);
  }
  return result;
}

}  // namespace whence::net::capture
