// Packed values: what is written comes back, stores get their dictionaries in time, and no value harms its reader.

#include "store/packing/packing.hpp"

#include "store/lmdb/data_file.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/store.hpp"
#include "store/upkeep/backup.hpp"
#include "store/upkeep/upgrade.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/failing_calls.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using store::Bytes;
using store::Environment;
using store::Head;
using store::Store;
using store::Table;
using store::Transaction;

/// Sentences of words from a small vocabulary; a number of its own in each text.
std::string text_of(std::uint32_t number, std::size_t bytes) {
  std::mt19937 random{number};
  std::string text = "text " + std::to_string(number) + ":";
  while (text.size() < bytes) text += " word" + std::to_string(random() % 400) + (random() % 9 == 0 ? "." : "");
  return text;
}

std::vector<std::string> texts_of(std::uint32_t first, std::uint32_t count) {
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < count; ++i) texts.push_back(text_of(first + i, 3000));
  return texts;
}

Environment opened_environment(std::filesystem::path const& path) {
  return store::open_environment(path, {.map_bytes = std::uint64_t{1} << 30, .flags = MDB_NOLOCK}).value();
}

/// Works on the closed store and writes its head anew.
void work_on(std::filesystem::path const& path,
             std::function<void(Environment const&, Transaction const&, Head&)> const& work) {
  Environment const environment = opened_environment(path);
  Head head = read_head(environment, Transaction{environment, Transaction::Kind::read}).value();
  Transaction txn{environment, Transaction::Kind::write};
  work(environment, txn, head);
  BOOST_TEST_REQUIRE(write_head(environment, txn, head) == 0);
  BOOST_TEST_REQUIRE(txn.commit() == 0);
}

/// All values of a table of a closed store, in the order of its keys.
std::vector<Bytes> values_of(std::filesystem::path const& path, Table table) {
  Environment const environment = opened_environment(path);
  Transaction const txn{environment, Transaction::Kind::read};
  store::Cursor cursor{environment, txn, table};
  std::vector<Bytes> values;
  for (auto entry = cursor.next().value(); entry; entry = cursor.next().value()) {
    values.emplace_back(entry->value.begin(), entry->value.end());
  }
  return values;
}

/// Units with long texts, each named by its number.
std::vector<schema::Record> long_units(std::uint32_t first, std::uint32_t count) {
  std::vector<schema::Record> units;
  for (std::uint32_t i = first; i < first + count; ++i) {
    units.emplace_back(schema::ContextUnit{
        .id = "cu_" + std::to_string(i), .source = "s", .timestamp = at_second(1), .content = text_of(i, 3000)});
  }
  return units;
}

/// Stages all of `commit`, a few contents at a time.
void stage_in_pieces(Store const& store, store::Commit& commit, std::size_t contents_at_once) {
  std::span const rows{commit.rows};
  std::span const revisions{commit.revisions};
  std::span const contents{commit.contents};
  for (std::size_t begin = 0; begin < contents.size(); begin += contents_at_once) {
    auto const end = std::min(contents.size(), begin + contents_at_once);
    auto const first_row = std::min(begin, rows.size());
    auto const last_row = std::min(end, rows.size());
    commit.staged.push_back(store.stage(rows.subspan(first_row, last_row - first_row),
                                        revisions.subspan(begin - first_row, end - last_row - (begin - first_row)),
                                        contents.subspan(begin, end - begin)));
  }
}

struct PackingFixture {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "store";
  History history;
  std::unique_ptr<Store> store = Store::open(path).value();

  void reopen() {
    store.reset();
    store = Store::open(path).value();
  }
  void write(std::vector<std::string> texts) {
    store->append(history.make({.blobs = std::move(texts)}));
    store->commit().value();
  }
  void must_read(std::vector<std::string> const& texts) const {
    for (std::string const& text : texts) BOOST_TEST_REQUIRE((store->read_blob(schema::sha256(text)).value() == text));
  }
  /// The first byte of the value of each of these blobs.
  std::vector<unsigned> packings(std::vector<std::string> const& texts) {
    store.reset();
    std::vector<unsigned> found;
    {
      Environment const environment = opened_environment(path);
      Transaction const txn{environment, Transaction::Kind::read};
      for (std::string const& text : texts) {
        schema::Digest const digest = schema::sha256(text);
        Bytes pieces;
        auto const value = find_blob(environment, txn, digest, pieces).value().value();
        found.push_back(static_cast<unsigned>(value[0]));
      }
    }
    store = Store::open(path).value();
    return found;
  }
  bool is_sound() {
    store.reset();
    auto const report = store::verify(path).value();
    for (auto const& problem : report.problems)
      BOOST_TEST_MESSAGE(problem.where << ' ' << problem.rule << ' ' << problem.message);
    store = Store::open(path).value();
    return report.is_ok;
  }
};

