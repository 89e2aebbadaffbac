#pragma once
// Runs long work in the background: named jobs with progress, cancellation and files that expire.

#include "engine/jobs/job.hpp"
#include "schema/threads/thread_guard.hpp"
#include "store/files/destination.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace whence::engine {

struct JobsConfig {
  std::filesystem::path folder;  ///< holds one folder per job and nothing else; made when it is needed
  std::size_t jobs_max = 64;     ///< known at a time, finished ones included
  unsigned running_max = 2;      ///< at a time; others wait
  std::chrono::milliseconds kept_for = std::chrono::hours{1};  ///< how long a job is known after it has ended
  std::function<void(std::filesystem::path const&)> remove_tree = store::remove_tree;  ///< replaced by tests
  schema::TroubleReport on_trouble = {};  ///< of what the threads could not do
};

/// The background jobs of one process. Every member may be called from any thread.
///
/// Invariants: 1. While the mutex is held, no file is touched and no job's code runs, so that `status` answers at once
/// whatever the disk does. 2. A job's folder has its final name only once the job has succeeded; a cancelled or expired
/// job loses it.
class Jobs {
 public:
  /// Removes what an earlier process left in the folder. Threads are started with the first job.
  explicit Jobs(JobsConfig config);
  /// Cancels what runs, waits for it, and removes all files.
  ~Jobs();
  Jobs(Jobs const&) = delete;
  Jobs& operator=(Jobs const&) = delete;

  /// Queues a job. Fails with `limit_exceeded` where there are `jobs_max` already, with `conflict` where the name is
  /// taken.
  [[nodiscard]] Result<void> start(JobRequest request);

  /// Nothing for a job that does not exist, or not any more. O(1).
  [[nodiscard]] std::optional<JobStatus> status(std::string const& name) const;

  /// Stops a job; its files are gone when this returns, or, if it was running, soon after. The job stays known as
  /// `cancelled` until it expires. False for a job that does not exist. O(files).
  [[nodiscard]] bool cancel(std::string const& name);

  /// Ends what works on a state before `tx`, in which contents were purged that it may have: it fails with `purged`,
  /// and its files are removed soon after. Blocks for no file. O(jobs).
  void end_before(schema::TxId tx);

  /// A file of a job that is done; nothing where there is none.
  [[nodiscard]] std::optional<JobFile> find_file(std::string const& name, std::string_view file_name) const;

 private:
  struct Job;
  using Moment = std::chrono::steady_clock::time_point;

  void work();
  void clean();
  void clean_until_end();
  void run(Job& job);
  [[nodiscard]] Result<JobOutput> execute(Job& job);
  [[nodiscard]] std::optional<Moment> next_expiry() const;
  [[nodiscard]] std::vector<std::shared_ptr<Job>> take_removed(Moment now);
  [[nodiscard]] std::shared_ptr<Job> find(std::string const& name) const;

  JobsConfig const config_;
  mutable std::mutex mutex_;  ///< guards all below but the threads
  std::condition_variable changed_;
  std::unordered_map<std::string, std::shared_ptr<Job>> jobs_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<std::shared_ptr<Job>> purged_;  ///< their files are to be removed
  bool is_stopping_ = false;
  std::vector<std::jthread> threads_;  ///< last: joined before what they use is destroyed
};

}  // namespace whence::engine
