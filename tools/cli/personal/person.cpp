// `whence person`: what there is of a person, as a list or as a folder for them, its erasure, and the certificate of
// it.

#include "net/base/errors.hpp"
#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/base/suggest.hpp"
#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/types/belonging.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/output/whole_files.hpp"
#include "tools/cli/personal/erasure.hpp"
#include "tools/cli/personal/person_name.hpp"
#include "tools/cli/program/program.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;
using net::plain_text::shown;
using schema::json::list_at;
using schema::json::object_at;

constexpr std::int64_t page_nodes_max = 500;  // a page: less where their records do not fit
constexpr std::array<OwnWord, 2> own_words = {{{"person", "PERSON"}, {"ref", "REF"}}};

struct PersonCommand {
  Target target = {};
  std::string action = {};
  std::string person = {};
  std::string folder = {};
  std::string reason = {};
  KeptOfErasure kept = {};
  bool is_dry_run = false;
  bool is_sure = false;
  bool is_json = false;
};

/// What there is of a person, all pages of it.
struct Found {
  json::array nodes = {};
  json::array shared = {};
  json::object counts = {};
  json::object held = {};
};

/// The server has not the memory for so large an answer, or not now.
bool is_page_too_large(CallError const& error) {
  auto const* const object = error.rpc_error.if_object();
  auto const* const code = object != nullptr ? object->if_contains("code") : nullptr;
  return code != nullptr && code->is_int64() && code->get_int64() == net::wire_code(Errc::busy);
}

CallResult<Found> find_all(PersonCommand const& command, Caller& caller) {
  Found found;
  json::object params{{"person", command.person}};
  if (command.action == "export" || command.is_json) params["include"] = json::array{"record"};
  for (auto limit = page_nodes_max;;) {
    params["limit"] = limit;
    auto const page = caller.call("person.find", params);
    if (!page && limit > 1 && is_page_too_large(page.error())) {
      limit /= 2;
      continue;
    }
    if (!page) return page.error();
    auto const& answer = page->as_object();
    for (auto const& each : list_at(answer, "nodes")) found.nodes.push_back(each);
    for (auto const& each : list_at(answer, "shared")) found.shared.push_back(each);
    if (answer.contains("counts")) found.counts = object_at(answer, "counts");
    if (answer.contains("held")) found.held = object_at(answer, "held");
    auto const cursor = cell(answer, "cursor");
    if (cursor.empty()) return found;
    params = {{"cursor", cursor}};
  }
}

/// Those whose ids a misspelt one is held against.
constexpr std::int64_t persons_compared_max = 1'000;

/// The error of a call about a person; where there is no such person, with the one that was probably meant.
CallError about_person(PersonCommand const& command, CallError error, Caller& caller) {
  if (error.exit != ExitCode::not_found) return error;
  auto const known = caller.call("node.find", json::object{{"type", "Person"}, {"limit", persons_compared_max}});
  if (!known || !known->is_object()) return error;
  std::vector<std::string> ids;
  for (auto const& each : list_at(known->get_object(), "nodes")) {
    if (each.is_object() && cell(each.get_object(), "purged") != "true") ids.push_back(cell(each.get_object(), "id"));
  }
  error.message += schema::did_you_mean(command.person, std::vector<std::string_view>(ids.begin(), ids.end()));
  return error;
}

void show_found(Found const& found, Io& io) {
  for (auto const& [type, count] : found.counts) io.data << shown(type) << ": " << count << '\n';
  std::size_t purged = 0;
  for (auto const& each : found.nodes) {
    bool const is_purged = cell(each.as_object(), "purged") == "true";
    if (is_purged) ++purged;
    io.data << shown(cell(each.as_object(), "ref")) << (is_purged ? " (purged)" : "") << '\n';
  }
  for (auto const& each : found.shared) io.data << "stays: " << shown(cell(each.as_object(), "ref")) << '\n';
  for (auto const& [hold, count] : found.held) io.data << "held: " << count << " by " << shown(hold) << '\n';
  if (purged > 0) io.talk << purged << " of " << found.nodes.size() << " are purged: their ids are left\n";
}