BOOST_FIXTURE_TEST_SUITE(packing, PackingFixture)

BOOST_AUTO_TEST_CASE(the_group_with_enough_samples_brings_a_dictionary_and_uses_it) {
  auto const few = texts_of(0, 5);
  auto const early = texts_of(5, 50);
  auto const late = texts_of(55, 150);
  write(few);
  BOOST_TEST((packings(few) == std::vector<unsigned>(5, store::packed_alone)));
  write(early);
  BOOST_TEST((packings(early) == std::vector<unsigned>(50, 1)));
  BOOST_TEST((packings(few) == std::vector<unsigned>(5, 1)));  // what was there is packed again
  write(late);
  BOOST_TEST((packings(late) == std::vector<unsigned>(150, 2)));
  BOOST_TEST((packings(early) == std::vector<unsigned>(50, 2)));
  reopen();
  auto const later = texts_of(205, 150);
  write(later);
  BOOST_TEST((packings(later) == std::vector<unsigned>(150, 2)));  // it was the last
  must_read(few);
  must_read(early);
  must_read(late);
  BOOST_TEST(is_sound());
}

// Claim: a group that packs again what was there does so whole or not at all, and what is gone stays gone.
// Method: each LMDB call of the group that brings a dictionary fails in turn.
BOOST_AUTO_TEST_CASE(what_was_there_is_packed_again_or_stays_as_it_was) {
  auto const kept = texts_of(0, 5);
  auto const removed = text_of(900, 3000);
  write(kept);
  write({removed});
  auto removal = history.make({.put = long_units(0, 1)});
  removal.removed_blobs = {schema::sha256(removed)};
  store->append(std::move(removal));
  store->commit().value();
  auto const tx = history.tx();
  auto const vertices = history.vertices();
  auto const texts = texts_of(5, 50);
  for (std::size_t number = 0;; ++number) {
    store->append(history.make({.put = long_units(1, 10), .blobs = texts}));
    {
      FailingCall const failing{number, MDB_MAP_FULL};
      if (store->commit()) {
        BOOST_TEST(number > 100U);  // what is packed again, and the group
        break;
      }
    }
    history.rewind(tx, vertices);
    if (number % 50 == 0) BOOST_TEST((packings(kept) == std::vector<unsigned>(5, store::packed_alone)));
  }
  BOOST_TEST((packings(kept) == std::vector<unsigned>(5, packings(texts).front())));
  must_read(kept);
  must_read(texts);
  BOOST_TEST((store->read_blob(schema::sha256(removed)).error().code == Errc::purged));
  BOOST_TEST(is_sound());
}

// Claim: rows and contents that are staged ahead, in pieces, leave the same bytes as those that `append` stages.
// Method: equal commits with revisions go to two stores, before and after the dictionary of their contents.
BOOST_AUTO_TEST_CASE(what_is_staged_ahead_leaves_the_same_bytes) {
  auto const other_path = directory.path() / "other";
  std::filesystem::create_directory(other_path);
  std::filesystem::copy(path / "data.mdb", other_path);  // with the same key
  auto other = Store::open(other_path).value();
  for (std::uint32_t round = 0; round < 6; ++round) {
    auto units = long_units(round * 60, 60);
    Revise revised{.record = units.front()};
    std::get<schema::ContextUnit>(revised.record).summary = "revised";
    auto commit = history.make({.put = std::move(units), .revise = {revised}});
    auto staged = commit;
    stage_in_pieces(*other, staged, 7);
    store->append(std::move(commit));
    store->commit().value();
    other->append(std::move(staged));
    other->commit().value();
  }
  store.reset();
  other.reset();
  for (auto const table : {Table::log, Table::graph, Table::records}) {
    BOOST_TEST((values_of(path, table) == values_of(other_path, table)), store::name_of(table));
  }
  BOOST_TEST(std::ranges::count(values_of(path, Table::records), std::byte{2},
                                [](Bytes const& value) { return value[0]; }) > 60);
  BOOST_TEST(store::verify(other_path).value().is_ok);
  store = Store::open(path).value();
}

BOOST_AUTO_TEST_CASE(contents_of_earlier_openings_are_samples_too) {
  for (std::uint32_t i = 0; i < 10; ++i) {
    write(texts_of(i * 20, 20));
    reopen();
  }
  BOOST_TEST((packings({text_of(0, 3000)}) == std::vector<unsigned>{2}));
  BOOST_TEST((packings({text_of(199, 3000)}) == std::vector<unsigned>{2}));
  must_read(texts_of(0, 200));
  BOOST_TEST(is_sound());
}

