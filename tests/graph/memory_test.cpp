// A graph that runs out of memory. Claim: wherever in a transaction an allocation fails, taking the transaction back
// leaves the graph as it was, for snapshots of before too, and the same transaction then succeeds. Method: random
// transactions are tried with the first allocation failing, then with the second, until none is left to fail; a graph
// whose allocations never fail is the oracle.

#include "tests/graph/world.hpp"
#include "tests/support/seed.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

/// How many allocations of this thread succeed before one fails; negative: all do.
thread_local std::int64_t allocations_left = -1;

bool may_allocate() noexcept {
  if (allocations_left < 0) return true;
  return allocations_left-- > 0;
}

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc, misc-new-delete-overloads): the allocator of this test program
void* operator new(std::size_t size) {
  void* const memory = may_allocate() ? std::malloc(size == 0 ? 1 : size) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

// The linker gives calls of calloc to the first of these (--wrap).
extern "C" void* __real_calloc(std::size_t count, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
extern "C" void* __wrap_calloc(std::size_t count, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
extern "C" void* __wrap_calloc(std::size_t count, std::size_t size) {
  return may_allocate() ? __real_calloc(count, size) : nullptr;
}
// NOLINTEND(cppcoreguidelines-no-malloc, misc-new-delete-overloads)

namespace whence::test {
namespace {

constexpr int transaction_count = 40;
constexpr std::uint32_t vertices_at_once_max = 30;

struct NewEdge {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t rank;
};

/// What a transaction does, in this order. Responses have even numbers, units odd ones.
struct Changes {
  std::uint32_t vertices = 0;
  std::vector<NewEdge> edges = {};
  std::vector<std::uint32_t> revised = {};
  std::vector<std::uint32_t> deprecated = {};
  std::vector<std::uint32_t> hidden = {};
};

class Changer {
 public:
  explicit Changer(std::uint64_t seed) : random_{seed} {}

  Changes next() {
    Changes changes{.vertices = 1 + below(vertices_at_once_max)};
    auto const known = count_;
    count_ += changes.vertices;
    for (auto i = below(60); i > 0; --i) {
      auto const response = 2 * below((count_ + 1) / 2);
      auto const unit = 2 * below(count_ / 2 + 1) + 1;
      if (unit < count_ && is_there(response) && is_there(unit)) changes.edges.push_back({unit, response, below(3)});
    }
    for (auto i = below(6); i > 0; --i) keep_if_there(changes.revised);
    for (auto i = below(6); i > 0; --i) keep_if_there(changes.deprecated);
    if (known > 0) {
      auto const v = below(known);
      if (hidden_.insert(v).second) changes.hidden.push_back(v);
    }
    return changes;
  }

 private:
  std::uint32_t below(std::uint32_t end) { return std::uniform_int_distribution<std::uint32_t>{0, end - 1}(random_); }
  [[nodiscard]] bool is_there(std::uint32_t v) const { return !hidden_.contains(v); }
  void keep_if_there(std::vector<std::uint32_t>& list) {
    auto const v = below(count_);
    if (is_there(v)) list.push_back(v);
  }

  std::mt19937_64 random_;
  std::uint32_t count_ = 0;
  std::set<std::uint32_t> hidden_;
};

/// The ids are made before memory may fail.
std::vector<std::string> names_of(std::uint32_t first, std::uint32_t count) {
  std::vector<std::string> names;
  for (auto v = first; v < first + count; ++v) names.push_back("a name of some length " + std::to_string(v));
  return names;
}

void apply(Graph& graph, std::uint64_t tx, Changes const& changes, std::vector<std::string> const& names) {
  graph.begin(TxId{tx}, {static_cast<std::int64_t>(tx), 0});
  auto v = graph.pending().vertex_count();
  for (auto const& name : names) {
    (void)graph.add_vertex(v++ % 2 == 0 ? RecordType::response : RecordType::context_unit, name, {});
  }
  for (auto const& [from, to, rank] : changes.edges) {
    (void)graph.add_edge(EdgeType::used_in, VertexId{from}, VertexId{to}, 0.5, rank);
  }
  for (auto const each : changes.revised) (void)graph.revise(VertexId{each}, schema::RevisionKind::whole);
  for (auto const each : changes.deprecated) graph.set_state(VertexId{each}, {}, {});
  for (auto const each : changes.hidden) graph.hide(VertexId{each});
  graph.end();
}

/// Everything that a snapshot tells.
std::string told_by(Snapshot const& snapshot) {
  std::ostringstream out;
  for (std::uint32_t v = 0; v < snapshot.vertex_count(); ++v) {
    VertexId const vertex{v};
    auto const found = snapshot.find(snapshot.type(vertex), snapshot.id(vertex));
    out << v << ' ' << snapshot.id(vertex) << ' ' << found.has_value() << ' ' << snapshot.revisions(vertex).size()
        << ' ' << snapshot.state_changes(vertex).size();
    for (auto const& around : {snapshot.causes(vertex), snapshot.effects(vertex)}) {
      out << " [";
      for (std::size_t i = 0; i < around.size(); ++i) {
        out << schema::number(around.vertices[i]) << ':' << schema::number(around.edges[i]) << ':'
            << snapshot.rank(around.edges[i]) << ' ';
      }
      out << ']';
    }
    out << '\n';
  }
  return std::move(out).str();
}

BOOST_AUTO_TEST_SUITE(graph_memory)

BOOST_AUTO_TEST_CASE(a_transaction_without_memory_leaves_nothing_behind) {
  auto const seed = whence::test::seed_from_environment();
  Changer changer{seed};
  Graph oracle;
  Graph graph;
  std::int64_t failures = 0;
  for (std::uint64_t tx = 1; tx <= transaction_count; ++tx) {
    auto const changes = changer.next();
    auto const names = names_of(oracle.pending().vertex_count(), changes.vertices);
    auto const before = graph.snapshot();
    auto const told = told_by(before);
    for (std::int64_t succeeding = 0;; ++succeeding, ++failures) {
      bool is_whole = true;
      try {
        allocations_left = succeeding;
        apply(graph, tx, changes, names);
        allocations_left = -1;
      } catch (std::bad_alloc const&) {
        allocations_left = -1;
        is_whole = false;
      }
      if (is_whole) break;
      graph.rollback();
      BOOST_REQUIRE_MESSAGE(told_by(graph.snapshot()) == told, "WHENCE_TEST_SEED=" << seed << " transaction " << tx
                                                                                   << " with " << succeeding
                                                                                   << " allocations");
    }
    graph.publish();
    apply(oracle, tx, changes, names);
    oracle.publish();
    BOOST_REQUIRE_MESSAGE(told_by(graph.snapshot()) == told_by(oracle.snapshot()), "WHENCE_TEST_SEED=" << seed);
    BOOST_REQUIRE_MESSAGE(told_by(before) == told, "WHENCE_TEST_SEED=" << seed << ": the snapshot before");
  }
  BOOST_TEST(failures > transaction_count);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
