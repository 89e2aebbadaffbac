#pragma once
// The output of an export: a path, or standard output.

#include "queries/export/format.hpp"
#include "queries/export/output.hpp"
#include "tools/cli/transport/caller.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// The output's options. An empty manifest path: beside the output, or none for standard output.
struct ExportPlace {
  std::string path = "-";
  std::string manifest = {};
  bool may_replace = false;

  [[nodiscard]] bool is_stdout() const noexcept { return path == "-"; }
};

/// One export's output. No file has its final name before `finish`; without `finish` nothing is left behind.
class ExportTarget {
 public:
  /// Fails with exit code `conflict` if the output exists already.
  [[nodiscard]] static CallResult<ExportTarget> create(ExportPlace const& place, exports::FormatInfo const& format);

  /// Opens a file of the export by its name in the table of formats.
  [[nodiscard]] exports::OutputFile open(std::string_view name, exports::Compression compression);

  /// Puts everything under its name, with the manifest; `manifest` is that of the export, whose single file is called
  /// as the output is. Throws std::system_error.
  void finish(std::string_view manifest);

 private:
  ExportTarget(ExportPlace place, bool is_folder) : place_(std::move(place)), is_folder_(is_folder) {}
  [[nodiscard]] std::string manifest_path() const;
  [[nodiscard]] std::string named(std::string_view manifest) const;

  ExportPlace place_;
  bool is_folder_;
  std::optional<exports::Destination> destination_ = {};  ///< none: standard output
};

/// The exit code and message of a failed export.
[[nodiscard]] CallError call_error(Error const& error);

}  // namespace whence::tools
