#pragma once
// An export from its request to its files and manifest.

#include "queries/export/format.hpp"
#include "queries/export/graph_writer.hpp"
#include "queries/export/output.hpp"
#include "queries/export/source.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// What is asked for. The two texts stand in the manifest as they are.
struct ExportRequest {
  Format format = Format::jsonl;
  FormatOptions options = {};
  std::optional<Selection> selection = {};  ///< nothing: the whole graph
  std::string select_json = R"("whole")";
  std::string as_of_json = "null";
};

/// Opens one of the format's files, by its name in the table of formats.
using OpenFile = std::function<OutputFile(std::string_view name)>;

/// Told now and then, on the exporting thread: nodes and edges written so far, of how many; of jsonl, transactions.
using ExportProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct ExportReport {
  std::vector<FileSummary> files;
  std::string manifest;  ///< one JSON object, without a line end
};

/// Writes all files of an export, in the order of the table. Memory does not depend on the size of the graph, but for a
/// selection: what it selects is held. Equal sources and requests give equal bytes. Fails with `corrupt`, or as the
/// interrupt says; throws what `OutputFile` does.
[[nodiscard]] Result<ExportReport> write_export(Source const& source, ExportRequest const& request,
                                                OpenFile const& open, ExportProgress const& progress,
                                                schema::Interrupt const& interrupt);

/// The name a file of an export gets on a server: with `.zst` where it is compressed.
[[nodiscard]] std::string file_name(std::string_view name, FormatOptions const& options);

}  // namespace whence::exports
