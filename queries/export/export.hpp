#pragma once
// One export, from its request to its files and its manifest.

#include "queries/export/format.hpp"
#include "queries/export/graph_writer.hpp"
#include "queries/export/source.hpp"
#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/base/sink.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// What is asked for. The two texts go into the manifest unchanged.
struct ExportRequest {
  Format const* format = nullptr;  ///< a row of the table of formats; required
  FormatOptions options = {};
  std::optional<Selection> selection = {};  ///< nothing: the whole graph
  bool is_reduced = false;                  ///< without the influence edges that longer paths among the nodes imply
  std::string select_json = R"("whole")";
  std::string as_of_json = "null";
  unsigned threads = 1;  ///< that write it, the calling one among them; `threads_max` at most
};

inline constexpr unsigned threads_max = 4;  ///< of one export

/// Called now and then, on the calling thread: how many nodes and edges of the total are written; for jsonl, how many
/// transactions.
using ExportProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct ExportReport {
  std::vector<schema::FileSummary> files;
  std::string manifest;  ///< one JSON object, without a line end
};

/// Whether the request can be met, without reading the log. Fails, where it is reduced, with `invalid_params` (rule
/// "reduced") for a format without edges of its own, and with `limit_exceeded` for more nodes than
/// `schema::limits::reduction_vertices_max`.
[[nodiscard]] Result<void> check_export(Source const& source, ExportRequest const& request);

/// Writes all files of an export into `files`, in the order of the table of formats; compressed ones get `.zst` after
/// their names. Memory does not depend on the size of the graph, except for a selection, whose vertices are held, and
/// for a reduction, as `graph::implied_edges` takes. Equal sources and requests give equal bytes. Fails as
/// `check_export` does, before a file is opened; with `corrupt`; or as the interrupt says. Throws what `files` throws.
[[nodiscard]] Result<ExportReport> write_export(Source const& source, ExportRequest const& request,
                                                schema::SinkFolder& files, ExportProgress const& progress,
                                                schema::Interrupt const& interrupt);

}  // namespace whence::exports
