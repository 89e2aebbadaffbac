#pragma once
// The surroundings of an engine in tests: a clock that stays until it is set, ids that count, a directory of one's
// own.

#include "engine/engine.hpp"
#include "schema/base/time.hpp"
#include "tests/support/builders.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

namespace whence::test {

/// Returns `now` until set. Callable from any thread.
class SettableClock final : public schema::Clock {
 public:
  explicit SettableClock(schema::Time now) : seconds_(now.seconds), nanos_(now.nanos) {}
  [[nodiscard]] schema::Time now() const override { return {seconds_.load(), nanos_.load()}; }
  /// Not seen as one step by a thread that reads meanwhile.
  void set(schema::Time now) {
    seconds_ = now.seconds;
    nanos_ = now.nanos;
  }

 private:
  std::atomic<std::int64_t> seconds_;
  std::atomic<std::uint32_t> nanos_;
};

/// "00000001-0000-4000-8000-000000000000" and so on: their heads differ, of which the ids of requests are made.
class CountingIds final : public engine::IdSource {
 public:
  [[nodiscard]] std::string uuid() override {
    auto const digits = std::to_string(++last_);
    return std::string(8 - digits.size(), '0') + digits + "-0000-4000-8000-000000000000";
  }

 private:
  std::uint64_t last_ = 0;
};

/// A fresh directory that goes away with its owner.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    auto pattern = (std::filesystem::temp_directory_path() / "whence-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "mkdtemp");
    }
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(TemporaryDirectory const&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// An engine on a directory of its own, at an hour after the records' time.
struct EngineFixture {
  TemporaryDirectory directory;
  SettableClock clock{at_second(3600)};
  CountingIds ids;
  engine::EngineConfig config{.directory = directory.path() / "store"};
  std::unique_ptr<engine::Engine> engine;

  EngineFixture() { open(); }

  void open() {
    auto opened = engine::Engine::open(config, clock, ids);
    if (!opened) throw std::runtime_error("cannot open the test's store: " + opened.error().message);
    engine = std::move(*opened);
  }

  /// Closes the store and opens it again, as a restart would.
  void reopen() {
    engine.reset();
    open();
  }

  Result<engine::WriteAnswer> write(std::vector<schema::Record> records) {
    return engine->write(batch(std::move(records)));
  }
  Result<engine::WriteAnswer> write_batch(engine::WriteBatch given) { return engine->write(std::move(given)); }
};

}  // namespace whence::test
