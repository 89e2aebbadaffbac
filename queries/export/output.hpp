#pragma once
// Where the bytes of an export go: files that are whole or not there, each with its size and digest.

#include "queries/export/format.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// What was written, of the bytes as they lie on disk: compressed where they are.
struct FileSummary {
  std::string name;
  std::uint64_t bytes = 0;
  schema::Digest sha256 = {};
};

/// One file being written. Failures of the environment (a full disk, a closed pipe) are thrown as std::system_error.
class OutputFile {
 public:
  /// Takes `fd` over. `name` is what its summary calls it.
  OutputFile(int fd, std::string name, Compression compression);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  ~OutputFile();

  void write(std::string_view bytes);
  /// Ends the compressed stream and waits until the file is on disk, where it is a file.
  [[nodiscard]] FileSummary finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A file, or a folder of files, that appears under its name all at once. Until `commit` everything is in
/// `PATH.partial-PID`, which goes when this does.
class Destination {
 public:
  enum class Shape : std::uint8_t { file, folder };

  /// Fails with `conflict` where something is there that may not be replaced, or a folder with more in it than `own`
  /// (all of it where that is empty); with `not_found` where its folder is not.
  [[nodiscard]] static Result<Destination> create(std::filesystem::path path, Shape shape, bool may_replace,
                                                  std::vector<std::string> const& own = {});
  Destination(Destination&& other) noexcept;
  Destination& operator=(Destination&&) = delete;
  ~Destination();

  /// Opens a file to be written: the one there is, or one more of the folder.
  [[nodiscard]] OutputFile open(std::string_view name, Compression compression);
  /// Puts it under its name, durably. Throws std::system_error.
  void commit();

 private:
  Destination(std::filesystem::path path, Shape shape);

  std::filesystem::path path_;
  std::filesystem::path partial_;
  Shape shape_;
  bool is_open_ = true;
};

}  // namespace whence::exports
