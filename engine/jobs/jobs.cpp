// Each job runs on one of a few threads of low priority, so that writers and readers come first. One more thread
// removes what has expired.

#include "engine/jobs/jobs.hpp"

#include "engine/values/priority.hpp"
#include "store/files/files.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <utility>

namespace whence::engine {
namespace {

constexpr int niceness = 10;
constexpr std::chrono::milliseconds progress_interval{100};
constexpr std::chrono::seconds clean_pause{1};

Error failure_of(std::system_error const& failed) {
  bool const is_full =
      failed.code().category() == std::generic_category() && store::is_out_of_room(failed.code().value());
  return {.code = is_full ? Errc::storage_full : Errc::internal_error, .message = failed.what()};
}

Error cancellation() {
  return {.code = Errc::cancelled, .message = "the job was cancelled"};
}

Error purge() {
  return {.code = Errc::purged, .message = "something that the job may have was purged since; start it again"};
}

class CancelInterrupt final : public schema::Interrupt {
 public:
  explicit CancelInterrupt(std::atomic<bool> const& is_cancelled) : is_cancelled_(is_cancelled) {}

  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override {
    return is_cancelled_.load(std::memory_order_relaxed) ? schema::Stop::cancelled : schema::Stop::none;
  }

 private:
  std::atomic<bool> const& is_cancelled_;
};

}  // namespace

/// Invariants: `status.output` is set in state `done` only. `expires` is set when the job's thread has finished with
/// it.
struct Jobs::Job {
  Job(JobRequest asked, std::filesystem::path its_folder)
      : request(std::move(asked)), folder(std::move(its_folder)), status{.tx = request.tx} {}

  JobRequest request;  ///< used by the job's thread alone, but for its name, which does not change
  std::filesystem::path const folder;
  std::atomic<bool> is_cancelled = false;
  std::atomic<std::uint64_t> done = 0;
  std::atomic<std::uint64_t> total = 0;

  // Guarded by the mutex of the jobs.
  JobStatus status;  ///< `done` and `total` are filled in from the atomics
  std::optional<Moment> expires = {};
};

Jobs::Jobs(JobsConfig config) : config_(std::move(config)) {
  config_.remove_tree(config_.folder);
}

Jobs::~Jobs() {
  {
    std::lock_guard const lock(mutex_);
    is_stopping_ = true;
    for (auto const& [name, job] : jobs_) job->is_cancelled = true;
  }
  changed_.notify_all();
  threads_.clear();
  config_.remove_tree(config_.folder);
}

Result<void> Jobs::start(JobRequest request) {
  auto folder = config_.folder / request.name;
  auto job = std::make_shared<Job>(std::move(request), std::move(folder));
  {
    std::lock_guard const lock(mutex_);
    if (jobs_.size() >= config_.jobs_max) {  // a cancelled one that has ended makes room: it holds nothing any more
      auto const over = std::ranges::find_if(
          jobs_, [](auto const& each) { return each.second->is_cancelled && each.second->expires; });
      if (over != jobs_.end()) jobs_.erase(over);
    }
    if (jobs_.size() >= config_.jobs_max) {
      return Error{.code = Errc::limit_exceeded,
                   .message = "there are " + std::to_string(config_.jobs_max) + " jobs already; cancel one"};
    }
    if (!jobs_.emplace(job->request.name, job).second) {
      return Error{.code = Errc::conflict, .message = "there is a job " + job->request.name + " already"};
    }
    waiting_.push_back(std::move(job));
    if (threads_.empty()) {
      for (unsigned i = 0; i < config_.running_max; ++i) threads_.emplace_back([this] { work(); });
      threads_.emplace_back([this] { clean(); });
    }
  }
  changed_.notify_all();
  return {};
}

void Jobs::work() {
  work_behind_others(niceness);
  schema::ThreadGuard guard{config_.on_trouble, "jobs", "this job has no end, the others go on"};
  for (;;) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      if (is_stopping_) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    guard.run([&] { run(*job); });
  }
}

void Jobs::run(Job& job) {
  auto output = execute(job);
  job.request.work = {};  // lets go of what it holds, such as a snapshot
  bool is_cancelled = false;
  {
    std::lock_guard const lock(mutex_);
    is_cancelled = job.is_cancelled;
    if (is_cancelled) {
      if (!job.status.error) job.status.state = JobState::cancelled;
    } else if (output) {
      job.status.state = JobState::done;
      job.status.output = std::make_shared<JobOutput const>(std::move(*output));
    } else {
      job.status.state = JobState::failed;
      job.status.error = output.error();
    }
    job.expires = std::chrono::steady_clock::now() + config_.kept_for;
  }
  changed_.notify_all();
  if (is_cancelled) config_.remove_tree(job.folder);
}

