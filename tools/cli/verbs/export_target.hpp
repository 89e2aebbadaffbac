#pragma once
// The output of an export: a path, or standard output.

#include "queries/export/formats/table.hpp"
#include "schema/base/sink.hpp"
#include "store/files/destination.hpp"
#include "tools/cli/transport/caller.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// What the command line names as output. An empty manifest path: beside the output, and nowhere for standard output.
struct ExportPlace {
  std::string path = "-";
  std::string manifest = {};
  bool may_replace = false;

  [[nodiscard]] bool is_stdout() const noexcept { return path == "-"; }
};

/// One export's output. Nothing has its final name before `finish`; without `finish` nothing remains.
class ExportTarget final : public schema::SinkFolder {
 public:
  /// Fails with exit code `conflict` if the output exists already.
  [[nodiscard]] static CallResult<ExportTarget> create(ExportPlace const& place, exports::Format const& format);

  /// Opens a file of the format. Of a format with one file, the name is that of the output.
  [[nodiscard]] std::unique_ptr<schema::Sink> open(std::string_view name) override;

  /// Gives everything its final name, with the manifest; in `manifest` a single file gets the name of the output.
  /// Throws std::system_error.
  void finish(std::string_view manifest);

 private:
  ExportTarget(ExportPlace place, bool is_folder) : place_(std::move(place)), is_folder_(is_folder) {}
  [[nodiscard]] std::string manifest_path() const;
  [[nodiscard]] std::string named(std::string_view manifest) const;

  ExportPlace place_;
  bool is_folder_;
  std::optional<store::Destination> destination_ = {};  ///< none: standard output
};

}  // namespace whence::tools
