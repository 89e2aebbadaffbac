// Starting from a checkpoint gives the same engine as replaying the log.
#include "store/checkpoint/checkpoint.hpp"

#include "store/verify/verify.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"
#include "tests/support/fixtures.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::TxId;

/// A store with a checkpoint of transaction 3 and two transactions after it.
struct Checkpointed : EngineFixture {
  std::filesystem::path const file = config.directory / store::file_name_of(store::CheckpointOf::graph);

  Checkpointed() {
    write({unit("cu_a"), unit("cu_b"), response("resp_a", {"cu_a", "cu_b"})}).value();
    write({feedback("fb_a", "resp_a", -1)}).value();
    write({next_version("cu_c", "cu_b", 2)}).value();
    BOOST_TEST((engine->make_checkpoint().value().tx == TxId{3}));
    write({response("resp_b", {"cu_c", "cu_b"})}).value();
    write_batch(removing({"Response:resp_b"})).value();
  }

  /// Opens it, compares it with what a replay makes, and writes on.
  void check_start(TxId from, bool is_refused) {
    reopen();
    auto const counts = engine->checkpoints();
    BOOST_TEST((counts.started_from == from));
    BOOST_TEST(counts.refused.has_value() == is_refused);
    auto const snapshot = engine->snapshot();
    BOOST_TEST((snapshot.tx() == TxId{5}));
    BOOST_TEST(snapshot.vertex_count() == 6U);
    BOOST_TEST(!snapshot.find(schema::RecordType::response, "resp_b"));
    auto const unit_b = snapshot.find(schema::RecordType::context_unit, "cu_b").value();
    BOOST_TEST((snapshot.state(unit_b).status != graph::UnitStatus::active));
    BOOST_TEST(snapshot.effects(unit_b).size() == 2U);
    BOOST_TEST((write({response("resp_c", {"cu_a"})}).value().tx == TxId{6}));
    BOOST_TEST(store::verify(config.directory, true).value().is_ok);
  }
};

BOOST_FIXTURE_TEST_SUITE(checkpoints, Checkpointed)

BOOST_AUTO_TEST_CASE(the_tail_is_replayed) {
  check_start(TxId{3}, false);
  reopen();
  BOOST_TEST(engine->checkpoints().replayed == 3U);
}

BOOST_AUTO_TEST_CASE(a_missing_one_is_no_error) {
  std::filesystem::remove(file);
  check_start(TxId{0}, false);
}

BOOST_AUTO_TEST_CASE(a_cut_one_is_refused_and_removed) {
  engine.reset();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  BOOST_TEST(!store::verify(config.directory).value().is_ok);
  check_start(TxId{0}, true);
  BOOST_TEST(!std::filesystem::exists(file));
}

BOOST_AUTO_TEST_CASE(one_of_another_store_is_refused) {
  EngineFixture other;
  other.write({unit("cu_x")}).value();
  other.engine->make_checkpoint().value();
  std::filesystem::copy_file(other.config.directory / store::file_name_of(store::CheckpointOf::graph), file,
                             std::filesystem::copy_options::overwrite_existing);
  check_start(TxId{0}, true);
}

BOOST_AUTO_TEST_CASE(any_flipped_byte_is_found_or_means_nothing) {
  engine.reset();
  auto const size = std::filesystem::file_size(file);
  std::string const saved = [&] {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  int refused = 0;
  for (std::uint64_t at = 0; at < size; at += at < 4096 ? 61 : size / 40) {
    auto damaged = saved;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(file, std::ios::binary) << damaged;
    open();
    auto const snapshot = engine->snapshot();
    BOOST_TEST((snapshot.tx() == TxId{5}));
    BOOST_TEST(snapshot.find(schema::RecordType::context_unit, "cu_c").has_value());
    if (engine->checkpoints().refused) ++refused;
    engine.reset();
  }
  BOOST_TEST(refused > 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
