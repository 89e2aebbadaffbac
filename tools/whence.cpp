// The `whence` program: its verbs, and the one place where exceptions end.

#include "tools/cli/process/fault.hpp"
#include "tools/cli/process/io.hpp"
#include "tools/cli/program/program.hpp"

#include <csignal>
#include <exception>
#include <ostream>
#include <stdexcept>

int main(int argc, char** argv) {
  using namespace whence::tools;

  FaultReport::watch();
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit is a full disk: the write fails, the program goes on

  Io io = standard_io();
  try {
    Program program;
    // In the order of --help.
    add_read_verbs(program);
    add_show_verb(program);
    add_query_verb(program);
    add_watch_verb(program);
    add_export_verb(program);
    add_prove_verbs(program);
    add_check_verb(program);
    add_evidence_verb(program);
    add_rpc_verb(program);
    add_load_verb(program);
    add_put_verb(program);
    add_update_verb(program);
    add_rate_verb(program);
    add_replay_verb(program);
    add_delete_verb(program);
    add_import_verb(program);
    add_validate_verb(program);
    add_xml_instructions_verb(program);
    add_serve_verb(program);
    add_demo_verb(program);
    add_mcp_verb(program);
    add_health_verb(program);
    add_upkeep_verbs(program);
    add_doctor_verb(program);
    add_backup_verbs(program);
    add_upgrade_verb(program);
    add_purge_verb(program);
    add_person_verb(program);
    add_hold_verb(program);
    add_proposal_verb(program);
    add_token_verb(program);
    add_log_verb(program);
    add_manual_verbs(program);
    add_bench_verb(program);
    ExitCode const exit = program.run(argc, argv, io);
    if (!io.data.flush()) throw std::runtime_error{"standard output cannot be written"};
    return static_cast<int>(exit);
  } catch (std::exception const& broken) {
    // The environment is broken: a full disk, a lost file. What the engine acknowledged is on disk.
    io.talk << "whence: " << broken.what() << '\n';
    return static_cast<int>(ExitCode::failure);
  }
}