/// Somebody else's words about what the person got: they are the other's data.
bool is_of_another(json::object const& record, std::string_view person) {
  auto const type = cell(record, "$type$");
  auto const by = type == "FeedbackRecord" ? cell(record, "user_id")
                  : type == "Decision"     ? cell(record, "by")
                                           : std::string{};
  return !by.empty() && schema::belonging_id(by) != schema::belonging_id(person);
}

/// The first of the members that a record has.
std::string first_of(json::object const& record, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto text = cell(record, name);
    if (!text.empty()) return text;
  }
  return {};
}

/// When a record says that it was: RFC 3339; empty where it does not say.
std::string when_of(json::object const& record) {
  for (std::string_view const name : {"timestamp", "createdAt"}) {
    auto const* const stated = record.if_contains(name);
    if (stated == nullptr) continue;
    if (!stated->is_int64()) return cell(record, name);
    return schema::format_rfc3339(schema::time_of(schema::EpochMs{stated->get_int64()}));
  }
  return {};
}

/// Puts the texts of XML messages that are stored beside their records into these.
CallResult<void> add_long_texts(Found& found, Caller& caller) {
  for (auto& each : found.nodes) {
    auto* const record = each.as_object().if_contains("record");
    if (record == nullptr || !record->is_object() || !record->get_object().contains("xmlBlob")) continue;
    auto const answer = caller.call("attachment.get", json::object{{"hash", cell(each.as_object(), "ref")}});
    if (!answer) return answer.error();
    if (answer->is_object()) record->get_object()["xmlContent"] = cell(answer->get_object(), "xml");
  }
  return {};
}

/// What a record says, each text with the word for it.
std::string texts_of(json::object const& record) {
  std::string text;
  auto const add = [&](std::string_view word, std::string const& said) {
    if (!said.empty()) text.append(word).append(": ").append(said).append("\n\n");
  };
  add("Asked", first_of(record, {"question", "prompt"}));
  if (record.contains("question")) add("Prompt", first_of(record, {"prompt", "formatted_context"}));
  add("Instructions", cell(record, "system_prompt"));
  add("About", cell(record, "$type$") == "Discussion" ? cell(record, "topic") : std::string{});
  add("Said", first_of(record, {"content", "text", "feedback_text", "answer", "message", "xmlContent", "summary"}));
  for (auto const& speaker : schema::speakers()) add(speaker.name, cell(object_at(record, speaker.member), "content"));
  for (auto const& answered : list_at(record, "userAnswers"))
    if (answered.is_string()) add("Answered", std::string(answered.get_string()));
  add("Questions", cell(record, "questions"));
  add("Described", cell(record, "description"));
  if (record.contains("content")) add("In short", cell(record, "summary"));
  add("Decided", cell(record, "verdict"));
  add("Why", cell(record, "reason"));
  add("Rated", cell(record, "$type$") == "FeedbackRecord" ? cell(record, "score") : std::string{});
  add("Name",
      cell(record, "$type$") == "Person" || cell(record, "$type$") == "Session" ? cell(record, "name") : std::string{});
  add("Attributes", cell(record, "attributes"));
  return text;
}

/// What people read first: all that was asked and said, then how much there is.
std::string readable(PersonCommand const& command, Found const& found) {
  std::string text = "# What is stored of " + command.person + "\n\nAll of it is in `records.json`.\n";
  for (auto const& each : found.nodes) {
    auto const& record = object_at(each.as_object(), "record");
    if (is_of_another(record, command.person)) continue;
    auto const said = texts_of(record);
    if (said.empty()) continue;
    text += "\n## " + cell(each.as_object(), "ref") + "\n\n";
    auto const when = when_of(record);
    if (!when.empty()) text += "When: " + when + "\n\n";
    text += said;
  }
  auto const of_others = std::ranges::count_if(found.nodes, [&](json::value const& each) {
    return is_of_another(object_at(each.as_object(), "record"), command.person);
  });
  if (of_others > 0)
    text += "\nNot shown: ratings of these answers and decisions about them by others, " + std::to_string(of_others) +
            ".\n";
  text += "\n## How much there is\n\n";
  for (auto const& [type, count] : found.counts)
    text += "- " + std::string(type) + ": " + schema::json::to_text(count) + "\n";
  return text;
}

