// Reading rules, and looking for what they let go.

#include "queries/retention/retention.hpp"

#include "graph/snapshot/discussion.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/suggest.hpp"
#include "schema/records/records.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using schema::RecordType;

constexpr std::int64_t seconds_max = std::int64_t{1} << 40;

Error rule_error(std::string_view text, std::string message) {
  return Error{.code = Errc::invalid_params, .message = std::string(text) + ": " + std::move(message)};
}

std::optional<std::chrono::seconds>& rule_of(RetentionRules& rules, RecordType type) {
  return rules.kept_for[static_cast<std::size_t>(type)];
}

/// What is old, and what of that is in use.
class Ages {
 public:
  Ages(Snapshot const& snapshot, RetentionRules const& rules, schema::Time now) : snapshot_{snapshot}, rules_{rules} {
    for (std::size_t type = 0; type < limits_.size(); ++type) {
      auto const& kept_for = rules.kept_for[type];
      if (kept_for) limits_[type] = schema::plus_seconds(now, -static_cast<double>(kept_for->count()));
    }
  }

  [[nodiscard]] bool is_old(VertexId vertex) const {
    auto const& limit = limits_[static_cast<std::size_t>(snapshot_.type(vertex))];
    return limit && graph::content_since(snapshot_, vertex) < *limit;
  }

  /// Of one that is old and was not deleted.
  [[nodiscard]] bool is_in_use(VertexId vertex, schema::Poll& poll) const {
    auto const type = snapshot_.type(vertex);
    if (type == RecordType::system_prompt_template) {
      auto const revisions = snapshot_.revisions(vertex);
      if (revisions.empty() || revisions.back().kind != graph::RevisionKind::whole) return true;
    }
    bool const goes_alone = type == RecordType::discussion_round && rules_.has_rule_of_rounds;
    if (!goes_alone && has_young_discussion(vertex, type)) return true;
    return has_young(snapshot_.effects(vertex), goes_alone, poll) ||
           has_young(snapshot_.relations_to(vertex), goes_alone, poll);
  }

 private:
  [[nodiscard]] bool is_young(VertexId vertex) const { return !snapshot_.gone(vertex) && !is_old(vertex); }

  /// Whether an edge says that its later end names the other: not from version to version, nor from what was taken out
  /// of a text, which is met again and again.
  [[nodiscard]] bool is_name(graph::EdgeId edge, bool goes_alone) const {
    switch (snapshot_.type(edge)) {
      case graph::EdgeType::derived_from:
        return !snapshot_.value(edge);
      case graph::EdgeType::revision_of:
      case graph::EdgeType::extracted_from:
        return false;
      case graph::EdgeType::follows:
      case graph::EdgeType::summarizes:
        return !goes_alone;
      default:
        return true;
    }
  }

  [[nodiscard]] bool has_young(graph::Neighbours const& neighbours, bool goes_alone, schema::Poll& poll) const {
    for (std::size_t i = 0; i < neighbours.size() && !poll.must_stop(); ++i) {
      if (is_name(neighbours.edges[i], goes_alone) && is_young(neighbours.vertices[i])) return true;
    }
    return false;
  }

  [[nodiscard]] bool has_young_discussion(VertexId part, RecordType type) const {
    auto record = schema::blank_record(type);
    schema::set_node_id(*record, snapshot_.id(part));
    std::string key;
    if (auto const* const round = std::get_if<schema::DiscussionRound>(&*record)) {
      key = schema::discussion_key(round->user_id, round->discussion_id);
    } else if (auto const* const summary = std::get_if<schema::SummaryEntry>(&*record)) {
      key = schema::discussion_key(summary->user_id, summary->discussion_id);
    }
    auto const discussion = key.empty() ? std::nullopt : snapshot_.find(RecordType::discussion, key);
    auto const last = discussion ? graph::last_round(snapshot_, *discussion) : std::nullopt;
    return last && is_young(last->vertex);
  }

  Snapshot const& snapshot_;
  RetentionRules const& rules_;
  std::array<std::optional<schema::Time>, schema::record_type_count> limits_ = {};
};

}  // namespace

std::optional<std::chrono::seconds> parse_age(std::string_view text) {
  constexpr std::array<std::pair<char, std::int64_t>, 4> units = {{{'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}}};
  if (text.size() < 2) return std::nullopt;
  auto const unit = std::ranges::find(units, text.back(), &std::pair<char, std::int64_t>::first);
  std::int64_t count = 0;
  auto const* const end = text.data() + text.size() - 1;
  auto const read = std::from_chars(text.data(), end, count);
  bool const is_number = read.ec == std::errc{} && read.ptr == end;
  if (unit == units.end() || !is_number || count <= 0 || count > seconds_max / unit->second) return std::nullopt;
  return std::chrono::seconds{count * unit->second};
}

Result<void> RetentionParser::take(std::string_view text) {
  auto const equals = text.find('=');
  auto const duration = parse_age(equals == std::string_view::npos ? text : text.substr(equals + 1));
  if (!duration) return rule_error(text, "expected a duration such as 90d, 12h, 30m or 60s");
  if (equals == std::string_view::npos) {
    if (all_) return rule_error(text, "there are two rules for all types");
    all_ = duration;
    return {};
  }
  auto const name = text.substr(0, equals);
  auto const type = schema::find_record_type(name);
  if (!type || !schema::info(*type).is_node) return rule_error(text, std::string(name) + " is no record type");
  auto& rule = rule_of(named_, *type);
  if (rule) return rule_error(text, "there are two rules for this type");
  rule = duration;
  return {};
}

RetentionRules RetentionParser::finish() const {
  auto rules = named_;
  rules.has_rule_of_rounds = rule_of(rules, RecordType::discussion_round).has_value();
  for (auto const& type : schema::record_types()) {
    auto& rule = rule_of(rules, type.type);
    if (type.is_node && !rule) rule = all_;
  }
  return rules;
}

Result<void> check_not_shorter(RetentionRules const& rules, RetentionRules const& minimum) {
  for (auto const& type : schema::record_types()) {
    auto const most = rules.of(type.type);
    auto const least = minimum.of(type.type);
    if (!most || !least || *most >= *least) continue;
    return Error{.code = Errc::invalid_params,
                 .message = "--retention " + graph::format_rule(type.type, *most) +
                            " is shorter than --retention-min " + graph::format_rule(type.type, *least)};
  }
  return {};
}

Result<Expiry> find_expired(Snapshot const& snapshot, RetentionRules const& rules, schema::Time now,
                            schema::Interrupt const& interrupt) {
  schema::Poll poll{interrupt};
  Ages const ages{snapshot, rules, now};
  Expiry found;
  for (auto const& type : schema::record_types()) {
    if (!rules.kept_for[static_cast<std::size_t>(type.type)]) continue;
    for (auto const& vertices : {snapshot.vertices(type.type), snapshot.deleted_vertices(type.type)}) {
      for (auto const vertex : vertices) {
        if (poll.must_stop()) return poll.error();
        if (snapshot.gone(vertex) || !ages.is_old(vertex)) continue;
        bool const is_kept = !snapshot.is_deleted(vertex) && ages.is_in_use(vertex, poll);
        if (poll.has_stopped()) return poll.error();
        if (is_kept) {
          found.kept.push_back(vertex);
        } else {
          found.old.push_back({vertex, graph::content_since(snapshot, vertex)});
        }
      }
    }
  }
  std::ranges::sort(found.old, {}, [](Expiry::Old const& each) { return std::pair{each.since, each.vertex}; });
  return found;
}

}  // namespace whence::queries
