// Claim: columns of indexed fields are read back at a start and answer as the records do; their file goes with any
// content.
#include "graph/columns/field_columns.hpp"
#include "store/checkpoint/checkpoint.hpp"
#include "store/verify/verify.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/wait_until.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::RecordType;

std::string bytes_of(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

schema::Response by_agent(std::string agent, std::string id) {
  auto made = response(std::move(id), {"cu_a"});
  made.agent = std::move(agent);
  return made;
}

/// A store whose columns have a checkpoint.
struct ColumnsKept : EngineFixture {
  std::filesystem::path const file = config.directory / store::file_name_of(store::CheckpointOf::columns);

  ColumnsKept() {
    config.checkpoint_rows = 1;
    reopen();
    write({unit("cu_a"), by_agent("agent of Anna", "resp_a"), by_agent("agent of Ben", "resp_b")}).value();
    wait_for_columns();
    engine->finish_checkpoints({});
    BOOST_REQUIRE(std::filesystem::exists(file));
  }

  void wait_for_columns() {
    BOOST_REQUIRE(wait_until([&] { return engine->columns()->figures().is_built; }));
  }

  /// Responses of an agent, and in `unknown` those whose records have to be read.
  graph::ColumnMatches of_agent(std::string const& agent) {
    std::vector<std::string> const wanted = {agent};
    graph::ColumnCondition const condition{.field = "agent", .equals = wanted};
    schema::NoInterrupt const never;
    schema::Poll poll(never);
    return engine->columns()->find(engine->snapshot(), RecordType::response, {&condition, 1}, {}, poll).value().value();
  }

  void purge(std::string id) {
    engine::WriteBatch given;
    given.step = engine::ContentRemoval{.is_purge = true, .refs = {{RecordType::response, std::move(id)}}};
    write_batch(std::move(given)).value();
  }
};

BOOST_FIXTURE_TEST_SUITE(columns_checkpoint, ColumnsKept)

BOOST_AUTO_TEST_CASE(a_start_reads_them_back_and_follows_from_there) {
  reopen();
  wait_for_columns();
  BOOST_TEST(of_agent("agent of Anna").count == 1U);
  BOOST_TEST(of_agent("agent of Anna").unknown.empty());
  write({by_agent("agent of Anna", "resp_c")}).value();
  BOOST_TEST(wait_until([&] { return of_agent("agent of Anna").unknown.empty(); }));
  BOOST_TEST(of_agent("agent of Anna").count == 2U);
  BOOST_TEST(store::verify(config.directory, true).value().is_ok);
}

BOOST_AUTO_TEST_CASE(no_byte_of_a_purged_text_stays_in_the_file) {
  BOOST_TEST(bytes_of(file).find("agent of Anna") != std::string::npos);
  purge("resp_a");
  BOOST_TEST(!std::filesystem::exists(file));
  engine->finish_checkpoints({});
  BOOST_TEST(bytes_of(file).find("agent of Anna") == std::string::npos);
  BOOST_TEST(bytes_of(file).find("agent of Ben") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_from_before_a_purge_is_removed) {
  auto const saved = config.directory / "saved";
  std::filesystem::copy_file(file, saved);
  purge("resp_a");
  engine.reset();
  std::filesystem::rename(saved, file);
  open();
  BOOST_TEST(wait_until([&] { return bytes_of(file).find("agent of Anna") == std::string::npos; }));
  BOOST_TEST(of_agent("agent of Ben").count == 1U);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_said_by_verify_and_read_anew) {
  engine.reset();
  auto bytes = bytes_of(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  BOOST_TEST(!store::verify(config.directory).value().is_ok);
  open();
  wait_for_columns();
  BOOST_TEST(of_agent("agent of Anna").count == 1U);
}

BOOST_FIXTURE_TEST_CASE(an_attempt_that_fails_is_counted_and_told_once, EngineFixture) {
  struct Told {
    std::mutex mutex = {};
    std::vector<std::string> troubles = {};
  };
  auto const told = std::make_shared<Told>();  // the engine outlives this function
  auto const of_columns = [told] {
    std::scoped_lock const lock{told->mutex};
    return std::ranges::count_if(told->troubles, [](std::string const& each) {
      return each.starts_with("columns: ") && each.ends_with("the next start reads the records instead");
    });
  };
  config.checkpoint_rows = 1;
  config.on_trouble = [told](std::string_view trouble) {
    std::scoped_lock const lock{told->mutex};
    told->troubles.emplace_back(trouble);
  };
  reopen();
  auto const file = config.directory / store::file_name_of(store::CheckpointOf::columns);
  std::filesystem::create_directories(file / "in the way");
  write({unit("cu_a"), by_agent("agent of Anna", "resp_a")}).value();
  BOOST_TEST(wait_until([&] { return engine->checkpoints().columns_failed > 0; }));
  BOOST_TEST(engine->columns()->figures().is_built);  // searches do without
  engine->finish_checkpoints({});
  BOOST_TEST(engine->checkpoints().columns_failed >= 2U);
  BOOST_TEST(engine->checkpoints().columns_made == 0U);
  BOOST_TEST(of_columns() == 1);
  std::filesystem::remove_all(file);
  engine->finish_checkpoints({});
  BOOST_TEST(engine->checkpoints().columns_made == 1U);
  BOOST_TEST(std::filesystem::is_regular_file(file));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