CallResult<void> export_to(PersonCommand const& command, Found& found, Caller& caller) {
  if (auto const added = add_long_texts(found, caller); !added) return added;
  json::array records;
  json::array of_others;
  json::array decisions;
  for (auto const& each : found.nodes) {
    auto const* const record = each.as_object().if_contains("record");
    if (record != nullptr && is_of_another(record->as_object(), command.person)) {
      (cell(record->as_object(), "$type$") == "Decision" ? decisions : of_others)
          .emplace_back(cell(each.as_object(), "ref"));
    } else {
      records.push_back(record != nullptr ? *record : each);
    }
  }
  json::array shared;
  for (auto const& each : found.shared) shared.emplace_back(cell(each.as_object(), "ref"));
  json::object const all{
      {"person", command.person}, {"counts", found.counts},         {"records", records},
      {"shared", shared},         {"ratings_by_others", of_others}, {"decisions_by_others", decisions}};
  auto const records_text = schema::json::to_text(json::value(all)) + "\n";
  auto const readme = readable(command, found);
  return write_whole_folder(command.folder, {{"records.json", records_text}, {"README.md", readme}});
}

CallResult<json::value> erase(PersonCommand const& command, Caller& caller, bool is_dry_run) {
  json::object params{{"person", command.person}};
  if (!command.reason.empty()) params["reason"] = command.reason;
  if (is_dry_run) params["dry_run"] = true;
  if (!command.kept.list.empty() && is_dry_run == command.is_dry_run) params["list"] = true;
  return caller.call("person.erase", params);
}

CallResult<bool> is_agreed(PersonCommand const& command, Caller& caller, Io& io) {
  if (command.is_sure || command.is_dry_run || !io.is_in_terminal || !io.is_talk_terminal) return true;
  auto const would = erase(command, caller, true);
  if (!would) return would.error();
  show_erased(would->as_object(), true, io.talk);
  io.talk << "erase? [y/N] " << std::flush;
  std::string said;
  std::getline(io.in, said);
  return said == "y" || said == "yes";
}

/// Another user has to confirm it.
ExitCode finish_proposed(PersonCommand const& command, json::value const& result, Io& io) {
  if (command.is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    show_proposed(result.as_object(), io);
  }
  bool const keeps_something = !command.kept.list.empty() || !command.kept.certificate.empty();
  if (keeps_something) io.talk << "whoever confirms it gets the list and the certificate: --list FILE, -o FILE\n";
  return ExitCode::ok;
}

ExitCode run_erase(PersonCommand const& command, Caller& caller, CLI::App const& app, Io& io) {
  KeptOfErasure const kept{.list = command.kept.list,
                           .certificate = command.is_dry_run ? std::string{} : command.kept.certificate};
  if (auto const writable = check_writable(kept); !writable) return report(io, writable.error());
  auto const agreed = is_agreed(command, caller, io);
  if (!agreed) return report(io, in_own_words(about_person(command, agreed.error(), caller), app, own_words));
  if (!*agreed) {
    io.talk << "nothing was done\n";
    return ExitCode::failure;
  }
  auto const result = erase(command, caller, command.is_dry_run);
  if (!result) return report(io, in_own_words(about_person(command, result.error(), caller), app, own_words));
  if (result->as_object().contains("proposed")) return finish_proposed(command, *result, io);
  if (!command.is_dry_run) return finish_erased(command.kept, result->as_object(), command.is_json, caller, io);
  if (command.is_json) {
    io.data << schema::json::to_text(*result) << '\n';
  } else {
    show_erased(result->as_object(), true, io.data);
    show_kept(result->as_object(), io.talk);
  }
  auto const listed = add_to_list(kept.list, result->as_object(), "the same command");
  return listed ? ExitCode::ok : report(io, listed.error());
}

