#pragma once
// A file descriptor as a sink: every byte is written, counted and hashed.

#include "schema/base/digest.hpp"
#include "schema/base/sink.hpp"
#include "store/files/files.hpp"
#include "store/values/advance.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace whence::store {

/// Writes to a file, a pipe or a terminal. Throws std::system_error, naming the call and the file.
class OutputFile final : public schema::Sink {
 public:
  /// `name` is used in the summary and in error messages.
  OutputFile(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  void write(std::string_view bytes) override;
  /// Waits until the bytes are on disk, unless the descriptor is something that has no disk.
  [[nodiscard]] schema::FileSummary finish() override;

 private:
  Descriptor file_;
  std::string name_;
  schema::Sha256 digest_ = {};
  std::uint64_t bytes_ = 0;
};

/// Copies what `from` reads, to its end, to a new private file at `to`, and tells `advance` how many bytes. `from_path`
/// is for messages. Returns when the bytes are on disk. Throws as `OutputFile`.
[[nodiscard]] schema::FileSummary copy_file(Descriptor const& from, std::filesystem::path const& from_path,
                                            std::filesystem::path const& to, Advance const& advance);

}  // namespace whence::store
