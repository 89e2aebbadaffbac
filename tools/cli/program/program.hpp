#pragma once
// The program as a list of verbs: each adds its flags to the command line and the function that runs it.

#include "tools/cli/process/exit_code.hpp"
#include "tools/cli/process/io.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

namespace whence::tools {

/// What a verb is for: a heading of `--help` and of the manual page.
enum class Purpose : std::uint8_t { look, write, serve, maintain };

/// The command line of `whence`. Lives as long as `run`.
class Program {
 public:
  Program();

  using Work = std::function<ExitCode(Io&)>;

  /// Adds a verb, with what it does in at most 75 characters; `work` runs after flags, environment and configuration
  /// file have set its options. The variables that options are bound to must live in `work`.
  CLI::App& add_verb(std::string const& name, std::string const& doc, Purpose purpose);
  void set_work(CLI::App& verb, Work work);

  /// The whole command line, for what is made of it: completion, the manual page.
  [[nodiscard]] CLI::App const& app() const noexcept { return app_; }

  /// Parses and runs. A malformed command line ends in `usage` with a line on `io.talk`, --help in `ok`.
  [[nodiscard]] ExitCode run(int argc, char const* const* argv, Io& io);

 private:
  struct Verb {
    CLI::App* app;
    Work work;
  };

  /// The first argument, if it is no option and no verb.
  [[nodiscard]] std::optional<std::string> find_unknown_verb(int argc, char const* const* argv) const;
  /// What is wrong with arguments that no flag takes.
  [[nodiscard]] CallError unexpected_arguments() const;

  CLI::App app_;
  std::string config_path_;
  std::vector<Verb> verbs_;
};

/// Prints the failure of a call on `io.talk`, with its violations, and returns its exit code.
ExitCode report(Io& io, CallError const& error);

void add_read_verbs(Program& program);
void add_show_verb(Program& program);
void add_query_verb(Program& program);
void add_watch_verb(Program& program);
void add_rpc_verb(Program& program);
void add_manual_verbs(Program& program);  ///< completion, manual: of the verbs that `program` has when they run
void add_mcp_verb(Program& program);
void add_health_verb(Program& program);
void add_load_verb(Program& program);
void add_put_verb(Program& program);
void add_doctor_verb(Program& program);
void add_upkeep_verbs(Program& program);  ///< verify, compact, checkpoint, version
void add_backup_verbs(Program& program);  ///< backup, restore
void add_upgrade_verb(Program& program);
void add_log_verb(Program& program);
void add_token_verb(Program& program);
void add_update_verb(Program& program);
void add_rate_verb(Program& program);
void add_replay_verb(Program& program);
void add_delete_verb(Program& program);
void add_purge_verb(Program& program);
void add_person_verb(Program& program);
void add_hold_verb(Program& program);
void add_proposal_verb(Program& program);
void add_export_verb(Program& program);
void add_prove_verbs(Program& program);  ///< prove, key
void add_evidence_verb(Program& program);
void add_import_verb(Program& program);
void add_check_verb(Program& program);
void add_validate_verb(Program& program);
void add_xml_instructions_verb(Program& program);
void add_serve_verb(Program& program);
void add_demo_verb(Program& program);
void add_bench_verb(Program& program);

}  // namespace whence::tools
