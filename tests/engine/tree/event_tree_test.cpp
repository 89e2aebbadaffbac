// The files of the tree: what is in them after a restart, a kill, damage, and another log.

#include "engine/tree/event_tree.hpp"

#include "schema/proof/merkle.hpp"
#include "tests/support/fixtures.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::engine {
namespace {

using schema::Digest;
using schema::TxId;

/// Any number of events in each transaction, also none.
std::vector<std::vector<Digest>> history_of(std::size_t transactions, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<std::vector<Digest>> history(transactions);
  std::uint64_t next = 0;
  for (auto& events : history) {
    auto const count = random() % 40;
    for (std::uint64_t i = 0; i < count; ++i) events.push_back(schema::proof::leaf_hash(std::to_string(next++)));
  }
  return history;
}

Result<Digest> entry_of(TxId tx) {
  return schema::proof::leaf_hash("entry " + std::to_string(schema::number(tx)));
}

/// The root by nodes that are all computed.
Digest root_of(std::vector<Digest> const& leaves) {
  auto const node = [&](schema::proof::Subtree subtree) -> Result<Digest> {
    auto const [level, index] = subtree;
    std::vector<Digest> layer(leaves.begin() + static_cast<std::ptrdiff_t>(index << level),
                              leaves.begin() + static_cast<std::ptrdiff_t>((index + 1) << level));
    for (; layer.size() > 1; layer.resize(layer.size() / 2)) {
      for (std::size_t i = 0; i < layer.size() / 2; ++i)
        layer[i] = schema::proof::node_hash(layer[2 * i], layer[2 * i + 1]);
    }
    return layer.front();
  };
  return schema::proof::root_of(leaves.size(), node).value();
}

struct TreeFixture {
  test::TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "tree";
  std::vector<std::vector<Digest>> history = history_of(200, 7);

  [[nodiscard]] std::unique_ptr<EventTree> open(std::string const& epoch = "epoch") const {
    return std::make_unique<EventTree>(path, epoch, entry_of);
  }
  void append(EventTree& tree, std::size_t end) const {
    for (auto tx = schema::number(tree.tx()); tx < end; ++tx) tree.append(history[tx]);
  }
  [[nodiscard]] std::vector<Digest> leaves(std::size_t end) const {
    std::vector<Digest> all;
    for (std::size_t i = 0; i < end; ++i) all.insert(all.end(), history[i].begin(), history[i].end());
    return all;
  }
  void must_hold(EventTree const& tree, std::size_t transactions) const {
    auto const all = leaves(transactions);
    BOOST_TEST_REQUIRE(schema::number(tree.tx()) == transactions);
    BOOST_TEST_REQUIRE(tree.size() == all.size());
    BOOST_TEST((tree.root(all.size()) == root_of(all)));
  }
};

BOOST_FIXTURE_TEST_SUITE(event_tree, TreeFixture)

BOOST_AUTO_TEST_CASE(it_has_the_root_of_its_events_at_every_size) {
  auto tree = open();
  must_hold(*tree, 0);
  append(*tree, history.size());
  auto const all = leaves(history.size());
  for (std::size_t size = 0; size <= all.size(); size += size < 600 ? 1 : 97) {
    BOOST_TEST_REQUIRE((tree->root(size) == root_of({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)})));
  }
  std::uint64_t before = 0;
  for (std::size_t tx = 1; tx <= history.size(); ++tx) {
    auto const size = tree->size_after(TxId{tx});
    BOOST_TEST_REQUIRE(size == before + history[tx - 1].size());
    for (auto index = before; index < size; ++index) BOOST_TEST_REQUIRE(schema::number(tree->tx_of(index)) == tx);
    before = size;
  }
  BOOST_TEST(tree->count(1) == all.size() / 256);
  BOOST_TEST(tree->nodes(0, 3, 2).size() == 64U);
}

BOOST_AUTO_TEST_CASE(what_was_flushed_is_there_after_a_restart_and_the_rest_is_made_again) {
  auto tree = open();
  append(*tree, 120);
  tree->flush();
  append(*tree, 150);
  tree = open();
  must_hold(*tree, 120);
  append(*tree, history.size());
  must_hold(*tree, history.size());
}

BOOST_AUTO_TEST_CASE(the_tree_of_another_log_is_not_taken) {
  auto tree = open();
  append(*tree, 50);
  tree->flush();
  tree = open("another");
  must_hold(*tree, 0);
  append(*tree, 10);
  tree->flush();
  auto const other_entry = [](TxId) -> Result<Digest> { return schema::proof::leaf_hash("of a restored store"); };
  tree = std::make_unique<EventTree>(path, "another", other_entry);
  must_hold(*tree, 0);
}

// Claim: damage to any file is noticed or does not matter. Method: a byte of each, at the end and at the start.
BOOST_AUTO_TEST_CASE(a_damaged_end_is_made_again) {
  for (std::string const name : {"head", "sizes", "level-0", "level-8"}) {
    std::filesystem::remove_all(path);
    auto tree = open();
    append(*tree, history.size());
    tree->flush();
    tree.reset();
    auto const size = std::filesystem::file_size(path / name);
    {
      std::fstream file(path / name, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(size - 1));
      file.put('\x55');
    }
    tree = open();
    BOOST_TEST_CONTEXT(name) {
      must_hold(*tree, 0);
    }
    if (std::filesystem::exists(path / name)) std::filesystem::resize_file(path / name, 5);
    tree = open();
    append(*tree, history.size());
    must_hold(*tree, history.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::engine