Result<JobOutput> Jobs::execute(Job& job) {
  if (job.is_cancelled) return cancellation();
  CancelInterrupt const interrupt(job.is_cancelled);
  auto next_report = std::chrono::steady_clock::now();
  JobProgress const progress = [&](std::uint64_t done, std::uint64_t total) {
    job.done = done;
    job.total = total;
    auto const now = std::chrono::steady_clock::now();
    if (!job.request.on_progress || (done < total && now < next_report)) return;
    next_report = now + progress_interval;
    job.request.on_progress(done, total);
  };
  try {
    store::make_directory(config_.folder);
    auto destination = store::Destination::create(job.folder, store::Destination::Shape::folder, {.is_allowed = true});
    if (!destination) return destination.error();
    auto output = job.request.work({.files = *destination, .progress = progress, .interrupt = interrupt});
    if (!output) return output;
    if (job.is_cancelled) return cancellation();
    destination->commit();
    return output;
  } catch (std::system_error const& failed) {
    return failure_of(failed);
  } catch (std::exception const& failed) {
    return Error{.code = Errc::internal_error, .message = failed.what()};
  }
}

void Jobs::clean() {
  schema::ThreadGuard guard{config_.on_trouble, "jobs", "files of old jobs are removed later"};
  while (!guard.run([this] { clean_until_end(); })) std::this_thread::sleep_for(clean_pause);
}

void Jobs::clean_until_end() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    auto const due = purged_.empty() ? next_expiry() : Moment{};
    if (due) {
      changed_.wait_until(lock, *due);
    } else {
      changed_.wait(lock);
    }
    auto const removed = take_removed(std::chrono::steady_clock::now());
    lock.unlock();
    for (auto const& job : removed) config_.remove_tree(job->folder);
    lock.lock();
  }
}

std::optional<Jobs::Moment> Jobs::next_expiry() const {
  std::optional<Moment> earliest;
  for (auto const& [name, job] : jobs_) {
    if (job->expires && (!earliest || *job->expires < *earliest)) earliest = job->expires;
  }
  return earliest;
}

/// Those whose files are to be removed: expired, or with what was purged. The mutex is held.
std::vector<std::shared_ptr<Jobs::Job>> Jobs::take_removed(Moment now) {
  auto removed = std::exchange(purged_, {});
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    bool const is_expired = at->second->expires && *at->second->expires <= now;
    if (is_expired) removed.push_back(at->second);
    at = is_expired ? jobs_.erase(at) : std::next(at);
  }
  return removed;
}

/// Null where there is none. The mutex is held.
std::shared_ptr<Jobs::Job> Jobs::find(std::string const& name) const {
  auto const found = jobs_.find(name);
  return found == jobs_.end() ? nullptr : found->second;
}

std::optional<JobStatus> Jobs::status(std::string const& name) const {
  std::lock_guard const lock(mutex_);
  auto const job = find(name);
  if (job == nullptr) return std::nullopt;
  auto status = job->status;
  status.done = job->done;
  status.total = job->total;
  return status;
}

bool Jobs::cancel(std::string const& name) {
  std::shared_ptr<Job> job;
  bool has_files = false;
  {
    std::lock_guard const lock(mutex_);
    job = find(name);
    if (job == nullptr) return false;
    has_files = job->status.state == JobState::done;
    job->is_cancelled = true;
    job->status = {.state = JobState::cancelled, .tx = job->status.tx};
  }
  if (has_files) config_.remove_tree(job->folder);
  return true;
}

void Jobs::end_before(schema::TxId tx) {
  {
    std::lock_guard const lock(mutex_);
    for (auto const& [name, job] : jobs_) {
      bool const is_ended = job->status.state != JobState::running && job->status.state != JobState::done;
      if (is_ended || job->status.tx >= tx) continue;
      if (job->status.state == JobState::done) purged_.push_back(job);
      job->is_cancelled = true;
      job->status = {.state = JobState::failed, .tx = job->status.tx, .error = purge()};
    }
  }
  changed_.notify_all();
}

std::optional<JobFile> Jobs::find_file(std::string const& name, std::string_view file_name) const {
  std::lock_guard const lock(mutex_);
  auto const job = find(name);
  if (job == nullptr || job->status.output == nullptr) return std::nullopt;
  auto const file = std::ranges::find(job->status.output->files, file_name, &schema::FileSummary::name);
  if (file == job->status.output->files.end()) return std::nullopt;
  return JobFile{.path = job->folder / file->name, .sha256 = file->sha256};
}

}  // namespace whence::engine
