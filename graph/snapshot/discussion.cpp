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

/// A round has a number of at most as many as there ever were.
std::int64_t last_number_ever(Snapshot const& snapshot, VertexId discussion) {
  return static_cast<std::int64_t>(snapshot.relations_to_ever(discussion).size());
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
  auto const last = last_number_ever(snapshot, discussion);
  for (std::int64_t number = 1; number <= last; ++number) {
    auto const id = numbered_id(snapshot, discussion, number);
    if (auto const found = snapshot.find(RecordType::summary_entry, id)) summaries.push_back({number, *found});
  }
  return summaries;
}

std::vector<VertexId> summaries_of_ever(Snapshot const& snapshot, VertexId discussion) {
  std::vector<VertexId> summaries;
  auto const last = last_number_ever(snapshot, discussion);
  for (std::int64_t number = 1; number <= last; ++number) {
    auto const found = snapshot.find_all_ever(RecordType::summary_entry, numbered_id(snapshot, discussion, number));
    summaries.insert(summaries.end(), found.begin(), found.end());
  }
  return summaries;
}

std::optional<NumberedVertex> last_round(Snapshot const& snapshot, VertexId discussion) {
  auto const parts = snapshot.relations_to(discussion);
  if (parts.empty()) return std::nullopt;
  auto const count = parts.size();
  if (count == snapshot.relations_to_ever(discussion).size()) {
    // None was deleted: their numbers are 1 to `count`, in whatever order they were written.
    auto const number = static_cast<std::int64_t>(count);
    if (auto const found = snapshot.find(RecordType::discussion_round, numbered_id(snapshot, discussion, number))) {
      return NumberedVertex{number, *found};
    }
  }
  return rounds_of(snapshot, discussion).back();
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
