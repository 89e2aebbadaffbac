// `whence prove`: a record with the proof that the log has it; `whence key`: the key of the log's checkpoints.

#include "queries/retention/retention.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/whole_files.hpp"
#include "tools/cli/program/program.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct ProveCommand {
  Target target = {};
  std::string ref = {};
  bool has_causes = false;
  std::vector<std::string> without = {};
  std::string path = "-";
  bool may_replace = false;
};

/// Nothing, or why the file was not made.
CallResult<void> write_output(ProveCommand const& command, std::string_view text, Io& io) {
  if (command.path == "-") {
    io.data << text << '\n';
    return {};
  }
  return write_whole_file(command.path, std::string{text} + "\n", command.may_replace);
}

/// A type by its name, or else a ref.
json::object params_of(ProveCommand const& command) {
  json::object params{{"ref", command.ref}};
  if (command.has_causes) params["why"] = true;
  json::array refs;
  json::array types;
  for (auto const& each : command.without) {
    (each.find(':') == std::string::npos ? types : refs).emplace_back(each);
  }
  if (!refs.empty()) params["without"] = std::move(refs);
  if (!types.empty()) params["without_types"] = std::move(types);
  return params;
}

ExitCode run_prove(ProveCommand const& command, CLI::App const& app, Io& io) {
  auto caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  auto const bundle = (*caller)->call("log.bundle", params_of(command));
  constexpr OwnWord words[] = {
      {"ref", "REF"}, {"why", "--why"}, {"without", "--without"}, {"without_types", "--without"}};
  if (!bundle) return report(io, in_own_words(bundle.error(), app, words));
  auto const written = write_output(command, schema::json::to_text(*bundle), io);
  if (!written) return report(io, written.error());
  return ExitCode::ok;
}

struct KeyCommand {
  Target target = {};
  bool is_changed = false;
  std::string overlap = {};
};

void say_earlier(json::object const& checkpoint, Io& io) {
  auto const* const earlier = checkpoint.if_contains("earlier");
  if (earlier == nullptr) return;
  io.talk << "until " << std::string_view{earlier->at("until").as_string()} << " signed too by "
          << std::string_view{earlier->at("key").as_string()} << '\n';
}

ExitCode run_key(KeyCommand const& command, Io& io) {
  json::object params;
  if (!command.overlap.empty()) {
    auto const overlap = command.overlap == "0" ? std::chrono::seconds{0} : queries::parse_age(command.overlap);
    if (!command.is_changed || !overlap) {
      io.talk << "whence: --overlap " << (command.is_changed ? "is 7d, 12h, 30m, 45s, or 0" : "goes with --rotate")
              << '\n';
      return ExitCode::usage;
    }
    params["overlap_s"] = static_cast<std::int64_t>(overlap->count());
  }
  auto caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  if (command.is_changed) {
    auto const changed = (*caller)->call("log.rotate", params);
    if (!changed) return report(io, changed.error());
  }
  auto const checkpoint = (*caller)->call("log.checkpoint", json::object{});
  if (!checkpoint) return report(io, checkpoint.error());
  io.data << std::string_view{checkpoint->at("key").as_string()} << '\n';
  say_earlier(checkpoint->as_object(), io);
  return ExitCode::ok;
}

}  // namespace

void add_prove_verbs(Program& program) {
  CLI::App& prove = program.add_verb("prove", "Writes a record with the proof that the log has it", Purpose::look);
  auto command = std::make_shared<ProveCommand>();
  prove.add_option("ref", command->ref, "The record")->type_name("REF")->required();
  prove.add_flag("--why", command->has_causes, "With everything that it rests on");
  prove.add_option("--without", command->without, "Leaves the contents of this type or record out; its events stay")
      ->type_name("TYPE|REF");
  prove.add_option("-o,--output", command->path, "File to make; - is standard output")->type_name("FILE");
  prove.add_flag("--force", command->may_replace, "Replaces what is there");
  add_target_flags(prove, command->target);
  program.set_work(prove, [command, &prove](Io& io) { return run_prove(*command, prove, io); });

  CLI::App& key = program.add_verb("key", "Prints the key by which the log's checkpoints are verified", Purpose::look);
  auto key_command = std::make_shared<KeyCommand>();
  key.add_flag("--rotate", key_command->is_changed, "Changes it first: the log records that the key before says so");
  key.add_option("--overlap", key_command->overlap,
                 "With --rotate: so long the key before signs too; 7d where left out, 12h, 0")
      ->type_name("AGE");
  add_target_flags(key, key_command->target);
  program.set_work(key, [key_command](Io& io) { return run_key(*key_command, io); });
}

}  // namespace whence::tools
