// Summaries and templates have their numbers in their ids: their line are all that have them, past deleted ones too,
// and past those that a copy lacks. A unit names the one before it, so its line is followed over edges.

#include "queries/history/chain.hpp"

#include "graph/snapshot/version_line.hpp"
#include "schema/records/records.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace whence::queries {
namespace {

using graph::Snapshot;
using graph::VertexId;

std::string id_of(schema::Summary const& summary, std::int64_t version) {
  return schema::summary_id(summary.topic, version);
}

std::string id_of(schema::SystemPromptTemplate const& prompt, std::int64_t version) {
  return schema::join_key({prompt.model_id, std::to_string(version)});
}

/// The number in an id of the line of `member`; 0 where it is of another.
template <class T>
std::int64_t number_in(T const& member, std::string_view id) {
  auto const stem = id_of(member, 1).size() - 1;  // all but the digit
  std::int64_t version = 0;
  if (id.size() <= stem) return 0;
  auto const read = std::from_chars(id.data() + stem, id.data() + id.size(), version);
  return read.ec == std::errc{} && version > 0 && id == id_of(member, version) ? version : 0;
}

/// Nodes among which the line of a summary is: the parts of its topic, ever, since summaries outlive it.
std::vector<VertexId> around(Snapshot const& snapshot, schema::Summary const& summary) {
  std::vector<VertexId> parts;
  for (auto const topic : snapshot.find_all_ever(schema::RecordType::topic, summary.topic)) {
    auto const all = snapshot.relations_to_ever(topic);
    parts.insert(parts.end(), all.vertices.begin(), all.vertices.end());
  }
  return parts;
}

std::vector<VertexId> around(Snapshot const& snapshot, schema::SystemPromptTemplate const& prompt) {
  return snapshot.vertices(prompt.record_type);
}

/// Of records whose ids hold their numbers: one may have been written when the one before it was deleted.
template <class T>
std::vector<Version> numbered_chain(Snapshot const& snapshot, VertexId vertex, T const& member) {
  std::vector<Version> chain{{vertex, member.version}};
  for (auto const each : around(snapshot, member)) {
    bool const is_other = each != vertex && snapshot.type(each) == T::record_type && !snapshot.is_deleted(each);
    auto const version = is_other ? number_in(member, snapshot.id(each)) : 0;
    if (version > 0) chain.push_back({each, version});
  }
  std::ranges::sort(chain, {}, &Version::version);
  std::int64_t before = 0;
  for (Version& each : chain) each.is_dangling = each.version != std::exchange(before, each.version) + 1;
  return chain;
}

std::vector<Version> unit_chain(Snapshot const& snapshot, VertexId member) {
  auto first = member;
  while (auto const older = graph::living_before(snapshot, first)) first = *older;
  std::vector<Version> chain;
  for (std::optional next{first}; next; next = graph::living_after(snapshot, *next)) {
    auto const named = graph::named_before(snapshot, *next);
    bool const is_dangling = named && snapshot.is_deleted(named->vertex);
    chain.push_back({*next, named ? named->version : 1, is_dangling});
  }
  return chain;
}

}  // namespace

std::optional<VertexId> find_predecessor(Snapshot const& snapshot, VertexId vertex) {
  auto const step = graph::named_before(snapshot, vertex);
  if (!step || snapshot.is_deleted(step->vertex)) return std::nullopt;
  return step->vertex;
}

std::vector<Version> version_chain(Snapshot const& snapshot, VertexId member) {
  if (auto record = schema::blank_record(snapshot.type(member))) {
    schema::set_node_id(*record, snapshot.id(member));
    if (auto const* summary = std::get_if<schema::Summary>(&*record)) return numbered_chain(snapshot, member, *summary);
    if (auto const* prompt = std::get_if<schema::SystemPromptTemplate>(&*record)) {
      return numbered_chain(snapshot, member, *prompt);
    }
  }
  return unit_chain(snapshot, member);
}

bool is_versioned(schema::RecordType type) noexcept {
  return std::any_of(schema::edge_rules().begin(), schema::edge_rules().end(), [&](schema::EdgeRule const& rule) {
    return rule.carries == schema::Carries::version && rule.from == type && rule.to == type;
  });
}

}  // namespace whence::queries
