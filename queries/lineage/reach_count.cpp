// Sets of starts travel as bits from effects to causes, 256 starts in one pass over the reached part. One walk per
// start was the alternative: it costs the sum of all their reaches, which for deep histories is starts * E.

#include "queries/lineage/reach_count.hpp"

#include "queries/vertex_map.hpp"
#include "schema/base/poll.hpp"

#include <array>
#include <bit>

namespace whence::queries {
namespace {

using graph::VertexId;

constexpr std::size_t words = 4;
constexpr std::size_t starts_per_pass = words * 64;
using Bits = std::array<std::uint64_t, words>;

/// The reached part with dense numbers.
struct Part {
  std::vector<VertexId> vertices;              ///< the reach, then starts that no other start reaches
  std::vector<std::uint32_t> cause_ends = {};  ///< causes of number n end here, begin where those of n - 1 end
  std::vector<std::uint32_t> causes = {};

  [[nodiscard]] std::span<std::uint32_t const> causes_of(std::uint32_t n) const {
    std::uint32_t const begin = n == 0 ? 0 : cause_ends[n - 1];
    return {causes.data() + begin, causes.data() + cause_ends[n]};
  }
};

std::vector<VertexId> members_of(std::span<VertexId const> starts, graph::Reach const& reach) {
  std::vector<VertexId> members = reach.vertices;
  VertexMap const reached(members);
  for (VertexId const start : starts) {
    if (!reached.find(start)) members.push_back(start);
  }
  return members;
}

Result<Part> number_part(graph::Snapshot const& snapshot, std::vector<VertexId> members, VertexMap const& numbers,
                         schema::Poll& poll) {
  Part part{.vertices = std::move(members)};
  part.cause_ends.reserve(part.vertices.size());
  for (VertexId const vertex : part.vertices) {
    auto const causes = snapshot.causes(vertex);
    if (poll.must_stop(1 + causes.size())) return poll.error();
    for (VertexId const cause : causes.vertices) {
      if (auto const number = numbers.find(cause)) part.causes.push_back(*number);  // absent where the reach was cut
    }
    part.cause_ends.push_back(static_cast<std::uint32_t>(part.causes.size()));
  }
  return part;
}

// Effects before their causes (Kahn): influence has no cycles, so every number comes out.
std::vector<std::uint32_t> effects_first(Part const& part) {
  std::vector<std::uint32_t> effects_left(part.vertices.size());
  for (std::uint32_t const cause : part.causes) ++effects_left[cause];
  std::vector<std::uint32_t> order;
  order.reserve(part.vertices.size());
  for (std::uint32_t n = 0; n < part.vertices.size(); ++n) {
    if (effects_left[n] == 0) order.push_back(n);
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    for (std::uint32_t const cause : part.causes_of(order[done])) {
      if (--effects_left[cause] == 0) order.push_back(cause);
    }
  }
  return order;
}

// A start's own bit is not counted at itself: a node does not influence itself.
void count_pass(Part const& part, std::span<std::uint32_t const> order, std::span<std::uint32_t const> starts,
                std::vector<Bits>& bits, std::vector<std::uint32_t>& counts) {
  bits.assign(part.vertices.size(), Bits{});
  for (std::size_t i = 0; i < starts.size(); ++i) {
    bits[starts[i]][i / 64] |= std::uint64_t{1} << (i % 64);
    if (starts[i] < counts.size()) --counts[starts[i]];
  }
  for (std::uint32_t const n : order) {
    Bits const& own = bits[n];
    if (own == Bits{}) continue;
    if (n < counts.size()) {
      for (std::uint64_t const word : own) counts[n] += static_cast<std::uint32_t>(std::popcount(word));
    }
    for (std::uint32_t const cause : part.causes_of(n)) {
      for (std::size_t word = 0; word < words; ++word) bits[cause][word] |= own[word];
    }
  }
}

}  // namespace

Result<std::vector<std::uint32_t>> count_reaching(graph::Snapshot const& snapshot, std::span<VertexId const> starts,
                                                  graph::Reach const& reach, schema::Interrupt const& interrupt) {
  schema::Poll poll(interrupt);
  std::vector<VertexId> members = members_of(starts, reach);
  VertexMap const numbers(members);
  auto const part = number_part(snapshot, std::move(members), numbers, poll);
  if (!part) return part.error();
  std::vector<std::uint32_t> const order = effects_first(*part);
  std::vector<std::uint32_t> start_numbers;
  start_numbers.reserve(starts.size());
  for (VertexId const start : starts) start_numbers.push_back(*numbers.find(start));

  std::vector<std::uint32_t> counts(reach.vertices.size());
  std::vector<Bits> bits;
  for (std::size_t done = 0; done < starts.size(); done += starts_per_pass) {
    if (poll.must_stop(part->causes.size())) return poll.error();
    auto const pass = std::span(start_numbers).subspan(done, std::min(starts_per_pass, starts.size() - done));
    count_pass(*part, order, pass, bits, counts);
  }
  return counts;
}

}  // namespace whence::queries
