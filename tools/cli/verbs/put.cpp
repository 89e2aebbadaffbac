// `whence put`: writes one batch, with every param of `records.write`.

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/json/writer.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/table.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/verbs/batch_reader.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>

#include <CLI/Validators.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct PutCommand {
  Target target = {};
  std::string file = "-";
  bool is_ensuring = false;
  std::string mode = {};
  std::string idempotency_key = {};
  std::optional<std::uint64_t> expect_tx = {};
  bool is_dry_run = false;
  bool is_json = false;
};

CallResult<std::string> read_all(std::string const& file, Io& io) {
  if (auto refused = find_unreadable(file)) return CallError{.exit = refused->exit, .message = std::move(refused->why)};
  std::ifstream from_file;
  if (file != "-") from_file.open(file, std::ios::binary);
  if (!from_file) return CallError{.exit = ExitCode::failure, .message = file + " cannot be read"};
  std::string text{std::istreambuf_iterator<char>{file == "-" ? io.in : from_file}, {}};
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

/// The members beside `records` that flags ask for: `,"ensure":true`, ...
std::string members_of(PutCommand const& command) {
  std::string members;
  auto const add = [&members](std::string_view name, std::string_view value) {
    members += ",\"" + std::string{name} + "\":" + std::string{value};
  };
  if (command.is_ensuring) add("ensure", "true");
  if (!command.mode.empty()) add("mode", "\"" + command.mode + "\"");
  if (command.is_dry_run) add("dry_run", "true");
  if (command.expect_tx) add("expect_tx", std::to_string(*command.expect_tx));
  if (!command.idempotency_key.empty())
    add("idempotency_key", schema::json::to_text(json::value(command.idempotency_key)));
  return members;
}

/// Text that is not one JSON document may be several: records, one per line. `why_not_one` is the error if it is
/// neither.
CallResult<std::string> params_of_lines(std::string const& text, std::string const& why_not_one) {
  std::istringstream in{text};
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  BatchReader reader{in, false, {.records_max = all, .bytes_max = all}};
  Result<std::optional<Batch>> batch = reader.next();
  if (!batch || !*batch) return invalid_input("the batch is not JSON: " + why_not_one);
  Result<std::optional<Batch>> const rest = reader.next();
  if (!rest) return invalid_input(rest.error().message);
  if (*rest || !(*batch)->is_gathered)
    return invalid_input("there is more than one batch; `whence load` takes several");
  return std::move((*batch)->params);
}

/// The input as params: a record, records one per line, an array of records, or params already. The text itself is
/// passed on, so that the service also sees a member that is given twice.
CallResult<std::string> params_of(std::string const& text) {
  Result<schema::json::Document> const parsed = schema::json::parse(text);
  if (!parsed) return params_of_lines(text, parsed.error().message);
  if (parsed->value.is_array()) return "{\"records\":" + text + "}";
  if (!parsed->value.is_object())
    return invalid_input("the batch is neither a record, an array of records, nor {\"records\":[...]}");
  return parsed->value.get_object().contains("records") ? text : "{\"records\":[" + text + "]}";
}

std::string with_members(std::string const& params, PutCommand const& command) {
  return params.substr(0, params.rfind('}')) + members_of(command) + "}";
}

void show_written(json::object const& result, Io& io) {
  io.data << "tx: " << net::plain_text::cell(result, "tx") << (result.contains("unchanged") ? " (nothing was new)" : "")
          << '\n';
  Table refs{{{"REF"}}};
  for (json::value const& ref : schema::json::list_at(result, "refs")) {
    if (ref.is_string()) refs.add({std::string{ref.get_string()}});
  }
  refs.print(io);
}

void tell_warnings(json::object const& result, Io& io) {
  for (json::value const& warning : schema::json::list_at(result, "warnings")) {
    if (!warning.is_object()) continue;
    json::object const& members = warning.get_object();
    io.talk << "whence: warning: record " << net::plain_text::shown(net::plain_text::cell(members, "index")) << ' '
            << net::plain_text::shown(net::plain_text::cell(members, "path")) << ": "
            << net::plain_text::shown(net::plain_text::cell(members, "message")) << '\n';
  }
}

ExitCode run(PutCommand const& command, CLI::App const& app, Io& io) {
  CallResult<std::string> const text = read_all(command.file, io);
  if (!text) return report(io, text.error());
  CallResult<std::string> const params = params_of(*text);
  if (!params) return report(io, params.error());
  CallResult<std::unique_ptr<Caller>> caller = open_caller(command.target, MissingStore::is_created, timeout_default);
  if (!caller) return report(io, caller.error());
  CallResult<json::value> const result = (*caller)->call("records.write", with_members(*params, command));
  if (!result) return report(io, in_own_words(result.error(), app));
  if (command.is_json) {
    io.data << schema::json::to_text(*result) << '\n';
  } else if (result->is_object()) {
    show_written(result->get_object(), io);
  }
  if (result->is_object()) tell_warnings(result->get_object(), io);
  return ExitCode::ok;
}

}  // namespace

void add_put_verb(Program& program) {
  CLI::App& app = program.add_verb("put", "Writes one batch of records", Purpose::write);
  app.footer("A batch is a record, records one per line, an array of records, or {\"records\":[...]}.");
  auto command = std::make_shared<PutCommand>();
  app.add_option("file", command->file, "A JSON or NDJSON file; - is standard input, and the default")
      ->type_name("FILE");
  app.add_flag("--ensure", command->is_ensuring, "Creates the topics that messages name");
  app.add_option("--idempotency-key", command->idempotency_key, "The same batch under the same key is written once");
  app.add_option("--expect-tx", command->expect_tx, "Writes only if this is the last transaction");
  app.add_flag("--dry-run", command->is_dry_run, "Checks the batch and writes nothing");
  app.add_option("--mode", command->mode,
                 "How the records are taken: what breaks a rule is refused, or recorded and flagged")
      ->type_name("strict|capture")
      ->check(CLI::IsMember({"strict", "capture"}).description(""));
  add_target_flags(app, command->target);
  app.add_flag("--json", command->is_json, "Prints the method's result as one JSON document");
  program.set_work(app, [command, &app](Io& io) { return run(*command, app, io); });
}

}  // namespace whence::tools
