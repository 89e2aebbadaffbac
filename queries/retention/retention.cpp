// Reading rules, and looking for what they let go.

#include "queries/retention/retention.hpp"

#include "schema/base/poll.hpp"
#include "schema/base/suggest.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace whence::queries {
namespace {

using schema::RecordType;

constexpr std::int64_t seconds_max = std::int64_t{1} << 40;

Error rule_error(std::string_view text, std::string message) {
  return Error{.code = Errc::invalid_params, .message = "retention " + std::string(text) + ": " + std::move(message)};
}

std::optional<std::chrono::seconds>& rule_of(RetentionRules& rules, RecordType type) {
  return rules.kept_for[static_cast<std::size_t>(type)];
}

/// Since when the content of `vertex` is as it is.
schema::Time since(Snapshot const& snapshot, VertexId vertex) {
  auto const own = snapshot.time(vertex).value_or(snapshot.committed_at(snapshot.created(vertex)));
  auto const revisions = snapshot.revisions(vertex);
  return revisions.empty() ? own : std::max(own, snapshot.committed_at(revisions.back().tx));
}

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

bool RetentionRules::is_empty() const {
  return std::ranges::none_of(kept_for, [](auto const& rule) { return rule.has_value(); });
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
  for (auto const& type : schema::record_types()) {
    auto& rule = rule_of(rules, type.type);
    if (type.is_node && !rule) rule = all_;
  }
  return rules;
}

Result<Expiry> find_expired(Snapshot const& snapshot, RetentionRules const& rules, schema::Time now,
                            schema::Interrupt const& interrupt) {
  schema::Poll poll{interrupt};
  Expiry found;
  for (auto const& type : schema::record_types()) {
    auto const kept_for = rules.kept_for[static_cast<std::size_t>(type.type)];
    if (!kept_for) continue;
    auto const limit = schema::plus_seconds(now, -static_cast<double>(kept_for->count()));
    for (auto const& vertices : {snapshot.vertices(type.type), snapshot.deleted_vertices(type.type)}) {
      for (auto const vertex : vertices) {
        if (poll.must_stop()) return poll.error();
        if (snapshot.gone(vertex)) continue;
        auto const time = since(snapshot, vertex);
        if (time < limit) found.old.push_back({vertex, time});
      }
    }
  }
  std::ranges::sort(found.old, {}, [](Expiry::Old const& each) { return std::pair{each.since, each.vertex}; });
  return found;
}

}  // namespace whence::queries
