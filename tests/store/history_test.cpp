// Claim: a store gives back what was committed to it, and nothing else, whatever the order of puts, revisions,
// deletions, blobs, groups, abandoned groups and restarts. Method: random histories from a printed seed, compared after
// every restart with plain maps that are updated with each commit.

#include "tests/store/history.hpp"

#include "store/log/store.hpp"
#include "store/verify/verify.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::ContentId;
using schema::RecordType;
using schema::VertexId;
using store::Store;

/// What a store should hold, in the plainest form.
struct Oracle {
  std::vector<store::VertexRow> rows;
  std::vector<store::RevisionRow> revisions;
  std::vector<VertexId> hidden;
  std::map<ContentId, schema::stored::Words> contents;
  std::map<schema::Digest, std::string> blobs;

  void apply(store::Commit const& commit) {
    for (std::size_t i = 0; i < commit.rows.size(); ++i) {
      rows.push_back(commit.rows[i]);
      contents[{commit.rows[i].vertex}] = commit.contents[i].words;
    }
    for (std::size_t i = 0; i < commit.revisions.size(); ++i) {
      auto const& row = commit.revisions[i];
      revisions.push_back(row);
      contents[{row.vertex, row.revision}] = commit.contents[commit.rows.size() + i].words;
    }
    for (auto const& change : schema::stored::changes_of(commit.entry, schema::stored::ChangeKind::hide))
      hidden.push_back(change.vertex);
    for (auto const& blob : commit.blobs) blobs[blob.digest] = blob.bytes;
  }
};

/// Chooses at random what the next transaction does.
class ChangeSource {
 public:
  explicit ChangeSource(std::uint64_t seed) : random_{seed} {}

  Changes next() {
    Changes changes;
    std::set<std::string> touched;  // by one transaction a topic is revised or deleted, not both
    for (std::size_t left = pick(4); left > 0; --left) {
      std::string const id = "t-" + std::to_string(next_id_++);
      changes.put.emplace_back(named(id));
      if (pick(3) == 0) changes.revise.push_back(revision(id));
      ids_.push_back(id);
      touched.insert(id);
    }
    for (std::size_t left = ids_.empty() ? 0 : pick(4); left > 0; --left) {
      changes.revise.push_back(revision(ids_[pick(ids_.size())]));
      touched.insert(node_id_of(changes.revise.back().record));
    }
    for (std::size_t left = ids_.size() < 10 ? 0 : pick(3); left > 0; --left) {
      std::size_t const place = pick(ids_.size());
      if (!touched.insert(ids_[place]).second) continue;
      changes.hide.push_back({RecordType::topic, ids_[place]});
      if (pick(2) == 0) {
        changes.put.emplace_back(named(ids_[place]));  // deleted and written again at once
      } else {
        ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(place));
      }
    }
    for (std::size_t left = pick(3); left > 0; --left)
      changes.blobs.emplace_back(1 + pick(20) * pick(400), static_cast<char>('a' + pick(4)));
    if (pick(4) == 0) changes.idempotency_key = "key-" + std::to_string(next_id_++);
    return changes;
  }

  std::size_t pick(std::size_t below) { return random_() % below; }

 private:
  schema::Topic named(std::string const& id) {
    auto result = topic(id);
    result.name = std::string(pick(pick(8) == 0 ? 5000 : 50), 'n');
    return result;
  }

  Revise revision(std::string const& id) {
    Revise result{.record = named(id), .kind = static_cast<schema::RevisionKind>(pick(3))};
    if (pick(2) == 0) {
      result.edges.push_back({schema::EdgeType::follows,
                              {RecordType::topic, id},
                              pick(2) == 0 ? std::optional{static_cast<double>(pick(100)) / 7} : std::nullopt});
    }
    return result;
  }

  std::mt19937_64 random_;
  std::size_t next_id_ = 0;
  std::vector<std::string> ids_;  ///< of visible topics
};

