// The table from protocol errors to exit codes.

#include "tools/cli/exit_code.hpp"

namespace whence::tools {
namespace {

struct Row {
  std::int64_t rpc_code;
  ExitCode exit;
};

constexpr Row rows[] = {
    {-32602, ExitCode::invalid_input},  // invalid params
    {-32030, ExitCode::invalid_input},  // invalid_record
    {-32031, ExitCode::invalid_input},  // invalid_xml
    {-32020, ExitCode::not_found},      // not_found
    {-32021, ExitCode::not_found},      // expired
    {-32022, ExitCode::not_found},      // purged
    {-32040, ExitCode::conflict},       // conflict
    {-32041, ExitCode::conflict},       // cycle
    {-32042, ExitCode::conflict},       // precondition
    {-32801, ExitCode::unreachable},    // deadline_exceeded
    {-32051, ExitCode::unreachable},    // busy
};

}  // namespace

ExitCode exit_code_of(std::int64_t rpc_code) noexcept {
  for (Row const& row : rows) {
    if (row.rpc_code == rpc_code) return row.exit;
  }
  return ExitCode::failure;
}

}  // namespace whence::tools