ExitCode run_certificate(PersonCommand const& command, Caller& caller, CLI::App const& app, Io& io) {
  auto const certified = certify(command.kept, command.person, caller, io);
  if (certified) return ExitCode::ok;
  auto const exit = certified.error().exit;
  if (exit == ExitCode::not_found || exit == ExitCode::invalid_input)
    io.talk << "a certificate is of the record of an erasure, which names nobody: `whence find ProvActivity` has it\n";
  return report(io, in_own_words(certified.error(), app, own_words));
}

ExitCode run_person(PersonCommand const& command, CLI::App const& app, Io& io) {
  if (command.action != "export" && !command.folder.empty()) {
    io.talk << "\"" << command.folder << "\" is one argument too many; an id with a space is put in quotes\n";
    return ExitCode::usage;
  }
  auto caller = open_caller(command.target, MissingStore::is_error, timeout_none);
  if (!caller) return report(io, caller.error());
  if (command.action == "erase") return run_erase(command, **caller, app, io);
  if (command.action == "certificate") return run_certificate(command, **caller, app, io);
  if (command.action == "export" && command.folder.empty()) {
    io.talk << "whence person export PERSON FOLDER: a folder is needed\n";
    return ExitCode::usage;
  }
  auto found = find_all(command, **caller);
  if (!found) return report(io, in_own_words(about_person(command, found.error(), **caller), app, own_words));
  if (command.action == "export") {
    auto const written = export_to(command, *found, **caller);
    if (!written) return report(io, written.error());
    io.talk << "what there is of " << found->nodes.size() << " records is in " << command.folder << '\n';
  } else if (command.is_json) {
    json::object const all{
        {"nodes", found->nodes}, {"shared", found->shared}, {"counts", found->counts}, {"held", found->held}};
    io.data << schema::json::to_text(json::value(all)) << '\n';
  } else {
    show_found(*found, io);
  }
  return ExitCode::ok;
}

}  // namespace

void add_person_verb(Program& program) {
  CLI::App& app = program.add_verb("person", "Finds, exports or erases what there is of a person", Purpose::maintain);
  app.footer("The certificate of an erasure proves it to others without naming the person; whence check checks it.");
  auto command = std::make_shared<PersonCommand>();
  app.add_option("action", command->action, "find, export, erase or certificate")
      ->type_name("ACTION")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"find", "export", "erase", "certificate"}));
  app.add_option("person", command->person, "The id of a Person; of a certificate: the record of the erasure")
      ->type_name("PERSON|REF")
      ->required();
  app.add_option("folder", command->folder, "Of an export: where it is written; must be empty, or not exist")
      ->type_name("FOLDER");
  app.add_flag("--dry-run", command->is_dry_run, "Of an erasure: only says what would go");
  app.add_option("--list", command->kept.list,
                 "Of an erasure: the file of what must stay gone, which is added to; restore --erased applies it. With "
                 "--dry-run: what was erased before")
      ->type_name("FILE");
  app.add_option("--reason", command->reason, "Of an erasure: why, kept in the log, also when the content is gone")
      ->type_name("TEXT");
  app.add_option("-o,--output", command->kept.certificate,
                 "Of an erasure or a certificate: the file that the certificate is written to")
      ->type_name("FILE");
  app.add_flag("--yes", command->is_sure, "Does not ask, on a terminal either");
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command, &app](Io& io) {
    if (command->action != "certificate") command->person = person_named(command->person);
    return run_person(*command, app, io);
  });
}

}  // namespace whence::tools
