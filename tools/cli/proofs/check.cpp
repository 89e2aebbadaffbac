// `whence check`: checks a bundle of proofs (`tools/verify/README.md`), without a server.

#include "net/plain_text/shown.hpp"
#include "schema/json/writer.hpp"
#include "schema/proof/bundle.hpp"
#include "schema/proof/tlog_proof.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/proofs/folder.hpp"

#include <filesystem>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace whence::tools {
namespace {

namespace proof = schema::proof;
using net::plain_text::shown;

struct CheckCommand {
  std::string file = {};
  std::vector<std::string> keys = {};
  bool is_json = false;
};

/// The bytes, at most one more than a bundle may have; nothing if the file cannot be read.
std::optional<std::string> read_bundle(std::string const& file, Io& io) {
  std::ifstream opened;
  if (file != "-") {
    opened.open(file, std::ios::binary);
    if (!opened) return std::nullopt;
  }
  std::istream& in = file == "-" ? io.in : opened;
  std::string bytes;
  char piece[65536];
  while (bytes.size() <= proof::bundle_bytes_max) {
    in.read(piece, sizeof piece);
    bytes.append(piece, static_cast<std::size_t>(in.gcount()));
    if (in.bad()) return std::nullopt;
    if (!in) return bytes;
  }
  return bytes;
}

void print_refs(std::ostream& out, std::string_view what, proof::CountedRefs const& refs) {
  if (refs.count == 0) return;
  out << what << refs.count << '\n';
  for (std::string const& ref : refs.refs) out << "  " << shown(ref) << '\n';
  if (refs.refs.size() < refs.count) out << "  and " << refs.count - refs.refs.size() << " more\n";
}

void print_report(std::ostream& out, std::string const& file, proof::BundleReport const& report) {
  if (!report.is_verified()) {
    out << "NOT VERIFIED: " << shown(file) << '\n';
    for (proof::BundleFailure const& each : report.failures) {
      out << "  " << (each.path.empty() ? "/" : each.path) << ": " << each.rule << ": " << each.message << '\n';
    }
    return;
  }
  proof::Checkpoint const& checkpoint = report.checkpoint;
  out << "verified: " << shown(report.about) << '\n';
  out << "log:       " << shown(checkpoint.origin) << ", " << checkpoint.tree.size << " events, root "
      << proof::format_hash(checkpoint.tree.root) << '\n';
  for (std::string const& key : report.keys) out << "signed by: " << shown(key) << '\n';
  out << "newest:    " << shown(report.newest_at) << '\n';
  out << "events:    " << report.events << ", with " << report.edges << " edges\n";
  out << "records:   " << report.records << ", and " << report.withheld << " withheld\n";
  if (report.erased) out << "erased:    " << *report.erased << " records, by this event\n";
  if (report.erasure) out << "erasure:   " << shown(*report.erasure) << '\n';
  print_refs(out, "deleted, purged or expired since: ", report.ended);
  print_refs(out, "ends of edges without an event here: ", report.without_event);
  out << "not proved:\n";
  for (std::string_view const each : proof::not_proved()) out << "  " << each << '\n';
}

void write_folder(std::ostream& out, FolderReport const& report) {
  std::string text;
  schema::json::Writer writer(text);
  writer.begin_object().member("verified", report.is_verified());
  if (!report.is_verified()) {
    writer.key("failures").begin_array();
    for (auto const& each : report.failures) writer.value(each);
    writer.end_array();
  } else {
    writer.key("keys").begin_array();
    for (auto const& each : report.keys) writer.value(each);
    writer.end_array().member("events", report.events).member("proved", report.proved);
    writer.member("records", report.records).member("to", report.to);
    if (report.has_consistency) writer.member("from", report.from);
    writer.member("leaves", report.proved_leaves).member("whole", report.is_whole).member("period", report.period);
    writer.key("scope").begin_array();
    for (auto const& each : report.scope) writer.value(each);
    writer.end_array();
  }
  writer.end_object();
  out << text << '\n';
}

/// A folder of evidence.
ExitCode show_folder(CheckCommand const& command, FolderReport const& report, Io& io) {
  auto const exit = report.is_verified() ? ExitCode::ok : ExitCode::verification_failed;
  if (command.is_json) {
    write_folder(io.data, report);
    return exit;
  }
  if (!report.is_verified()) {
    io.data << "NOT VERIFIED: " << shown(command.file) << '\n';
    for (auto const& each : report.failures) io.data << "  " << shown(each) << '\n';
    return exit;
  }
  io.data << "verified: " << shown(command.file) << '\n';
  for (auto const& key : report.keys) io.data << "signed by: " << shown(key) << '\n';
  io.data << "period:    " << shown(report.period) << ", as the folder says\n";
  for (auto const& each : report.scope) io.data << "scope:     " << shown(each) << ", as the folder says\n";
  io.data << "events:    " << report.events << ", each proved, " << report.records << " with their records\n";
  io.data << "log:       grew from " << report.from << " to " << report.to << " events in the period, of which "
          << (report.is_whole ? "all" : std::to_string(report.proved_leaves)) << " are proved\n";
  io.data << "not proved:\n  counts, names and reasons in report.json and index.html\n"
             "  members of records that follow from other records: active, dangling, expired, purged, responseId\n"
             "  that the period and the scope are what the folder says: the log had events before and may have later "
             "ones\n";
  for (std::string_view const each : proof::not_proved()) io.data << "  " << each << '\n';
  return exit;
}

ExitCode run_check(CheckCommand const& command, Io& io) {
  std::vector<proof::VerifierKey> keys;
  for (std::string const& text : command.keys) {
    auto key = proof::VerifierKey::parse(text);
    if (!key) {
      io.talk << "whence: --key: " << key.error().message << '\n';
      return ExitCode::usage;
    }
    keys.push_back(std::move(*key));
  }
  std::error_code ignored;
  if (command.file != "-" && std::filesystem::is_directory(command.file, ignored)) {
    return show_folder(command, check_folder(command.file, keys), io);
  }
  auto const bytes = read_bundle(command.file, io);
  if (!bytes) {
    auto const refused =
        find_unreadable(command.file).value_or(UnreadableFile{ExitCode::failure, command.file + " cannot be read"});
    io.talk << "whence: " << shown(refused.why) << '\n';
    return refused.exit;
  }
  if (proof::parse_tlog_proof(*bytes)) {
    io.talk << "whence: " << shown(command.file)
            << " is the proof of one event, not a bundle: `whence-verify FILE --line LINE --key KEY` checks it\n";
    return ExitCode::usage;
  }
  auto const report = proof::verify_bundle(*bytes, keys);
  if (command.is_json) {
    std::string text;
    proof::append_report(text, report);
    io.data << text << '\n';
  } else {
    print_report(io.data, command.file, report);
  }
  return report.is_verified() ? ExitCode::ok : ExitCode::verification_failed;
}

}  // namespace

void add_check_verb(Program& program) {
  CLI::App& app =
      program.add_verb("check", "Checks a bundle of proofs or a folder of evidence, without a server", Purpose::look);
  app.footer(
      "Prints what the bundle proves and what it does not, or each place and the rule that is broken there.\n"
      "Exit code 8 if it is not verified, 3 if the file is not there.");
  auto const command = std::make_shared<CheckCommand>();
  app.add_option("file", command->file, "The bundle, - is standard input; or the folder of evidence")
      ->required()
      ->type_name("FILE");
  app.add_option("--key", command->keys, "A verifier key that you trust; again for more")
      ->required()
      ->type_name("KEY")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--json", command->is_json, "Prints the report as one JSON document");
  program.set_work(app, [command](Io& io) { return run_check(*command, io); });
}

}  // namespace whence::tools
