#pragma once
// An export carried out: straight from a store, or as a job of a server whose files are fetched.

#include "queries/export/format.hpp"
#include "schema/base/error.hpp"
#include "schema/base/sink.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/progress.hpp"
#include "tools/cli/process/stop_signal.hpp"
#include "tools/cli/transport/caller.hpp"

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::tools {

/// What an export needs while it runs. All of it outlives the export.
struct ExportRun {
  Target const& target;
  Progress& progress;
  StopSignal const& stopped;
};

/// Writes the files of an export into `files` and returns its manifest. `params` are those of `export.start`, for
/// `format`. Of a server each file is compared with its digest. Fails as the method does, and where a server sends
/// other files or bytes than it says. Throws what `files` throws.
[[nodiscard]] CallResult<std::string> run_export(ExportRun const& run, exports::Format const& format,
                                                 boost::json::object const& params, schema::SinkFolder& files);

/// Whether an export of the format may have a file of this name; of a format with one file its name does not matter.
[[nodiscard]] bool may_hold(exports::Format const& format, std::string_view name);

}  // namespace whence::tools
