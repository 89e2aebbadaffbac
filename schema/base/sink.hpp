#pragma once
// Where produced bytes go: named files, behind an interface that knows nothing of disks.

#include "schema/base/digest.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace whence::schema {

/// One finished file: its size and digest are those of the bytes as they were stored, compressed where they are.
struct FileSummary {
  std::string name;
  std::uint64_t bytes = 0;
  Digest sha256 = {};
};

/// One file being written. Failures of the environment (a full disk, a closed pipe) are thrown as std::system_error.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Ends the file; nothing may be written after it. Called at most once; a file that is never finished is incomplete.
  [[nodiscard]] virtual FileSummary finish() = 0;
};

/// A set of files that are written one after the other.
class SinkFolder {
 public:
  virtual ~SinkFolder() = default;
  /// Opens a new file. `name` is a plain file name. Throws as `Sink` does.
  [[nodiscard]] virtual std::unique_ptr<Sink> open(std::string_view name) = 0;
};

}  // namespace whence::schema
