// Evaluating node.activity. The first pass looks at times and chooses the period; the second counts.

#include "queries/find/activity.hpp"

#include "queries/find/calendar.hpp"
#include "queries/find/field_values.hpp"
#include "queries/find/own_time.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace whence::queries {
namespace {

using schema::RecordType;
using schema::Time;

/// The field that says which lane a record is in.
struct LaneField {
  LaneBy by;
  RecordType type;
  std::string_view field;
};
constexpr auto lane_fields = std::to_array<LaneField>({
    {LaneBy::agent, RecordType::response, "agent"},
    {LaneBy::topic, RecordType::topic, "id"},
    {LaneBy::topic, RecordType::message, "topicId"},
    {LaneBy::topic, RecordType::xml_message_attachment, "topicId"},
    {LaneBy::topic, RecordType::keyword, "topic"},
    {LaneBy::topic, RecordType::subject, "topic"},
    {LaneBy::topic, RecordType::summary, "topic"},
});

struct TimeRangeOf {
  std::optional<Time> from = {};
  std::optional<Time> to = {};

  [[nodiscard]] bool contains(Time time) const { return (!from || time >= *from) && (!to || time <= *to); }
};

/// The nodes of one type, and how their lanes are found.
struct Part {
  RecordType type;
  SearchField const* field;  ///< null: the type is the lane
  std::vector<VertexId> vertices = {};
};

/// One record: which lane, which period.
struct Entry {
  std::uint32_t lane;
  std::uint32_t period;  ///< from the first of the answer
};

/// Numbers of lanes by name, in order of appearance.
class LaneNumbers {
 public:
  std::uint32_t number_of(std::string_view name) {
    if (auto const known = numbers_.find(name); known != numbers_.end()) return known->second;
    return numbers_.emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  [[nodiscard]] std::vector<Lane> lanes() const {
    std::vector<Lane> lanes(numbers_.size());
    for (auto const& [name, number] : numbers_) lanes[number].name = name;
    return lanes;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

Result<std::vector<Part>> parts_of(NodeActivityParams const& params) {
  std::vector<Part> parts;
  std::vector<Violation> wrong;
  for (auto const& row : schema::record_types()) {
    bool const is_named = params.types && params.types->contains(row.type);
    if (is_named && !row.is_node) {
      wrong.push_back(invalid_param("type", "/types", schema::shown(row.name), "is no type of node"));
    }
    if (!row.is_node || (params.types && !is_named)) continue;
    if (params.lanes == LaneBy::type) {
      parts.push_back({row.type, nullptr});
      continue;
    }
    auto const named = std::ranges::find_if(
        lane_fields, [&](LaneField const& each) { return each.by == params.lanes && each.type == row.type; });
    if (named != lane_fields.end()) parts.push_back({row.type, find_search_field(row.type, named->field)});
  }
  if (params.from && params.to && *params.to < *params.from) {
    wrong.push_back(
        invalid_param("range", "/to", schema::shown(schema::format_rfc3339(*params.to)), "lies before `from`"));
  }
  if (!wrong.empty()) return error_from(std::move(wrong));
  return parts;
}

/// Fills in the nodes that fall into the asked range, and gives the range that they span.
Result<TimeRangeOf> take_nodes(Snapshot const& snapshot, TimeRangeOf const& asked, std::vector<Part>& parts,
                               schema::Poll& poll) {
  TimeRangeOf span;
  for (Part& part : parts) {
    part.vertices = snapshot.vertices(part.type);
    if (poll.must_stop(part.vertices.size())) return poll.error();
    std::erase_if(part.vertices, [&](VertexId vertex) {
      auto const time = time_or_commit(snapshot, vertex);
      if (!asked.contains(time)) return true;
      if (!span.from || time < *span.from) span.from = time;
      if (!span.to || *span.to < time) span.to = time;
      return false;
    });
  }
  return TimeRangeOf{asked.from ? asked.from : span.from, asked.to ? asked.to : span.to};
}

std::int64_t periods_between(Time from, Time to, Period period) {
  return period_of(to, period) - period_of(from, period) + 1;
}

/// The period asked for, or the shortest of which not too many come.
Result<Period> choose_period(std::optional<Period> asked, TimeRangeOf const& range, std::string_view advice) {
  if (!range.from || !range.to || *range.to < *range.from) return asked.value_or(Period::day);
  if (!asked) {
    auto const fits = [&](Period each) { return periods_between(*range.from, *range.to, each) <= periods_wanted; };
    auto const found = std::ranges::find_if(periods, fits);
    return found == periods.end() ? periods.back() : *found;
  }
  auto const count = periods_between(*range.from, *range.to, *asked);
  if (count <= periods_max) return *asked;
  return error_from(invalid_param("range", "/period", schema::shown(schema::name_of(*asked)),
                                  "there are " + std::to_string(count) + " of it from " +
                                      schema::format_rfc3339(*range.from) + " to " + schema::format_rfc3339(*range.to) +
                                      ", more than " + std::to_string(periods_max) + ": " + std::string(advice)));
}

/// Counts `entries`, in any order, in `lanes`; those of lanes beyond the largest in `found.other`.
void count_entries(std::span<Entry const> entries, std::vector<Lane> lanes, std::int64_t first, Activity& found) {
  for (Entry const& each : entries) ++lanes[each.lane].total;
  std::vector<std::uint32_t> order(lanes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return lanes[a].total != lanes[b].total ? lanes[a].total > lanes[b].total : lanes[a].name < lanes[b].name;
  });
  std::size_t const shown = std::min(order.size(), lanes_max);
  std::vector<std::uint32_t> places(lanes.size(), static_cast<std::uint32_t>(shown));
  for (std::uint32_t i = 0; i < shown; ++i) places[order[i]] = i;

  std::uint32_t last = 0;
  for (Entry const& each : entries) last = std::max(last, each.period);
  std::size_t const width = std::size_t{last} + 1;
  std::vector<std::uint64_t> counts((shown + 1) * width);
  for (Entry const& each : entries) ++counts[places[each.lane] * width + each.period];
  auto const fill = [&](Lane& lane, std::size_t place) {
    for (std::size_t i = 0; i < width; ++i) {
      auto const count = counts[place * width + i];
      if (count > 0) lane.counts.push_back({first + static_cast<std::int64_t>(i), count});
    }
  };
  for (std::size_t i = 0; i < shown; ++i) {
    found.lanes.push_back(std::move(lanes[order[i]]));
    fill(found.lanes.back(), i);
  }
  found.other_lanes = order.size() - shown;
  for (std::size_t i = shown; i < order.size(); ++i) found.other.total += lanes[order[i]].total;
  fill(found.other, shown);
}

}  // namespace

Result<Activity> node_activity(View const& view, NodeActivityParams const& params, Budget const& budget) {
  auto parts = parts_of(params);
  if (!parts) return parts.error();
  schema::Poll poll(budget.interrupt);
  auto const range = take_nodes(view.snapshot, {params.from, params.to}, *parts, poll);
  if (!range) return range.error();
  auto const period =
      choose_period(params.period, *range,
                    params.from && params.to ? "ask for a longer period or a shorter range" : "name `from` and `to`");
  if (!period) return period.error();
  Activity found{.period = *period, .from = range->from, .to = range->to};
  if (!range->from || !range->to) return found;

  auto const first = period_of(*range->from, *period);
  LaneNumbers numbers;
  std::vector<Entry> entries;
  auto const add = [&](VertexId vertex, std::uint32_t lane) {
    auto const number = period_of(time_or_commit(view.snapshot, vertex), *period);
    entries.push_back({lane, static_cast<std::uint32_t>(number - first)});
  };
  for (Part const& part : *parts) {
    if (part.field != nullptr) {
      auto const read = read_field(view, *part.field, part.vertices, poll, [&](std::size_t i, auto const& lane) {
        if (lane) add(part.vertices[i], numbers.number_of(std::get<std::string_view>(*lane)));
      });
      if (!read) return read.error();
      continue;
    }
    if (part.vertices.empty()) continue;
    auto const lane = numbers.number_of(schema::name_of(part.type));
    if (poll.must_stop(part.vertices.size())) return poll.error();
    for (VertexId const vertex : part.vertices) add(vertex, lane);
  }
  if (!entries.empty()) count_entries(entries, numbers.lanes(), first, found);
  return found;
}

}  // namespace whence::queries