void check_replay(Store const& store, Oracle const& oracle) {
  Oracle seen;
  store
      .replay([&](store::ReplayedCommit const& commit) {
        seen.rows.insert(seen.rows.end(), commit.rows.begin(), commit.rows.end());
        seen.revisions.insert(seen.revisions.end(), commit.revisions.begin(), commit.revisions.end());
        seen.hidden.insert(seen.hidden.end(), commit.hidden.begin(), commit.hidden.end());
      })
      .value();
  BOOST_TEST((seen.rows == oracle.rows));
  BOOST_TEST((seen.revisions == oracle.revisions));
  BOOST_TEST((seen.hidden == oracle.hidden));
}

/// Reading from any transaction on gives the end of what a whole replay gives.
void check_reading_from(Store const& store, Oracle const& oracle, std::uint64_t first) {
  std::vector<store::VertexRow> rows;
  auto next = first;
  store
      .read_commits(schema::TxId{first},
                    [&](store::ReplayedCommit const& commit) {
                      BOOST_TEST(schema::number(commit.tx) == next++);
                      rows.insert(rows.end(), commit.rows.begin(), commit.rows.end());
                      return true;
                    })
      .value();
  BOOST_TEST(next == std::max(first, schema::number(store.stats().head) + 1));
  BOOST_REQUIRE(rows.size() <= oracle.rows.size());
  BOOST_TEST(std::equal(rows.rbegin(), rows.rend(), oracle.rows.rbegin()));
}

void check_contents(Store const& store, Oracle const& oracle) {
  std::vector<ContentId> wanted;
  for (auto const& [id, words] : oracle.contents) wanted.push_back(id);
  auto const read_wanted = [&] {
    std::size_t count = 0;
    store
        .read(wanted,
              [&](std::size_t position, schema::StoredContent&& record) {
                auto const words = schema::stored::encode(record.value());
                auto const& kept = oracle.contents.at(wanted[position]);
                BOOST_TEST(std::ranges::equal(std::span{kept}.subspan(sizeof(schema::stored::Salt) / 8), words));
                ++count;
                return true;
              })
        .value();
    BOOST_TEST(count == wanted.size());
  };
  read_wanted();  // as they lie
  std::ranges::shuffle(wanted, std::mt19937_64{wanted.size()});
  read_wanted();
  BOOST_TEST(store.stats().records == wanted.size());
}

void check_blobs(Store const& store, Oracle const& oracle) {
  for (auto const& [digest, bytes] : oracle.blobs) BOOST_TEST((store.read_blob(digest).value() == bytes));
}

/// One random history, with everything looked at whenever the store was closed.
void run_history(std::uint64_t seed) {
  TemporaryDirectory directory;
  ChangeSource source{seed};
  History history;
  Oracle oracle;
  for (int opening = 0; opening < 4; ++opening) {
    auto store = Store::open(directory.path()).value();
    check_replay(*store, oracle);
    check_reading_from(*store, oracle, 1 + source.pick(schema::number(store->stats().head) + 2));
    check_contents(*store, oracle);
    check_blobs(*store, oracle);
    for (std::size_t groups = 1 + source.pick(5); groups > 0; --groups) {
      Oracle with_group = oracle;
      History const before = history;
      ChangeSource const source_before = source;
      for (std::size_t left = 1 + source.pick(4); left > 0; --left) {
        store::Commit commit = history.make(source.next());
        with_group.apply(commit);
        store->append(std::move(commit));
      }
      if (source.pick(4) == 0) {
        store->abandon();
        history = before;
        source = source_before;
        source.pick(1);  // another random choice from here on
      } else {
        store->commit().value();
        oracle = std::move(with_group);
      }
    }
    store.reset();
    auto const report = store::verify(directory.path()).value();
    BOOST_TEST_REQUIRE(report.is_ok);
    BOOST_TEST(report.records == oracle.contents.size());
    BOOST_TEST(report.blobs == oracle.blobs.size());
  }
}

BOOST_AUTO_TEST_CASE(random_histories_come_back) {
  std::uint64_t const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  for (std::uint64_t i = 0; i < (is_sanitized ? 5 : 30); ++i) {
    BOOST_TEST_CONTEXT("seed " << seed << " history " << i) {
      run_history(seed + i);
    }
  }
}

}  // namespace
}  // namespace whence::test
