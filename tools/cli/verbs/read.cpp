// Running a reading verb: builds the request from its flags, joins the pages of the answer, prints the result.

#include "net/base/service_config.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/options/colour.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/options/where.hpp"
#include "tools/cli/output/labels.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/verbs/read_verbs.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <ostream>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// Time for transport, in addition to the time budget of the evaluation.
constexpr std::chrono::milliseconds transport_allowance{10'000};

/// One reading verb's options, filled by the command line.
struct ReadCommand {
  ReadVerb const* verb;
  Target target = {};
  bool is_json = false;
  std::string colour = {};
  std::deque<BoundFlag> flags = {};  ///< a deque: bound options stay where they are
  std::vector<std::string> where = {};
  std::string where_json = {};
  std::string order_by = {};
  bool is_descending = false;
  bool is_all = false;  ///< of stats
  CLI::App const* app = nullptr;
};

CallError usage(Error const& error) {
  return {.exit = ExitCode::usage, .message = error.message};
}

/// Flags for params that are objects.
void add_special_flags(CLI::App& app, ReadCommand& command, std::string_view param) {
  if (param == "where") {
    CLI::Option* const where = app.add_option("--where", command.where,
                                              "A condition FIELD=VALUE, or with ^= (prefix) *= (contains) < <= > >=; "
                                              "may be repeated, all must hold; FIELD=[A,B] is any of a JSON list")
                                   ->type_name("CONDITION")
                                   ->expected(1)
                                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--where-json", command.where_json, "All conditions as the protocol's JSON object")
        ->type_name("JSON")
        ->excludes(where);
  } else if (param == "order") {
    CLI::Option* const by = app.add_option("--order-by", command.order_by, "Sorts by this field")->type_name("FIELD");
    app.add_flag("--desc", command.is_descending, "Largest first")->needs(by);
  }
}

Result<void> put_where(json::object& params, ReadCommand const& command) {
  if (!command.where_json.empty()) {
    Result<schema::json::Document> parsed = schema::json::parse(command.where_json);
    if (!parsed) return Error{.code = Errc::invalid_params, .message = "--where-json: " + parsed.error().message};
    params["where"] = std::move(parsed->value);
  }
  if (command.where.empty()) return {};
  // The service refuses an unknown type; until then its fields are text.
  json::value const* const name = params.if_contains("type");
  schema::RecordType const type = schema::find_record_type(name != nullptr ? std::string_view{name->get_string()} : "")
                                      .value_or(schema::RecordType::topic);
  json::object where;
  for (std::string const& condition : command.where) {
    if (Result<void> added = add_condition(where, type, condition); !added) return added;
  }
  params["where"] = std::move(where);
  return {};
}

Result<Request> request_of(ReadCommand const& command) {
  Request request{.method = std::string{command.verb->method}, .params = {}};
  for (BoundFlag const& flag : command.flags) {
    if (Result<void> put = put_param(request.params, flag); !put) return put.error();
  }
  if (Result<void> put = put_where(request.params, command); !put) return put.error();
  if (!command.order_by.empty()) request.params["order"] = {{"by", command.order_by}, {"desc", command.is_descending}};
  request.asked = request.params;
  if (command.verb->settle != nullptr) {
    if (Result<void> settled = command.verb->settle(request); !settled) return settled.error();
  }
  if (request.method != command.verb->method) return request;  // of the other method nothing is shown in parts
  bool const wants_parts = !command.is_json || command.verb->has_parts_in_json;
  if (wants_parts && !command.verb->include_for_people.empty() && !request.params.contains("include")) {
    BoundFlag const include{.flag = {"include", FlagKind::names, false, ""},
                            .values = {std::string{command.verb->include_for_people}}};
    if (Result<void> put = put_param(request.params, include); !put) return put.error();
  }
  return request;
}

/// Adds a page to the answer so far: lists are appended, all other members are replaced.
void add_page(json::object& whole, json::object&& page) {
  for (std::string_view passing : {"cursor", "reason"}) whole.erase(passing);
  for (auto& member : page) {
    json::value* const known = whole.if_contains(member.key());
    if (known != nullptr && known->is_array() && member.value().is_array()) {
      for (json::value& item : member.value().get_array()) known->get_array().push_back(std::move(item));
    } else {
      whole[member.key()] = std::move(member.value());
    }
  }
}

/// The budget of time or nodes ran out; the user decides whether to continue.
bool is_cut_short(std::string_view reason) {
  return reason == "timeout" || reason == "nodes";
}

/// The first page; where there is no other, as much as fits on it. A server may be configured with smaller pages than
/// the default: it refuses that limit, and is then called without one.
CallResult<json::value> call_first_page(Caller& caller, Request const& request, ReadVerb const& verb) {
  if (verb.is_one_page && !request.params.contains("limit")) {
    json::object largest = request.params;
    largest["limit"] = verb.items_default > 0 ? verb.items_default : net::ServiceConfig{}.page_max;
    CallResult<json::value> answer = caller.call(request.method, largest);
    if (answer || answer.error().exit != ExitCode::invalid_input) return answer;
  }
  return caller.call(request.method, request.params);
}

CallResult<json::object> call_all_pages(Caller& caller, Request const& request, ReadVerb const& verb,
                                        bool wants_labels) {
  CallResult<json::value> first = call_first_page(caller, request, verb);
  if (!first) return first.error();
  if (!first->is_object()) return CallError{.message = "the result is not an object"};
  json::object whole = std::move(first->get_object());
  if (wants_labels) replace_records_by_labels(whole);
  bool const is_whole_wanted = !request.params.contains("limit");
  for (;;) {
    std::string const cursor{schema::json::text_at(whole, "cursor")};
    if (cursor.empty() || !is_whole_wanted || is_cut_short(schema::json::text_at(whole, "reason"))) return whole;
    json::object next{{"cursor", cursor}};
    if (json::value const* timeout = request.params.if_contains("timeout_ms")) next["timeout_ms"] = *timeout;
    CallResult<json::value> page = caller.call(request.method, next);
    if (!page) return page.error();
    if (!page->is_object()) return CallError{.message = "the result is not an object"};
    if (wants_labels) replace_records_by_labels(page->get_object());
    add_page(whole, std::move(page->get_object()));
  }
}

std::chrono::milliseconds call_timeout(json::object const& params) {
  json::value const* const given = params.if_contains("timeout_ms");
  if (given == nullptr || !given->is_int64()) return timeout_default;
  return std::chrono::milliseconds{given->get_int64()} + transport_allowance;
}

/// Reports on `talk` that the answer is incomplete.
ExitCode report_completeness(json::object const& result, Io& io) {
  auto const reason = schema::json::text_at(result, "reason");
  if (reason.empty()) return ExitCode::ok;
  if (reason == "cycle_cut") {
    io.talk << "whence: relations lead further that carry no influence, since they close a cycle; --json lists them in "
               "cut_edges\n";
    return ExitCode::ok;
  }
  io.talk << "whence: there is more; the answer was cut by its " << reason;
  if (auto const cursor = schema::json::text_at(result, "cursor"); !cursor.empty())
    io.talk << "; continue with --cursor " << cursor;
  io.talk << '\n';
  return is_cut_short(reason) ? ExitCode::incomplete : ExitCode::ok;
}

/// Whether a tree of one direction, that `why` draws, has all that there is in it: beyond it, in the other direction,
/// is always more.
bool is_whole_tree(Request const& request, json::object const& result) {
  if (schema::json::text_at(result, "reason") != "depth") return false;
  bool const is_down = request.asked.contains("effects");
  json::value const* const frontier = result.if_contains("frontier");
  if (frontier == nullptr || !frontier->is_array()) return false;
  return std::ranges::none_of(frontier->get_array(), [&](json::value const& item) {
    json::value const* const hidden =
        item.is_object() ? item.get_object().if_contains(is_down ? "effects" : "causes") : nullptr;
    return hidden != nullptr && hidden->is_int64() && hidden->get_int64() > 0;
  });
}

/// Takes the answer to the other question of a verb where the first has none; programs find `reversed` in it.
void ask_otherwise(Caller& caller, Request const& request, ReadVerb const& verb, json::object& result, Io& io) {
  if (verb.ask_otherwise == nullptr) return;
  Request other = request;
  std::string const words = verb.ask_otherwise(result, other.params);
  if (words.empty()) return;
  CallResult<json::object> answer = call_all_pages(caller, other, verb, false);
  if (!answer) return;
  json::object rest = *answer;
  if (!verb.ask_otherwise(rest, other.params).empty()) return;  // that has none either
  io.talk << "whence: " << words << '\n';
  result = std::move(*answer);
  result["reversed"] = true;
}

/// What people look at first: version, moment, size, the other nodes, and of what there is something.
void leave_few_stats(json::object& result) {
  json::object few;
  for (std::string_view const name : {"version", "tx", "time", "store_bytes", "log", "nodes", "edges"}) {
    json::value* const value = result.if_contains(name);
    if (value == nullptr) continue;
    json::object* const counts = name == "nodes" || name == "edges" ? value->if_object() : nullptr;
    if (counts != nullptr) {
      json::object some;
      for (auto& each : *counts) {
        if (each.value() != json::value(0)) some[each.key()] = std::move(each.value());
      }
      few[name] = std::move(some);
    } else {
      few[name] = std::move(*value);
    }
  }
  result = std::move(few);
}

/// Params that a flag of another name sets.
std::vector<OwnWord> words_of(ReadCommand const& command) {
  std::vector<OwnWord> words;
  if (command.verb->name == "why") words = {{"up", "--depth"}, {"down", "--depth"}};
  if (!command.where_json.empty()) words.push_back({"where", "--where-json"});
  return words;
}

ExitCode run(ReadCommand const& command, Io& standard) {
  Io io = with_colour(standard, command.colour);
  Result<Request> const request = request_of(command);
  if (!request) return report(io, usage(request.error()));
  CallResult<std::unique_ptr<Caller>> caller =
      open_caller(command.target, MissingStore::is_error, call_timeout(request->params));
  if (!caller) return report(io, caller.error());
  bool const wants_labels = !command.is_json && command.verb->has_labels;
  CallResult<json::object> result = call_all_pages(**caller, *request, *command.verb, wants_labels);
  if (!result) return report(io, in_own_words(result.error(), *command.app, words_of(command)));
  ask_otherwise(**caller, *request, *command.verb, *result, io);
  if (command.verb->name == "stats" && !command.is_json && !command.is_all) leave_few_stats(*result);
  if (!command.is_json && command.verb->add_for_people != nullptr) command.verb->add_for_people(**caller, *result);
  if (command.is_json) {
    io.data << schema::json::to_text(*result) << '\n';
  } else if (command.verb->show_asked != nullptr) {
    command.verb->show_asked(request->asked, *result, io);
  } else {
    command.verb->show(*result, io);
  }
  if (command.verb->name == "why" && is_whole_tree(*request, *result)) return ExitCode::ok;
  return report_completeness(*result, io);
}

/// The flags of a verb: its method's params, then those of every read.
std::vector<ParamFlag> all_flags(ReadVerb const& verb) {
  std::vector<ParamFlag> flags = verb.flags();
  for (ParamFlag const& flag : common_read_flags()) {
    if (flag.name != "cursor" || !verb.is_one_page) flags.push_back(flag);
  }
  return flags;
}

}  // namespace

void add_read_verbs(Program& program) {
  for (ReadVerb const& verb : read_verbs()) {
    CLI::App& app = program.add_verb(std::string{verb.name}, std::string{verb.doc}, Purpose::look);
    auto command = std::make_shared<ReadCommand>(ReadCommand{.verb = &verb, .app = &app});
    for (ParamFlag const& flag : all_flags(verb)) {
      if (flag.kind == FlagKind::special) {
        add_special_flags(app, *command, flag.name);
        continue;
      }
      BoundFlag& bound = command->flags.emplace_back(BoundFlag{.flag = flag});
      bool const is_positional =
          std::find(verb.positionals.begin(), verb.positionals.end(), flag.name) != verb.positionals.end();
      add_flag(app, bound, is_positional);
    }
    if (verb.name == "stats") app.add_flag("--all", command->is_all, "Everything that the server says of itself");
    add_target_flags(app, command->target);
    app.add_flag("--json", command->is_json, "Prints the method's result as one JSON document");
    add_colour_flag(app, command->colour);
    program.set_work(app, [command](Io& io) { return run(*command, io); });
  }
}

}  // namespace whence::tools
