// Rounds are what is part of a discussion; summaries have no edge to it and are found by their names.
#include "graph/snapshot/discussion.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace whence::graph {
namespace {

std::int64_t number_of(Snapshot const& snapshot, VertexId round) {
  auto const id = snapshot.id(round);
  auto const digits = id.substr(id.rfind('/') + 1);
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// The id of the discussion's round or summary of a number: their ids begin alike.
std::string numbered_id(Snapshot const& snapshot, VertexId discussion, std::int64_t number) {
  return std::string(snapshot.id(discussion)).append("/").append(std::to_string(number));
}

/// How many numbers without a round are looked at, in each gap the last ones: a discussion may have come in without
/// rounds that its summaries replace.
constexpr std::int64_t missing_rounds_max = 10'000;

/// The numbers that summaries may have: those of rounds that there ever were, and of rounds before, between and after
/// them.
std::vector<std::int64_t> summary_numbers(Snapshot const& snapshot, VertexId discussion) {
  std::vector<std::int64_t> numbers;
  for (auto const round : snapshot.relations_to_ever(discussion).vertices)
    numbers.push_back(number_of(snapshot, round));
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::int64_t> all;
  auto left = missing_rounds_max;
  std::int64_t before = 0;
  for (auto const number : numbers) {
    auto const missing = std::min(number - before - 1, left);
    left -= std::max<std::int64_t>(missing, 0);
    for (auto each = number - missing; each <= number; ++each) all.push_back(each);
    before = number;
  }
  auto const last = all.empty() ? 0 : all.back();
  for (std::int64_t number = last + 1; number <= last + late_summaries_max; ++number) all.push_back(number);
  return all;
}

}  // namespace

std::vector<NumberedVertex> rounds_of(Snapshot const& snapshot, VertexId discussion) {
  std::vector<NumberedVertex> rounds;
  auto const parts = snapshot.relations_to(discussion);
  rounds.reserve(parts.size());
  for (auto const part : parts.vertices) rounds.push_back({number_of(snapshot, part), part});
  std::ranges::sort(rounds, {}, &NumberedVertex::number);
  return rounds;
}

std::vector<NumberedVertex> summaries_of(Snapshot const& snapshot, VertexId discussion) {
  std::vector<NumberedVertex> summaries;
  for (auto const number : summary_numbers(snapshot, discussion)) {
    auto const id = numbered_id(snapshot, discussion, number);
    if (auto const found = snapshot.find(RecordType::summary_entry, id)) summaries.push_back({number, *found});
  }
  return summaries;
}

std::vector<VertexId> summaries_of_ever(Snapshot const& snapshot, VertexId discussion) {
  std::vector<VertexId> summaries;
  for (auto const number : summary_numbers(snapshot, discussion)) {
    auto const found = snapshot.find_all_ever(RecordType::summary_entry, numbered_id(snapshot, discussion, number));
    summaries.insert(summaries.end(), found.begin(), found.end());
  }
  return summaries;
}

std::optional<NumberedVertex> last_round(Snapshot const& snapshot, VertexId discussion) {
  auto const parts = snapshot.relations_to(discussion);
  std::optional<NumberedVertex> last;
  for (auto const part : parts.vertices) {
    auto const number = number_of(snapshot, part);
    if (!last || number > last->number) last = NumberedVertex{number, part};
  }
  return last;
}

std::int64_t next_round_number(Snapshot const& snapshot, VertexId discussion) {
  auto const last = last_round(snapshot, discussion);
  auto const next = last ? last->number + 1 : 1;
  auto const numbers = summary_numbers(snapshot, discussion);
  for (auto at = numbers.rbegin(); at != numbers.rend() && *at >= next; ++at) {
    if (snapshot.find(RecordType::summary_entry, numbered_id(snapshot, discussion, *at))) return *at + 1;
  }
  return next;
}

std::optional<std::int64_t> open_round_number(Snapshot const& snapshot, VertexId discussion,
                                              std::optional<std::int64_t> opened) {
  auto const next = next_round_number(snapshot, discussion);
  if (!opened || *opened < next || is_opening_void(snapshot, discussion, *opened)) return std::nullopt;
  return next;
}

bool is_opening_void(Snapshot const& snapshot, VertexId discussion, std::int64_t number) {
  auto const id = std::string(snapshot.id(discussion)).append("/").append(std::to_string(number));
  auto const round = snapshot.find_deleted(schema::RecordType::discussion_round, id);
  if (!round) return false;
  auto const revisions = snapshot.revisions(discussion);
  auto const written = revisions.empty() ? snapshot.created(discussion) : revisions.back().tx;
  return *snapshot.deleted_at(*round) > written;
}

}  // namespace whence::graph