BOOST_AUTO_TEST_CASE(a_reader_sees_a_dictionary_that_came_after_its_opening) {
  auto const reader = Store::open(path, {.is_read_only = true}).value();
  auto const texts = texts_of(0, 200);
  write(texts);
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<std::size_t> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::string const& text : texts) {
        if (reader->read_blob(schema::sha256(text)).value() == text) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(right == 4 * texts.size());
}

BOOST_AUTO_TEST_CASE(a_group_that_was_refused_leaves_no_dictionary) {
  auto const texts = texts_of(0, 200);
  for (std::size_t const number :
       {0U, 100U, 402U, 403U, 404U}) {  // entry, block, 200 blobs and their numbers, dictionary, head, commit
    store->append(history.make({.blobs = texts}));
    {
      FailingCall const failing{number, MDB_MAP_FULL};
      BOOST_TEST((store->commit().error().code == Errc::storage_full));
      BOOST_TEST(failing.has_failed());
    }
    history.rewind(schema::TxId{0}, 0);
  }
  auto const others = texts_of(500, 50);
  write(others);
  BOOST_TEST((packings(others) == std::vector<unsigned>(50, 1)));
  write(texts);
  BOOST_TEST((packings(texts) == std::vector<unsigned>(200, 2)));
  BOOST_TEST(is_sound());
}

BOOST_AUTO_TEST_CASE(a_backup_carries_the_dictionaries) {
  auto const texts = texts_of(0, 200);
  write(texts);
  store->backup(directory.path() / "copy").value();
  store::restore(directory.path() / "copy", directory.path() / "restored").value();
  BOOST_TEST(store::verify(directory.path() / "restored").value().is_ok);
  store = Store::open(directory.path() / "restored").value();
  must_read(texts);
}

BOOST_AUTO_TEST_CASE(a_store_of_the_last_format_is_not_upgraded) {
  store.reset();
  auto const done = store::upgrade(path, directory.path() / "before").value();
  BOOST_TEST(done.from == 4U);
  BOOST_TEST(done.to == 4U);
  BOOST_TEST(!done.written.has_value());
  BOOST_TEST(!std::filesystem::exists(directory.path() / "before"));
}

