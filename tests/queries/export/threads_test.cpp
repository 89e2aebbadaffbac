// Claim: an export has the same bytes whatever the number of threads, and one that fails or is cancelled leaves
// nothing. Method: a graph of several slices of nodes, edges and log lines, in every format, with 1, 2 and 4 threads;
// then with a store that cannot give one record, a sink that is full, and an interrupt.

#include "queries/export/export.hpp"
#include "queries/export/formats/table.hpp"
#include "schema/base/sink.hpp"
#include "store/files/destination.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fixtures.hpp"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// Files in memory, with room for so many bytes.
struct SmallFolder final : schema::SinkFolder {
  struct File final : schema::Sink {
    File(std::string file_name, SmallFolder& its_folder) : name(std::move(file_name)), folder(its_folder) {}
    void write(std::string_view bytes) override {
      if (bytes.size() > folder.room) throw std::system_error(ENOSPC, std::generic_category());
      folder.room -= bytes.size();
      folder.texts[name].append(bytes);
    }
    schema::FileSummary finish() override {
      auto const& text = folder.texts[name];
      return {.name = name, .bytes = text.size(), .sha256 = schema::sha256(text)};
    }
    std::string name;
    SmallFolder& folder;
  };

  std::unique_ptr<schema::Sink> open(std::string_view name) override {
    return std::make_unique<File>(std::string(name), *this);
  }

  std::size_t room = std::size_t{1} << 30;
  std::map<std::string, std::string> texts = {};
};

/// Gives no content of one node.
struct BrokenReader final : schema::RecordReader {
  explicit BrokenReader(schema::RecordReader const& its_inner) : inner(its_inner) {}
  Result<void> read(std::span<schema::ContentId const> contents,
                    std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const override {
    for (auto const& content : contents) {
      if (content.vertex == broken) return Error{.code = Errc::corrupt, .message = "broken"};
    }
    return inner.read(contents, visit);
  }
  Result<std::optional<std::string>> read_blob(schema::Digest const& digest) const override {
    return inner.read_blob(digest);
  }
  schema::RecordReader const& inner;
  schema::VertexId broken{5000};
};

/// Stops after some looks.
class StopLater final : public schema::Interrupt {
 public:
  explicit StopLater(int looks) : left_(looks) {}
  [[nodiscard]] schema::Stop check(std::uint64_t) const noexcept override {
    return --left_ < 0 ? schema::Stop::cancelled : schema::Stop::none;
  }

 private:
  mutable std::atomic<int> left_;
};

/// 3,000 units and 3,000 responses on ten of them each; ratings and derived units.
struct WideWorld : EngineFixture {
  WideWorld() {
    std::size_t unit_count = 0;
    for (int part = 0; part < 6; ++part) {
      std::vector<schema::Record> records;
      for (int i = 0; i < 500; ++i)
        records.emplace_back(unit("cu_" + std::to_string(unit_count++), "a <\"text\"> & more"));
      for (int i = 0; i < 500; ++i)
        records.emplace_back(response("resp_" + std::to_string(part * 500 + i), uses(i, unit_count)));
      records.emplace_back(derived("cu_derived_" + std::to_string(part), {"cu_10", "cu_" + std::to_string(part)}));
      records.emplace_back(feedback("fb_" + std::to_string(part), "resp_" + std::to_string(part * 500), 0.5));
      auto const written = write(std::move(records));
      BOOST_REQUIRE_MESSAGE(written.has_value(), (written ? "" : written.error().message));
    }
  }

  static Uses uses(int seed, std::size_t unit_count) {
    Uses used;
    for (std::size_t i = 0; i < 10; ++i) {
      auto const place = (static_cast<std::size_t>(seed) * 7919 + i * 131) % unit_count;
      used.push_back({"cu_" + std::to_string(place), 0.1});
    }
    return used;
  }

  exports::Source source(schema::RecordReader const& records) {
    auto const head = engine->snapshot();
    return {.view = {.snapshot = head, .records = &records},
            .read_deltas = [this, head](schema::TxId first,
                                        auto const& visit) { return engine->read_deltas(first, head, visit); },
            .epoch = engine->epoch(),
            .version = "test"};
  }

  Result<exports::ExportReport> run(exports::Format const& format, unsigned threads, schema::SinkFolder& folder,
                                    schema::Interrupt const& interrupt = schema::NoInterrupt{}) {
    return exports::write_export(source(engine->records()), {.format = &format, .threads = threads}, folder, {},
                                 interrupt);
  }
};

BOOST_FIXTURE_TEST_SUITE(export_threads, WideWorld)

BOOST_AUTO_TEST_CASE(any_number_of_threads_gives_the_same_bytes) {
  for (auto const& format : exports::formats()) {
    SmallFolder one;
    auto const alone = run(format, 1, one);
    BOOST_REQUIRE(alone.has_value());
    for (unsigned const threads : {2U, 4U, 100U}) {
      SmallFolder more;
      auto const made = run(format, threads, more);
      BOOST_REQUIRE(made.has_value());
      BOOST_TEST(made->manifest == alone->manifest, format.name << " by " << threads);
      BOOST_TEST((more.texts == one.texts), format.name << " by " << threads);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_slice_that_cannot_be_read_ends_the_export) {
  BrokenReader const reader{engine->records()};
  for (auto const& format : exports::formats()) {
    TemporaryDirectory folder;
    {
      auto destination =
          store::Destination::create(folder.path() / "out", store::Destination::Shape::folder, {}).value();
      auto const made = exports::write_export(source(reader), {.format = &format, .threads = 4}, destination, {},
                                              schema::NoInterrupt{});
      BOOST_REQUIRE(!made.has_value());
      BOOST_TEST(made.error().code == Errc::corrupt, format.name);
    }
    BOOST_TEST(std::filesystem::is_empty(folder.path()), format.name);
  }
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_thrown_to_the_caller) {
  for (auto const& format : exports::formats()) {
    SmallFolder folder;
    folder.room = 300'000;
    BOOST_CHECK_THROW((void)run(format, 4, folder), std::system_error);
  }
}

BOOST_AUTO_TEST_CASE(a_cancelled_export_ends_with_all_of_its_threads) {
  for (auto const& format : exports::formats()) {
    SmallFolder folder;
    auto const made = run(format, 4, folder, StopLater{0});
    BOOST_REQUIRE(!made.has_value());
    BOOST_TEST(made.error().code == Errc::cancelled, format.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
