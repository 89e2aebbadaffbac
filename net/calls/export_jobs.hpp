#pragma once
// Exports that run on the server: each writes below the store, can be asked about, stopped and fetched, and goes away.

#include "net/export_file.hpp"
#include "net/exports.hpp"
#include "net/work/alarms.hpp"
#include "net/work/progress.hpp"
#include "net/work/worker_pool.hpp"
#include "schema/base/error.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace whence::net {

/// All jobs of a service, held by a shared pointer. Every member may be called from any thread.
class ExportJobs : public std::enable_shared_from_this<ExportJobs> {
 public:
  static constexpr std::size_t jobs_max = 64;             ///< kept, finished ones too
  static constexpr unsigned running_max = 2;              ///< at a time; others wait
  static constexpr std::chrono::hours files_kept_for{1};  ///< after a job has ended

  /// `engine` and `alarms` outlive it. What an earlier process left below the store is removed.
  ExportJobs(engine::Engine const& engine, Alarms& alarms);
  /// Stops what runs and removes all files.
  ~ExportJobs();
  ExportJobs(ExportJobs const&) = delete;
  ExportJobs& operator=(ExportJobs const&) = delete;

  /// Begins a job and returns its name. `make_notify` is called with the name as JSON text to make who is told how far
  /// it is; may be empty. Fails with `limit_exceeded` where there are too many.
  [[nodiscard]] Result<std::string> start(PreparedExport prepared,
                                          std::function<Notify(std::string)> const& make_notify);

  /// The result of `export.status`. Fails with `not_found`.
  [[nodiscard]] Result<std::string> status(std::string const& job) const;

  /// Stops the job and removes its files; the result of `export.cancel`. Fails with `not_found`.
  [[nodiscard]] Result<std::string> cancel(std::string const& job);

  /// A file of a finished job; nothing where there is none.
  [[nodiscard]] std::optional<ExportFile> find(std::string const& job, std::string_view name) const;

 private:
  struct Job;
  [[nodiscard]] Result<std::shared_ptr<Job>> get(std::string const& job) const;
  void run(Job& job);
  void forget(std::string const& job);

  std::filesystem::path const folder_;
  Alarms& alarms_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Job>> jobs_;  ///< guarded by mutex_
  std::unique_ptr<WorkerPool> pool_;                            ///< last: its threads use the rest
};

}  // namespace whence::net
