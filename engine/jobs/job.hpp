#pragma once
// The values of background jobs: what a job is asked to do, what it may use, what became of it.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/base/sink.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::engine {

/// How far a job is: `done` steps of `total`.
using JobProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// What a job uses while it runs, on the job's thread.
struct JobContext {
  schema::SinkFolder& files;  ///< the job's folder; its files appear together when the job has succeeded
  JobProgress const& progress;
  schema::Interrupt const& interrupt;  ///< reports a cancelled job
};

/// What a job leaves behind.
struct JobOutput {
  std::vector<schema::FileSummary> files;
  std::string text;  ///< the job's own description of its output; not interpreted
};

/// May throw std::exception; an exception fails the job.
using JobWork = std::function<Result<JobOutput>(JobContext const&)>;

struct JobRequest {
  std::string name;  ///< unique, and a plain file name
  schema::TxId tx;   ///< the state that the job works on
  JobWork work;      ///< destroyed as soon as it has run, with everything it holds
  /// Called on the job's thread at most ten times a second, and with `done == total` at the end; may be empty.
  JobProgress on_progress = {};
};

enum class JobState : std::uint8_t { running, done, failed, cancelled };  ///< a job that waits for its turn is running
constexpr std::array<std::string_view, 4> enum_names(JobState) noexcept {
  return {"running", "done", "failed", "cancelled"};
}

struct JobStatus {
  JobState state = JobState::running;
  schema::TxId tx{0};
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::shared_ptr<JobOutput const> output = {};  ///< of a job that is done; else null
  std::optional<Error> error = {};               ///< of a job that failed
};

/// A file of a job that is done.
struct JobFile {
  std::filesystem::path path;
  schema::Digest sha256;
};

}  // namespace whence::engine
