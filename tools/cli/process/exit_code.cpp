// The table from protocol errors to exit codes.

#include "tools/cli/process/exit_code.hpp"

#include "net/base/errors.hpp"

namespace whence::tools {
namespace {

struct ExitRow {
  Errc code;
  ExitCode exit;
};

constexpr ExitRow exit_rows[] = {
    {Errc::invalid_params, ExitCode::invalid_input},
    {Errc::invalid_record, ExitCode::invalid_input},
    {Errc::invalid_xml, ExitCode::invalid_input},
    {Errc::not_found, ExitCode::not_found},
    {Errc::expired, ExitCode::not_found},
    {Errc::purged, ExitCode::not_found},
    {Errc::conflict, ExitCode::conflict},
    {Errc::cycle, ExitCode::conflict},
    {Errc::precondition, ExitCode::conflict},
    {Errc::deadline_exceeded, ExitCode::unreachable},
    {Errc::busy, ExitCode::unreachable},
    {Errc::corrupt, ExitCode::verification_failed},
};

}  // namespace

ExitCode exit_code_of(std::int64_t rpc_code) noexcept {
  for (ExitRow const& row : exit_rows) {
    if (net::wire_code(row.code) == rpc_code) return row.exit;
  }
  return ExitCode::failure;
}

ExitCode exit_code_of(Errc code) noexcept {
  return exit_code_of(net::wire_code(code));
}

}  // namespace whence::tools