BOOST_AUTO_TEST_CASE(a_store_of_an_older_format_is_refused_with_what_to_do) {
  store.reset();
  work_on(path, [](Environment const&, Transaction const&, Head& head) { head.format = 3; });
  for (auto const& error : {Store::open(path).error(), store::upgrade(path, {}).error()}) {
    BOOST_TEST(error.code == Errc::invalid_request);
    BOOST_TEST(error.message.find("the store is of format 3, this program reads format 4: an older program wrote it") !=
               std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_store_of_a_newer_format_is_refused_with_what_to_do) {
  store.reset();
  work_on(path, [](Environment const&, Transaction const&, Head& head) { head.format = 5; });
  for (auto const& error : {Store::open(path).error(), store::upgrade(path, {}).error()}) {
    BOOST_TEST(error.code == Errc::invalid_request);
    BOOST_TEST(error.message.find("the store is of format 5, this program reads format 4: a newer program wrote it") !=
               std::string::npos);
    BOOST_TEST(error.message.find("restore a backup from before the upgrade") != std::string::npos);
  }
  BOOST_TEST(store::find_format(path).value() == 5U);
}

BOOST_AUTO_TEST_CASE(damage_to_dictionaries_is_found) {
  auto const texts = texts_of(0, 200);
  write(texts);
  store.reset();
  Bytes value;
  auto const replace = [&](std::uint64_t number, Bytes const& with) {
    work_on(path, [&](Environment const& environment, Transaction const& txn, Head&) {
      auto const found = find(environment, txn, Table::meta, 1).value();
      if (value.empty() && found) value.assign(found->begin(), found->end());
      BOOST_TEST_REQUIRE(store::put(environment, txn, Table::meta, number, with, 0) == 0);
    });
  };
  replace(1, Bytes(40, std::byte{1}));
  BOOST_TEST(!store::verify(path).value().is_ok);
  BOOST_TEST((Store::open(path).value()->read_blob(schema::sha256(texts[0])).error().code == Errc::corrupt));
  for (std::size_t const at : {std::size_t{0}, std::size_t{32}, std::size_t{33}, value.size() - 1}) {
    Bytes flipped = value;
    flipped[at] ^= std::byte{1};
    replace(1, flipped);
    BOOST_TEST(!store::verify(path).value().is_ok, "byte " << at);
  }
  replace(1, value);
  BOOST_TEST(store::verify(path).value().is_ok);
  replace(2, value);  // its digest covers its number
  BOOST_TEST(!store::verify(path).value().is_ok);
}

BOOST_AUTO_TEST_CASE(a_value_packed_in_no_known_way_is_corrupt) {
  write(texts_of(0, 2));
  store.reset();
  Environment const environment = opened_environment(path);
  store::Unpacker const unpacker{environment};
  Transaction const txn{environment, Transaction::Kind::read};
  for (unsigned how = 1; how <= 0xff; ++how) {
    for (std::size_t const size : {1U, 2U, 200U}) {
      Bytes value(size, std::byte{0x7e});
      value[0] = static_cast<std::byte>(how);
      Bytes room;
      BOOST_TEST((unpacker.unpack(txn, value, room).error().code == Errc::corrupt), how << ", " << size << " bytes");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(packed_frames)

std::span<std::byte const> bytes_of_text(std::string const& text) {
  return std::as_bytes(std::span{text});
}

store::Samples some_samples() {
  store::Samples samples;
  for (std::uint32_t i = 0; !samples.is_enough(); ++i) samples.add(bytes_of_text(text_of(i, 1500)));
  return samples;
}

BOOST_AUTO_TEST_CASE(come_back_as_they_were_or_stay_out) {
  auto const trained = store::train_dictionary(some_samples()).value();
  store::PackDictionary const pack{trained};
  store::UnpackDictionary const unpack{trained};
  store::Compressor compressor;
  std::mt19937 random{3};
  for (std::size_t const size : {0U, 1U, 63U, 64U, 500U, 5000U, 300'000U}) {
    for (bool const is_noise : {false, true}) {
      std::string content = text_of(77, size).substr(0, size);
      if (is_noise) std::ranges::generate(content, [&] { return static_cast<char>(random()); });
      for (bool const has_dictionary : {false, true}) {
        Bytes out(3);
        if (!compressor.append(bytes_of_text(content), has_dictionary ? &pack : nullptr, out)) {
          BOOST_TEST(out.size() == 3U);
          continue;
        }
        BOOST_TEST(out.size() < 3 + content.size());
        Bytes back;
        store::decompress(std::span{out}.subspan(3), has_dictionary ? &unpack : nullptr, back).value();
        BOOST_TEST(std::ranges::equal(back, bytes_of_text(content)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(with_any_bytes_are_refused_or_read_and_never_large) {
  std::uint64_t const seed = seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  std::mt19937_64 random{seed};
  store::UnpackDictionary const unpack{store::train_dictionary(some_samples()).value()};
  store::Compressor compressor;
  Bytes good;
  std::string const content = text_of(5, 2000);
  BOOST_TEST_REQUIRE(compressor.append(bytes_of_text(content), nullptr, good));
  Bytes back;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bad = good;
    if (random() % 4 == 0) std::ranges::generate(bad, [&] { return static_cast<std::byte>(random()); });
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    for (auto flips = random() % 4; flips > 0 && !bad.empty(); --flips)
      bad[random() % bad.size()] ^= static_cast<std::byte>(1 + random() % 255);
    back.clear();
    auto const read = store::decompress(bad, random() % 2 == 0 ? &unpack : nullptr, back);
    BOOST_TEST_REQUIRE((read || read.error().code == Errc::corrupt));
    if (read) BOOST_TEST_REQUIRE(back.size() <= store::packed_content_bytes_max);
  }
}

BOOST_AUTO_TEST_CASE(that_claim_too_much_are_not_believed) {
  Bytes back;
  for (std::uint64_t const claimed : {std::uint64_t{store::packed_content_bytes_max} + 1, std::uint64_t{1} << 62}) {
    Bytes frame{std::byte{0xe0}};  // one segment, its size in eight bytes
    store::put_fixed(frame, claimed);
    store::put_bytes(frame, Bytes{std::byte{1}, std::byte{0}, std::byte{0}});  // an empty last block
    BOOST_TEST((store::decompress(frame, nullptr, back).error().code == Errc::corrupt));
    BOOST_TEST(back.capacity() < std::size_t{1} << 20);
  }
  Bytes const unsaid{std::byte{0x00}, std::byte{0x58}, std::byte{1}, std::byte{0}, std::byte{0}};
  BOOST_TEST((store::decompress(unsaid, nullptr, back).error().code == Errc::corrupt));
  BOOST_TEST((store::decompress({}, nullptr, back).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
