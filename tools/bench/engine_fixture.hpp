#pragma once
// An engine on a new directory, and the workload as its batches.

#include "engine/engine.hpp"
#include "tools/bench/data/workload.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace whence::bench {

/// A directory that is emptied at the start and removed at the end.
class Scratch {
 public:
  explicit Scratch(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;

  [[nodiscard]] std::string file(std::string const& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// The steps as typed records, ready to be written.
[[nodiscard]] inline std::vector<engine::WriteBatch> batches_of(std::vector<Step> const& steps, std::size_t per_batch) {
  std::vector<engine::WriteBatch> batches;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i % per_batch == 0) batches.emplace_back();
    append_records(steps[i], batches.back().records);
  }
  return batches;
}

/// An open engine; throws std::runtime_error if anything is refused.
class OpenEngine {
 public:
  explicit OpenEngine(std::string const& directory, std::unique_ptr<store::SharedLog> log = nullptr,
                      engine::SearchBy search = engine::SearchBy::nothing) {
    engine::EngineConfig config;
    config.search = search;
    config.directory = directory;
    auto opened = engine::Engine::open(config, clock_, ids_, std::move(log));
    if (!opened) throw std::runtime_error(opened.error().message);
    engine_ = std::move(*opened);
  }

  OpenEngine(OpenEngine const&) = delete;  // the engine refers to the clock
  OpenEngine& operator=(OpenEngine const&) = delete;

  engine::Engine& operator*() const { return *engine_; }
  engine::Engine* operator->() const { return engine_.get(); }

  void write(engine::WriteBatch batch) const {
    auto const answer = engine_->write(std::move(batch));
    if (!answer) throw std::runtime_error(answer.error().message);
  }

  void write_all(std::vector<Step> const& steps, std::size_t per_batch) {
    for (auto& batch : batches_of(steps, per_batch)) write(std::move(batch));
  }

  /// What a server has soon after its start: fields in memory. Waits for them.
  [[nodiscard]] auto columns() const {
    while (!engine_->columns()->figures().is_built) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return engine_->columns();
  }

 private:
  schema::SystemClock clock_;
  engine::RandomIds ids_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace whence::bench
