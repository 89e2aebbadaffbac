#pragma once
// The options of `whence import`, and its kinds of import.

#include "tools/cli/imports/kept_spans.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/process/exit_code.hpp"
#include "tools/cli/process/io.hpp"

#include <string>

namespace whence::tools {

struct ImportCommand {
  Target target = {};
  std::string file = {};  ///< - is standard input; of discussions: their folder
  std::string format = {};
  bool is_dry_run = false;
  bool keeps_statuses = false;  ///< of a history: deprecations are taken from the file
  bool is_json = false;
};

/// Restores a history into an empty store or server. It is imported into a scratch store first, so that a refused file
/// leaves nothing behind. Throws std::system_error where files cannot be moved.
[[nodiscard]] ExitCode import_history(ImportCommand const& command, Io& io);

/// Translates a PROV-JSON document to records and writes them as one transaction.
[[nodiscard]] ExitCode import_document(ImportCommand const& command, Io& io);

/// Records the discussions in a folder that the graph does not know, file by file, and says of each what became of it.
/// Exit code `invalid_input` where one was refused. Throws std::system_error where the folder cannot be read.
[[nodiscard]] ExitCode import_discussions(ImportCommand const& command, Io& io);

/// Takes documents of OTLP's JSON form, one a line or one in all, as a server takes them by HTTP. The first that is
/// refused ends it with its line; those before it stay, and are known when the file is imported again.
[[nodiscard]] ExitCode import_telemetry(ImportCommand const& command, Io& io);

/// Takes the spans and ratings that another program keeps, documents that `read` reads, one a line or one in all. Says
/// of each row that is none its line and why; exit code `invalid_input` where there was one. The others are taken.
[[nodiscard]] ExitCode import_kept_spans(ImportCommand const& command, ReadKept read, Io& io);

/// Takes events of OpenLineage, one a line or in arrays, as a server takes them by HTTP. Says of each refused one its
/// line and why; exit code `invalid_input` where there was one. The others are written.
[[nodiscard]] ExitCode import_lineage(ImportCommand const& command, Io& io);

}  // namespace whence::tools
