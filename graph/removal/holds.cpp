// Three reasons keep a record, asked in this order: it is the server's own about a removal, a hold names it or a copy
// of it or matches it, or its type's least time is not over. The query of a hold is asked of each vertex by itself,
// which reads its record.
#include "graph/removal/holds.hpp"

#include "graph/removal/copies.hpp"
#include "graph/removal/log_records.hpp"
#include "schema/base/report.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

namespace whence::graph {

using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

namespace {

/// A topic with what it holds together, and the answers that its messages asked for or render.
std::vector<VertexId> of_topic(Snapshot const& known, std::string_view id) {
  auto found = known.find_all_ever(RecordType::topic, id);
  for (std::size_t i = 0; i < found.size(); ++i) {  // grows while it is walked
    auto const vertex = found[i];
    auto const type = known.type(vertex);
    if (type == RecordType::topic || type == RecordType::message || type == RecordType::subject) {
      for_each_neighbour(known, known.relations_to_ever(vertex), [&](VertexId part, EdgeType edge) {
        if (edge == EdgeType::part_of) found.push_back(part);
      });
    }
    if (type != RecordType::xml_message_attachment) continue;
    for_each_neighbour(known, known.causes_ever(vertex), [&](VertexId response, EdgeType edge) {
      if (edge == EdgeType::rendered_as) found.push_back(response);
    });
    for_each_neighbour(known, known.effects_ever(vertex), [&](VertexId response, EdgeType edge) {
      if (edge == EdgeType::prompted) found.push_back(response);
    });
  }
  return found;
}

/// What the server wrote down about a removal. It proves what was done, and by whom.
struct OwnRecord {
  std::string_view rule;
  std::string_view message;
};

std::optional<OwnRecord> find_own_record(Snapshot const& known, VertexId vertex) {
  if (known.type(vertex) != RecordType::prov_activity) return std::nullopt;
  auto const id = known.id(vertex);
  if (id.starts_with(schema::proposal_prefix))
    return OwnRecord{.rule = "four_eyes", .message = "is a proposal, which stays; purge.withdraw ends it"};
  if (id.starts_with(schema::erasure_prefix))
    return OwnRecord{.rule = "erasure", .message = "is the record of an erasure, which stays"};
  return std::nullopt;
}

std::string shown_ref(Snapshot const& known, VertexId vertex) {
  return schema::shown(schema::format_ref(known.type(vertex), known.id(vertex)));
}

/// What a hold names and its copies.
Result<std::vector<VertexId>> named_by(schema::Hold const& hold, Snapshot const& known, ReadRecord const& read) {
  std::vector<VertexId> named;
  auto const take = [&](std::vector<VertexId> const& more) { named.insert(named.end(), more.begin(), more.end()); };
  if (hold.refs) {
    for (auto const& text : *hold.refs) {
      if (auto const ref = schema::parse_ref(text)) take(known.find_all_ever(ref->type, ref->id));
    }
  }
  if (hold.topic) take(of_topic(known, *hold.topic));
  if (hold.person) {
    auto const theirs = find_of_person(known, *hold.person, read);
    if (!theirs) return theirs.error();
    take(theirs->own);
    take(theirs->shared);
  }
  if (auto const added = add_log_records(known, read, named); !added) return added.error();
  Copies copies{known, false};
  copies.find(named);
  return copies.found();
}

}  // namespace

Holds::Holds(Snapshot const& known, ReadRecord read, RetentionMin const& minimum)
    : known_{known}, read_{std::move(read)}, minimum_{minimum} {
  for (auto const& type : schema::record_types()) {
    auto const kept_for = minimum.rules.of(type.type);
    if (kept_for) rules_[static_cast<std::size_t>(type.type)] = "--retention-min " + format_rule(type.type, *kept_for);
  }
}

Result<Holds> Holds::make(Snapshot const& known, ReadRecord const& read, Keeping const& keeping) {
  Holds holds{known, read, keeping.minimum};
  if (known.vertex_count(RecordType::hold) == 0) return holds;
  for (auto const vertex : known.vertices(RecordType::hold)) {
    auto const record = read(vertex);
    if (!record) return record.error();
    auto const* const hold = *record ? std::get_if<schema::Hold>(&**record) : nullptr;
    if (hold == nullptr || hold->cleared) continue;
    auto const named = named_by(*hold, known, read);
    if (!named) return named.error();
    auto const place = static_cast<std::uint32_t>(holds.refs_.size());
    holds.refs_.push_back(schema::format_ref(RecordType::hold, known.id(vertex)));
    holds.add({&vertex, 1}, place);
    holds.add(*named, place);
    if (auto const added = holds.add_query(*hold, keeping.read_query); !added) return added.error();
  }
  return holds;
}

void Holds::add(std::span<VertexId const> vertices, std::uint32_t hold) {
  for (auto const vertex : vertices) by_vertex_.emplace(schema::number(vertex), hold);
}

Result<void> Holds::add_query(schema::Hold const& hold, ReadHeldQuery const* read_query) {
  if (!hold.query) return {};
  if (read_query == nullptr || !*read_query)
    return Error{.code = Errc::precondition, .message = refs_.back() + " has a query, and this program reads none"};
  auto held = (*read_query)(*hold.query);
  if (!held)
    return Error{.code = Errc::precondition,
                 .message = refs_.back() + " has a query that cannot be read: " + held.error().message};
  queries_.push_back({*std::move(held), static_cast<std::uint32_t>(refs_.size() - 1)});
  return {};
}

Result<std::string_view> Holds::find(VertexId vertex) const {
  if (auto const own = find_own_record(known_, vertex)) return own->rule;
  auto hold = find_hold(vertex);
  if (!hold || !hold->empty() || !minimum_.stays_until(known_, vertex)) return hold;
  return std::string_view{rules_[static_cast<std::size_t>(known_.type(vertex))]};
}

Result<std::string_view> Holds::find_hold(VertexId vertex) const {
  auto const found = by_vertex_.find(schema::number(vertex));
  if (found != by_vertex_.end()) return std::string_view{refs_[found->second]};
  auto const match = find_match(vertex);
  return match && match->empty() ? find_match_of_told(vertex) : match;
}

/// The record is read once, and only where a query is of its type.
Result<std::string_view> Holds::find_match(VertexId vertex) const {
  std::optional<schema::Record> record;
  for (auto const& query : queries_) {
    if (query.held.type != known_.type(vertex) || known_.gone(vertex)) continue;
    if (!record) {
      auto read = read_(vertex);
      if (!read) return read.error();
      if (!*read) return std::string_view{};
      record = **std::move(read);
    }
    if (query.held.matches(known_, vertex, *record)) return std::string_view{refs_[query.hold]};
  }
  return std::string_view{};
}

/// Nothing is read where no query is of answers.
Result<std::string_view> Holds::find_match_of_told(VertexId log) const {
  bool const asks_of_answers =
      std::ranges::any_of(queries_, [](Query const& each) { return each.held.type == RecordType::response; });
  if (!asks_of_answers) return std::string_view{};
  auto const told = find_told(known_, read_, log);
  if (!told) return told.error();
  for (auto const answer : *told) {
    if (auto match = find_match(answer); !match || !match->empty()) return match;
  }
  return std::string_view{};
}

Result<void> Holds::check_free(std::span<VertexId const> vertices, std::string_view path) const {
  for (auto const vertex : vertices) {
    if (auto const own = find_own_record(known_, vertex)) {
      return error_from(Violation{.code = Errc::precondition,
                                  .rule = std::string(own->rule),
                                  .path = std::string(path),
                                  .seen = shown_ref(known_, vertex),
                                  .message = std::string(own->message)});
    }
    auto const hold = find_hold(vertex);
    if (!hold) return hold.error();
    if (hold->empty()) continue;
    return error_from(Violation{.code = Errc::precondition,
                                .rule = "held",
                                .path = std::string(path),
                                .seen = shown_ref(known_, vertex),
                                .message = "is held by " + std::string(*hold) + "; end the hold first"});
  }
  return check_old(vertices, path);
}

Result<void> Holds::check_old(std::span<VertexId const> vertices, std::string_view path) const {
  std::optional<VertexId> first;
  schema::Time last;
  std::array<std::size_t, schema::record_type_count> counts{};
  for (auto const vertex : vertices) {
    auto const until = minimum_.stays_until(known_, vertex);
    if (!until) continue;
    if (!first) first = vertex;
    last = std::max(last, *until);
    ++counts[static_cast<std::size_t>(known_.type(vertex))];
  }
  if (!first) return {};
  std::string young;
  for (auto const& type : schema::record_types()) {
    auto const count = counts[static_cast<std::size_t>(type.type)];
    if (count > 0) young.append(young.empty() ? "" : ", ").append(type.name).append(" ").append(std::to_string(count));
  }
  return error_from(Violation{.code = Errc::precondition,
                              .rule = "retention_min",
                              .path = std::string(path),
                              .seen = shown_ref(known_, *first),
                              .message = "is younger than " + rules_[static_cast<std::size_t>(known_.type(*first))] +
                                         " lets go; too young are " + young + ", the last until " +
                                         schema::format_rfc3339(last)});
}

}  // namespace whence::graph
