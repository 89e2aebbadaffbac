// Stores written anew: what they hold is the same, what was deleted is nowhere, and whatever goes wrong leaves one
// whole.

#include "store/upkeep/compact.hpp"

#include "store/lmdb/data_file.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/store.hpp"
#include "store/packing/packing.hpp"
#include "store/packing/sampling.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/failing_calls.hpp"
#include "tests/store/failing_file_calls.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <boost/test/unit_test.hpp>
#include <lmdb.h>
#include <sys/wait.h>

namespace whence::test {
namespace {

using store::Cursor;
using store::Environment;
using store::Head;
using store::Store;
using store::Table;
using store::Transaction;

std::string worded_text(std::mt19937_64& random, std::size_t bytes, std::string const& mark = "word") {
  std::string text;
  while (text.size() < bytes) text += mark + std::to_string(random() % 900) + ' ';
  return text + std::to_string(random());
}

class StopAfter final : public schema::Interrupt {
 public:
  explicit StopAfter(int calls) : calls_{calls} {}
  schema::Stop check(std::uint64_t /*steps*/) const noexcept override {
    return calls_-- > 0 ? schema::Stop::none : schema::Stop::cancelled;
  }

 private:
  mutable int calls_;
};

struct CompactFixture {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "store";
  History history;

  std::string described() const { return describe(*Store::open(path, {.is_read_only = true}).value()).value(); }
  std::string raw_bytes() const {
    std::ifstream in{path / "data.mdb", std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  std::uintmax_t file_bytes() const { return std::filesystem::file_size(path / "data.mdb"); }
  bool is_sound() const { return store::verify(path).value().is_ok; }
  bool has_leftovers() const {
    return std::ranges::any_of(std::filesystem::directory_iterator{path}, [](auto const& entry) {
      return entry.path().filename().string().starts_with("compact.partial");
    });
  }

  Environment environment() const {
    return store::open_environment(path, {.map_bytes = std::uint64_t{1} << 30, .flags = MDB_NOLOCK}).value();
  }
  /// Works on the closed store and writes its head anew.
  void change(std::function<void(Environment const&, Transaction const&, Head&)> const& work) const {
    Environment const opened = environment();
    Head head = read_head(opened, Transaction{opened, Transaction::Kind::read}).value();
    Transaction txn{opened, Transaction::Kind::write};
    work(opened, txn, head);
    BOOST_TEST_REQUIRE(write_head(opened, txn, head) == 0);
    BOOST_TEST_REQUIRE(txn.commit() == 0);
  }
  /// Every content of the closed store, unpacked, and every value of its other tables, one after the other.
  std::string unpacked() const {
    Environment const opened = environment();
    Transaction const txn{opened, Transaction::Kind::read};
    store::Unpacker const unpacker{opened};
    std::string all;
    store::Bytes room;
    auto const add = [&](bool is_packed, std::span<std::byte const> value) {
      if (store::is_gone(value)) return;
      auto const bytes = is_packed ? unpacker.unpack(txn, value, room).value() : value;
      all.append(reinterpret_cast<char const*>(bytes.data()), bytes.size());
      all += '\n';
    };
    for (store::TableInfo const& info : store::tables) {
      if (info.table == Table::blobs) continue;
      bool const is_packed = std::ranges::find(store::packed_tables, info.table) != store::packed_tables.end();
      Cursor cursor{opened, txn, info.table};
      while (auto const entry = cursor.next().value()) add(is_packed, entry->value);
    }
    store::Bytes pieces;
    for (std::uint64_t number = 0; auto const blob = find_blob_at(opened, txn, number, pieces).value(); ++number)
      add(true, *blob);
    return all;
  }

  /// Transactions of every kind of change with texts, answers and blobs in random order.
  void write_random(std::mt19937_64& random, int count) {
    auto const store = Store::open(path).value();
    for (int i = 0; i < count; ++i) {
      std::string const tag = std::to_string(schema::number(history.tx()));
      Changes changes{
          .put = {topic("topic-" + tag), unit("cu_" + tag), response("resp_" + tag, {("cu_" + tag).c_str()})}};
      if (random() % 2 == 0) {
        auto again = topic("topic-" + tag);
        again.name = worded_text(random, random() % 400);
        changes.revise.push_back({.record = again});
      }
      if (random() % 3 == 0) changes.deprecate.push_back("cu_" + tag);
      if (random() % 2 == 0) changes.idempotency_key = "key-" + tag;
      for (auto left = random() % 3; left > 0; --left) changes.blobs.push_back(worded_text(random, random() % 9000));
      store->append(history.make(std::move(changes)));
      if (random() % 3 == 0) store->commit().value();
    }
    store->commit().value();
  }
};

BOOST_FIXTURE_TEST_SUITE(compaction, CompactFixture)

BOOST_AUTO_TEST_CASE(a_small_store_is_the_same_afterwards_and_goes_on) {
  {
    auto const store = Store::open(path).value();
    append_small_history(*store, history);
    store->commit().value();
  }
  std::string const before = described();
  auto const done = store::compact(path).value();
  BOOST_TEST(schema::number(done.tx) == 3U);
  BOOST_TEST(done.bytes_after == file_bytes());
  BOOST_TEST(done.bytes_after <= done.bytes_before);
  BOOST_TEST(described() == before);
  BOOST_TEST(is_sound());
  BOOST_TEST(!has_leftovers());
  auto const store = Store::open(path).value();
  store->append(history.put({topic("later")}));
  store->commit().value();
  BOOST_TEST(schema::number(store->stats().head) == 4U);
}

BOOST_AUTO_TEST_CASE(an_empty_store_is_compacted) {
  (void)Store::open(path).value();
  std::string const before = described();
  BOOST_TEST(schema::number(store::compact(path).value().tx) == 0U);
  BOOST_TEST(described() == before);
}

BOOST_AUTO_TEST_CASE(random_histories_are_the_same_afterwards) {
  std::uint64_t const seed = seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  std::mt19937_64 random{seed};
  for (int round = 0; round < (is_sanitized ? 1 : 4); ++round) {
    write_random(random, 30 + static_cast<int>(random() % 120));
    std::string const before = described();
    std::uintmax_t const bytes_before = file_bytes();
    store::compact(path).value();
    BOOST_TEST_REQUIRE((described() == before));
    BOOST_TEST(file_bytes() <= bytes_before);
    BOOST_TEST_REQUIRE(is_sound());
  }
  std::uintmax_t const least = file_bytes();
  store::compact(path).value();
  BOOST_TEST(file_bytes() == least);
}

BOOST_AUTO_TEST_CASE(a_store_of_several_slices_is_the_same_afterwards) {
  std::mt19937_64 random{9};
  std::vector<std::string> texts(5, std::string(std::size_t{9} << 20, ' '));
  {
    auto const store = Store::open(path).value();
    for (std::string& text : texts) {
      std::ranges::generate(text, [&] { return static_cast<char>(random()); });
      store->append(history.make({.put = {topic("t-" + std::to_string(random()))}, .blobs = {text}}));
      store->commit().value();
    }
  }
  std::string const before = described();
  auto const done = store::compact(path).value();
  BOOST_TEST(done.bytes_after > std::uint64_t{45} << 20);
  BOOST_TEST(done.bytes_after <= done.bytes_before);
  BOOST_TEST((described() == before));
  BOOST_TEST(is_sound());
  auto const store = Store::open(path).value();
  for (std::string const& text : texts) BOOST_TEST_REQUIRE((store->read_blob(schema::sha256(text)).value() == text));
}

BOOST_AUTO_TEST_CASE(a_store_in_use_is_refused) {
  BOOST_TEST((store::compact(path).error().code == Errc::not_found));
  auto const store = Store::open(path).value();
  auto const refused = store::compact(path);
  BOOST_TEST_REQUIRE(refused.has_error());
  BOOST_TEST((refused.error().code == Errc::busy));
  BOOST_TEST(refused.error().message.find(std::to_string(::getpid())) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_reader_goes_on_with_the_old_file) {
  std::mt19937_64 random{2};
  write_random(random, 20);
  auto const reader = Store::open(path, {.is_read_only = true}).value();
  std::string const before = describe(*reader).value();
  store::compact(path).value();
  write_random(random, 20);
  BOOST_TEST((describe(*reader).value() == before));
  BOOST_TEST(schema::number(Store::open(path, {.is_read_only = true}).value()->stats().head) == 40U);
}

BOOST_AUTO_TEST_CASE(damage_is_reported_and_the_store_stays) {
  std::mt19937_64 random{3};
  write_random(random, 20);
  change([](Environment const& environment, Transaction const& txn, Head&) {
    std::uint64_t const key = store::record_key({schema::VertexId{0}}, schema::RecordType::topic);
    store::Bytes const other(16, std::byte{0});
    BOOST_TEST_REQUIRE(store::put(environment, txn, Table::records, key, other, 0) == 0);
  });
  std::string const before = raw_bytes();
  auto const refused = store::compact(path);
  BOOST_TEST_REQUIRE(refused.has_error());
  BOOST_TEST((refused.error().code == Errc::corrupt));
  BOOST_TEST((raw_bytes() == before));
  BOOST_TEST(!has_leftovers());
}

BOOST_AUTO_TEST_CASE(an_interrupted_compaction_leaves_the_store) {
  std::mt19937_64 random{4};
  write_random(random, 400);
  std::string const before = raw_bytes();
  int calls = 0;
  for (;; calls += is_sanitized ? 7 : 1) {
    auto const stopped = store::compact(path, StopAfter{calls});
    if (stopped) break;
    BOOST_TEST_REQUIRE((stopped.error().code == Errc::cancelled));
    BOOST_TEST_REQUIRE((raw_bytes() == before));
    BOOST_TEST_REQUIRE(!has_leftovers());
  }
  BOOST_TEST(calls > 2);
  BOOST_TEST(is_sound());
}

// Claim: no byte of a deleted value is left. Method: texts that all share one phrase train the dictionary, so that the
// phrase is in it; they are deleted, and the file as it is and everything that it unpacks to are searched for it.
BOOST_AUTO_TEST_CASE(what_was_deleted_is_nowhere_afterwards) {
  std::string const phrase = "the confidential phrase of somebody";
  std::mt19937_64 random{5};
  std::vector<std::string> kept;
  std::vector<std::string> deleted;
  {
    auto const store = Store::open(path).value();
    for (int i = 0; i < 400; ++i) {
      bool const is_deleted = i % 2 == 0;
      auto& texts = is_deleted ? deleted : kept;
      texts.push_back(worded_text(random, 3000, is_deleted ? phrase + ' ' : "word"));
      store->append(history.make({.blobs = {texts.back()}}));
      store->commit().value();
    }
  }
  BOOST_TEST_REQUIRE(raw_bytes().find(phrase) != std::string::npos);
  change([&](Environment const& environment, Transaction const& txn, Head&) {
    for (std::string const& text : deleted)
      BOOST_TEST_REQUIRE(store::put_blob(environment, txn, schema::sha256(text), store::gone_value) == 0);
  });
  BOOST_TEST_REQUIRE(raw_bytes().find(phrase) != std::string::npos);
  auto const done = store::compact(path).value();
  BOOST_TEST(done.bytes_after < done.bytes_before);
  for (std::string const& piece : {phrase, phrase.substr(0, 16), phrase.substr(4, 12)}) {
    BOOST_TEST((raw_bytes().find(piece) == std::string::npos));
    BOOST_TEST((unpacked().find(piece) == std::string::npos));
  }
  BOOST_TEST(is_sound());
  {
    auto const store = Store::open(path).value();
    for (std::string const& text : kept) BOOST_TEST_REQUIRE((store->read_blob(schema::sha256(text)).value() == text));
    std::string const bytes = raw_bytes();
    for (std::string const& text : deleted) {  // no digest that a guess of the text could be held against, either
      auto const digest = schema::sha256(text);
      BOOST_TEST_REQUIRE(!store->read_blob(digest).value().has_value());
      std::string_view const seen{reinterpret_cast<char const*>(digest.bytes.data()), digest.bytes.size()};
      BOOST_TEST_REQUIRE((bytes.find(seen) == std::string::npos));
    }
    store->append(history.make({.blobs = {deleted[0], "a new text"}}));
    store->commit().value();
    BOOST_TEST((store->read_blob(schema::sha256(deleted[0])).value() == deleted[0]));
  }
  BOOST_TEST(is_sound());
}

BOOST_AUTO_TEST_CASE(what_a_killed_compaction_left_goes_at_the_next_opening) {
  (void)Store::open(path).value();
  for (bool const is_compacted : {false, true}) {
    std::filesystem::create_directory(path / "compact.partial-00112233445566778899aabbccddeeff");
    std::ofstream{path / "compact.partial-00112233445566778899aabbccddeeff" / "data.mdb"} << "half a file";
    if (is_compacted) {
      store::compact(path).value();
    } else {
      (void)Store::open(path).value();
    }
    BOOST_TEST(!has_leftovers());
  }
}

BOOST_AUTO_TEST_CASE(no_room_at_any_call_leaves_the_store) {
  std::mt19937_64 random{6};
  write_random(random, 5);
  std::string const before = raw_bytes();
  std::size_t number = 0;
  for (;; number += is_sanitized ? 7 : 1) {
    FailingCall const failing{number, number % 2 == 0 ? ENOSPC : MDB_MAP_FULL};
    try {
      auto const refused = store::compact(path);
      if (refused) break;
      Errc const expected = failing.has_failed() ? Errc::storage_full : Errc::corrupt;  // in the child that verifies
      BOOST_TEST_REQUIRE((refused.error().code == expected));
    } catch (std::system_error const&) {
      BOOST_TEST(failing.has_failed());  // while the tables of the copy were made
    }
    BOOST_TEST_REQUIRE((raw_bytes() == before));
    BOOST_TEST_REQUIRE(!has_leftovers());
  }
  BOOST_TEST(number > 20U);
  BOOST_TEST(is_sound());
}

// Claim: a process that ends at any of its file calls leaves the old store or the new one. Method: end it at the first,
// the second, ... until it reaches its end. A fault in the child that verifies is a failed check.
BOOST_AUTO_TEST_CASE(an_end_at_any_file_call_leaves_the_old_or_the_new_store) {
  std::mt19937_64 random{7};
  write_random(random, 20);
  std::string const before = described();
  std::filesystem::path const saved = directory.path() / "saved.mdb";
  std::filesystem::copy_file(path / "data.mdb", saved);
  std::size_t struck = 0;
  for (std::size_t number = 0;; number += is_sanitized ? 5 : 1) {
    int const status = run_in_child([&] {
      FileCalls const calls{FileFault::ends_the_process, number};
      return store::compact(path) ? 0 : 1;
    });
    BOOST_TEST_REQUIRE(WIFEXITED(status));
    BOOST_TEST_REQUIRE((described() == before), "file call " << number);
    BOOST_TEST_REQUIRE(is_sound());
    if (WEXITSTATUS(status) == 0) break;
    if (WEXITSTATUS(status) == exit_by_fault) ++struck;
    std::filesystem::copy_file(saved, path / "data.mdb", std::filesystem::copy_options::overwrite_existing);
  }
  BOOST_TEST(struck > 2U);
  BOOST_TEST(!has_leftovers());
}

BOOST_AUTO_TEST_CASE(samples_are_spread_over_everything) {
  store::EvenSamples samples;
  std::size_t const contents = 40'000;
  store::Bytes content(1000);
  for (std::size_t i = 0; i < contents; ++i) {
    content[0] = static_cast<std::byte>(i * 8 / contents);
    if (samples.wants_next()) samples.add(content);
  }
  BOOST_TEST(samples.contents().size() * samples.step() >= contents);
  BOOST_TEST(samples.contents().size() <= 4200U);
  for (unsigned part = 0; part < 8; ++part) {
    auto const count = std::ranges::count(samples.contents(), std::byte{static_cast<std::uint8_t>(part)},
                                          [](store::Bytes const& sample) { return sample[0]; });
    BOOST_TEST(std::abs(count * 8 - static_cast<std::ptrdiff_t>(samples.contents().size())) < 16);
  }
}

BOOST_AUTO_TEST_CASE(a_dictionary_that_is_not_worth_its_room_is_none) {
  store::EvenSamples noise;
  std::mt19937_64 random{8};
  for (int i = 0; i < 200; ++i) {
    store::Bytes content(1000);
    std::ranges::generate(content, [&] { return static_cast<std::byte>(random()); });
    if (noise.wants_next()) noise.add(content);
  }
  BOOST_TEST(!store::find_best_dictionary(noise).has_value());
  BOOST_TEST(!store::find_best_dictionary({}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
