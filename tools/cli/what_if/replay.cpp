// `whence replay`: asks a model again for the answers that rest on some nodes, as if these had not been there, and
// records what it says.

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/base/text.hpp"
#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/what_if/model_client.hpp"
#include "tools/cli/what_if/prompt.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;
using net::plain_text::shown;

/// More calls than this are made only where `--calls` says so.
constexpr std::size_t calls_unasked_max = 100;
constexpr std::int64_t page_calls = 500;
/// Mended sources that are named where they are left out.
constexpr std::size_t offers_max = 10;
/// Nodes of one `node.get`.
constexpr std::size_t nodes_at_once = 200;
constexpr std::chrono::milliseconds model_timeout{600'000};

struct ReplayCommand {
  Target target = {};
  std::vector<std::string> refs = {};
  std::string model_url = {};
  std::string model = {};
  std::string key_file = {};
  std::optional<std::size_t> calls = {};
  bool is_mended = false;
  bool is_dry_run = false;
  bool is_json = false;
};

json::array array_of(std::vector<std::string> const& texts) {
  json::array list;
  list.reserve(texts.size());
  for (auto const& each : texts) list.emplace_back(each);
  return list;
}

struct Plan {
  std::vector<json::object> calls = {};  ///< with their records
  json::object counts = {};
  std::string reason = {};  ///< why it lacks something; empty where it is whole
};

CallResult<Plan> plan_of(Caller& caller, ReplayCommand const& command) {
  Plan plan;
  json::object params{{"refs", array_of(command.refs)}, {"include", json::array{"record"}}, {"limit", page_calls}};
  if (command.is_mended) params["mended"] = true;
  for (;;) {
    auto const page = caller.call("impact.replay_plan", params);
    if (!page) return page.error();
    auto const& answer = page->as_object();
    if (auto const* const counts = answer.if_contains("counts")) plan.counts = counts->as_object();
    for (auto const& each : schema::json::list_at(answer, "calls")) plan.calls.push_back(each.as_object());
    auto const cursor = cell(answer, "cursor");
    plan.reason = cell(answer, "reason");
    if (cursor.empty()) return plan;
    params = {{"cursor", cursor}, {"limit", page_calls}};
  }
}

/// Of a list of refs, what each says.
CallResult<void> read_texts(Caller& caller, std::set<std::string> const& refs, ReplayTexts& known) {
  std::vector<std::string> const all(refs.begin(), refs.end());
  for (std::size_t first = 0; first < all.size(); first += nodes_at_once) {
    auto const last = std::min(first + nodes_at_once, all.size());
    std::vector<std::string> const some(all.begin() + static_cast<std::ptrdiff_t>(first),
                                        all.begin() + static_cast<std::ptrdiff_t>(last));
    auto const found = caller.call("node.get", json::object{{"refs", array_of(some)},
                                                            {"include", json::array{"record"}},
                                                            {"limit", std::int64_t{nodes_at_once}}});
    if (!found) return found.error();
    for (auto const& each : schema::json::list_at(found->as_object(), "nodes")) {
      auto const& node = each.as_object();
      auto const* const record = node.if_contains("record");
      known.texts[cell(node, "ref")] =
          record == nullptr || !record->is_object() ? std::nullopt : text_in_record(record->get_object());
    }
  }
  return {};
}

std::string ref_of_use(json::object const& use) {
  auto const ref = cell(use, "ref");
  return ref.empty() ? "ContextUnit:" + cell(use, "context_unit_id") : ref;
}

/// The record of a call that was made again.
class Replayed {
 public:
  Replayed(json::object const& call, std::map<std::string, std::string> const& replays)
      : call_{call}, record_{call.at("record").as_object()}, replays_{replays} {
    for (auto const& each : schema::json::list_at(call, "inputs")) {
      auto const& input = each.as_object();
      states_[cell(input, "ref")] = cell(input, "state");
      if (cell(input, "state") == "mended") mended_[cell(input, "ref")] = cell(input, "newer");
    }
  }

  json::object record(ReplayPrompt const& prompt, ModelAnswer const& answer, std::string const& model,
                      ReplayCommand const& command) {
    json::object made{{"$type$", "Response"},
                      {"timestamp", schema::format_rfc3339(schema::SystemClock{}.now())},
                      {"agent", copied("agent", "whence replay")},
                      {"model", answer.model.empty() ? model : answer.model},
                      {"content", answer.text},
                      {"latency_ms", answer.latency_ms},
                      {"replay_of", cell(call_, "ref")},
                      {"attributes", json::object{{command.is_mended ? "mended" : "without", array_of(command.refs)}}}};
    for (auto const* const name : {"question", "conversation", "person"}) {
      if (auto const* const value = record_.if_contains(name)) made[name] = *value;
    }
    add_prompt(made, prompt);
    add_usage(made, answer);
    add_sources(made);
    return made;
  }

 private:
  [[nodiscard]] std::string copied(std::string_view name, std::string_view otherwise) const {
    auto text = cell(record_, name);
    return text.empty() ? std::string(otherwise) : text;
  }

  static void add_usage(json::object& made, ModelAnswer const& answer) {
    json::object usage;
    if (answer.input_tokens) usage["input_tokens"] = *answer.input_tokens;
    if (answer.output_tokens) usage["output_tokens"] = *answer.output_tokens;
    if (!usage.empty()) made["usage"] = std::move(usage);
  }

  static void add_prompt(json::object& made, ReplayPrompt const& prompt) {
    std::string text;
    json::array messages;
    std::size_t points = 0;
    for (auto const& each : prompt.messages) {
      if (!text.empty()) {
        text += "\n\n";
        points += 2;
      }
      auto const end = points + schema::code_points(each.content);
      messages.push_back(json::object{{"role", each.role}, {"start", points}, {"end", end}});
      text += each.content;
      points = end;
    }
    made["prompt"] = text;
    made["prompt_messages"] = std::move(messages);
  }

  /// The ref that takes the place of one in the new record; nothing where it is left out.
  [[nodiscard]] std::optional<std::string> now(std::string const& ref) const {
    auto const replay = replays_.find(ref);
    if (replay != replays_.end()) return replay->second;
    auto const mended = mended_.find(ref);
    if (mended != mended_.end()) return mended->second;
    auto const state = states_.find(ref);
    return state != states_.end() && state->second == "left_out" ? std::nullopt : std::optional{ref};
  }

  /// Uses with weights that sum to 1 again, refs of the prompt with their bases, and what the call had by other ways.
  void add_sources(json::object& made) const {
    std::set<std::string> taken;
    json::array uses;
    double sum = 0;
    for (auto const& each : schema::json::list_at(record_, "context_units")) {
      auto const& use = each.as_object();
      taken.insert(ref_of_use(use));
      auto const ref = now(ref_of_use(use));
      if (!ref) continue;
      auto const* const weight = use.if_contains("weight");
      sum += weight == nullptr ? 0 : weight->to_number<double>();
      uses.push_back(json::object{{"ref", *ref}, {"weight", weight == nullptr ? json::value(0.0) : *weight}});
    }
    for (auto& use : uses) {
      auto& weight = use.as_object().at("weight");
      weight = sum > 0 ? weight.to_number<double>() / sum : 1 / static_cast<double>(uses.size());
    }
    json::array refs;
    json::array bases;
    auto const& given_bases = schema::json::list_at(record_, "prompt_basis");
    auto const& given = schema::json::list_at(record_, "prompt_refs");
    for (std::size_t i = 0; i < given.size(); ++i) {
      std::string const ref(given[i].as_string());
      taken.insert(ref);
      auto const other = now(ref);
      if (!other) continue;
      refs.emplace_back(*other);
      bases.push_back(i < given_bases.size() ? given_bases[i] : json::value("given"));
    }
    for (auto const& each : schema::json::list_at(call_, "inputs")) {
      auto const& input = each.as_object();
      auto const ref = cell(input, "ref");
      if (!taken.insert(ref).second || !is_prompted_by_ref(ref)) continue;
      auto const other = now(ref);
      if (!other) continue;
      refs.emplace_back(*other);
      auto const kind = cell(input, "kind");
      bases.emplace_back(kind == "evidence" ? "given" : kind);
    }
    add_template(made);
    auto const* const attachment = record_.if_contains("query_attachment");
    if (attachment != nullptr && !goes("XMLMessageAttachment:")) made["query_attachment"] = *attachment;
    made["context_units"] = std::move(uses);
    if (refs.empty()) return;
    made["prompt_refs"] = std::move(refs);
    made["prompt_basis"] = std::move(bases);
  }

  /// Whether an input of a type is left out.
  [[nodiscard]] bool goes(std::string_view type) const {
    return std::ranges::any_of(
        states_, [&](auto const& each) { return each.first.starts_with(type) && each.second == "left_out"; });
  }

  /// The template that was used, or its newest version: the last part of its ref.
  void add_template(json::object& made) const {
    constexpr std::string_view type = "SystemPromptTemplate:";
    auto const* const value = record_.if_contains("prompt_template");
    if (value == nullptr || goes(type)) return;
    auto used = *value;
    auto const newer = std::ranges::find_if(mended_, [&](auto const& each) { return each.first.starts_with(type); });
    if (newer != mended_.end()) {
      used.as_object()["version"] = std::stoll(newer->second.substr(newer->second.rfind('/') + 1));
    }
    made["prompt_template"] = std::move(used);
  }

  static bool is_prompted_by_ref(std::string_view ref) {
    auto const type = schema::find_record_type(ref.substr(0, ref.find(':')));
    return type && schema::is_promptable(*type);
  }

  json::object const& call_;
  json::object const& record_;
  std::map<std::string, std::string> const& replays_;
  std::map<std::string, std::string> states_ = {};
  std::map<std::string, std::string> mended_ = {};  ///< what is in the place of an input
};

/// Makes the calls of a plan one after the other.
class Replay {
 public:
  Replay(Caller& caller, ReplayCommand const& command, DialConfig server, Io& io)
      : caller_{caller}, command_{command}, server_{std::move(server)}, io_{io} {}

  CallResult<void> run(Plan const& plan) {
    std::set<std::string> refs;
    for (auto const& call : plan.calls) {
      for (auto const& input : schema::json::list_at(call, "inputs")) {
        refs.insert(cell(input.as_object(), "ref"));
        if (auto newer = cell(input.as_object(), "newer"); !newer.empty()) refs.insert(std::move(newer));
      }
    }
    if (auto const read = read_texts(caller_, refs, known_); !read) return read.error();
    for (auto const& call : plan.calls) {
      for (auto const& each : schema::json::list_at(call, "inputs")) note_left_out(each.as_object());
    }
    for (auto const& call : plan.calls) {
      if (command_.calls && asked_ == *command_.calls) {
        note_outcome(call, "not_asked", "--calls is reached");
        continue;
      }
      if (auto const done = make(call); !done) return done.error();
    }
    return {};
  }

  [[nodiscard]] json::object result() && {
    return {{"calls", std::move(outcomes_)},
            {"counts", {{"asked", asked_}, {"changed", changed_}, {"not_asked", left_}}}};
  }
  [[nodiscard]] std::size_t recorded() const noexcept { return asked_; }

 private:
  void note_left_out(json::object const& input) {
    auto const ref = cell(input, "ref");
    bool const is_mended = cell(input, "state") == "mended";
    if ((cell(input, "state") != "left_out" && !is_mended) || !left_out_.insert(ref).second) return;
    auto const text = known_.text_of(ref);
    auto const newer = is_mended ? known_.text_of(cell(input, "newer")) : std::optional<std::string>{""};
    if (text && newer) known_.edits.push_back({*text, *newer});
  }

  /// A call that needs one that was not made again is not made either.
  [[nodiscard]] std::string missing_before(json::object const& call) const {
    for (auto const& each : schema::json::list_at(call, "inputs")) {
      auto const ref = cell(each.as_object(), "ref");
      if (failed_.contains(ref)) return "it needs " + ref + ", which was not asked again";
    }
    return {};
  }

  CallResult<void> make(json::object const& call) {
    auto const ref = cell(call, "ref");
    auto prompt = prompt_of(call, known_);
    if (auto missing = missing_before(call); !missing.empty()) prompt.why_not = std::move(missing);
    if (!prompt.why_not.empty()) {
      note_outcome(call, "not_asked", prompt.why_not);
      return {};
    }
    if (prompt.is_as_before) {
      note_outcome(call, "same", "its prompt is the same");
      return {};
    }
    auto const& record = call.at("record").as_object();
    auto const model = command_.model.empty() ? cell(record, "model") : command_.model;
    if (model.empty()) {
      note_outcome(call, "not_asked", "nobody knows its model: --model names one");
      return {};
    }
    auto const answer = ask_model(server_, model, prompt.messages);
    if (!answer) return answer.error();
    auto written = write(Replayed(call, replays_).record(prompt, *answer, model, command_));
    if (!written) return written.error();
    ++asked_;
    auto const before = text_in_record(record);
    if (before && !before->empty()) known_.edits.push_back({*before, answer->text});
    known_.answers[ref] = answer->text;
    replays_[ref] = *written;
    bool const is_changed = before != answer->text;
    if (is_changed) ++changed_;
    note_outcome(call, is_changed ? "changed" : "same", {}, *written, prompt.unsure);
    return {};
  }

  CallResult<std::string> write(json::object record) {
    auto const result =
        caller_.call("records.write", json::object{{"records", json::array{std::move(record)}}, {"mode", "capture"}});
    if (!result) return result.error();
    for (auto const& each : schema::json::list_at(result->as_object(), "refs")) {
      if (std::string_view(each.as_string()).starts_with("Response:")) return std::string(each.as_string());
    }
    return CallError{.message = "the server named no response"};
  }

  void note_outcome(json::object const& call, std::string_view outcome, std::string_view why,
                    std::string const& replay = {}, std::vector<std::string> const& unsure = {}) {
    auto const ref = cell(call, "ref");
    json::object noted{{"ref", ref}, {"outcome", outcome}};
    if (!replay.empty()) noted["replay"] = replay;
    if (!why.empty()) noted["why"] = why;
    if (!unsure.empty()) noted["as_they_were"] = array_of(unsure);
    if (outcome == "not_asked") {
      ++left_;
      failed_.insert(ref);
    }
    if (!command_.is_json) {
      io_.data << shown(ref) << (replay.empty() ? "" : " -> " + replay) << "  "
               << (outcome == "not_asked" ? "not asked" : outcome) << (why.empty() ? "" : ": ") << shown(why);
      for (auto const& each : unsure)
        io_.data << "\n  as it was, since nobody knows what it would say: " << shown(each);
      io_.data << '\n' << std::flush;  // each call takes seconds
    }
    outcomes_.push_back(std::move(noted));
  }

  Caller& caller_;
  ReplayCommand const& command_;
  DialConfig server_;
  Io& io_;
  ReplayTexts known_ = {};
  std::map<std::string, std::string> replays_ = {};  ///< by the first answer
  std::set<std::string> left_out_ = {};
  std::set<std::string> failed_ = {};
  json::array outcomes_ = {};
  std::size_t asked_ = 0;
  std::size_t changed_ = 0;
  std::size_t left_ = 0;
};

std::string count_of(json::object const& counts, std::string_view known, std::string_view sum) {
  if (!counts.contains(sum)) return "nobody gave it";
  return cell(counts, sum) + " (of " + cell(counts, known) + " calls)";
}

void show_plan(Plan const& plan, Io& io) {
  for (auto const& call : plan.calls) {
    io.data << cell(call, "stage") << "  " << shown(cell(call, "ref")) << "  " << cell(call, "effect");
    for (auto const& [name, unit] :
         {std::pair{"input_tokens", " tokens in"}, {"output_tokens", " tokens out"}, {"cost", " cost"}}) {
      if (call.contains(name)) io.data << "  " << cell(call, name) << unit;
    }
    io.data << '\n';
    for (auto const& each : schema::json::list_at(call, "inputs")) {
      auto const& input = each.as_object();
      auto const newer = cell(input, "state") == "mended" ? " -> " + shown(cell(input, "newer")) : std::string();
      io.data << "     " << cell(input, "state") << "  " << shown(cell(input, "ref")) << newer << '\n';
    }
  }
  io.data << cell(plan.counts, "calls") << " calls in " << cell(plan.counts, "stages")
          << " stages; as they were made: tokens in " << count_of(plan.counts, "with_input_tokens", "input_tokens")
          << ", tokens out " << count_of(plan.counts, "with_output_tokens", "output_tokens") << ", cost "
          << count_of(plan.counts, "with_cost", "cost") << '\n';
}

/// Names what could stand in the place of what is left out.
void offer_mended(ReplayCommand const& command, Plan const& plan, Io& io) {
  if (command.is_mended) return;
  std::set<std::string> offered;
  for (auto const& call : plan.calls) {
    for (auto const& each : schema::json::list_at(call, "inputs")) {
      auto const& input = each.as_object();
      auto const newer = cell(input, "newer");
      if (newer.empty() || !offered.insert(cell(input, "ref")).second) continue;
      if (offered.size() > offers_max) return;
      io.talk << shown(cell(input, "ref")) << " was mended: --mended puts " << shown(newer) << " in its place\n";
    }
  }
}

CallResult<DialConfig> model_server(ReplayCommand const& command) {
  auto url = parse_url(command.model_url);
  if (!url) return CallError{.exit = ExitCode::usage, .message = "--model-url: " + url.error().message};
  DialConfig server{.url = *std::move(url), .timeout = model_timeout};
  if (command.key_file.empty()) return server;
  auto key = read_model_key(command.key_file);
  if (!key) return key.error();
  server.token = *std::move(key);
  return server;
}

ExitCode show_dry_run(ReplayCommand const& command, Plan const& plan, Io& io) {
  if (command.is_json) {
    json::array calls(plan.calls.begin(), plan.calls.end());
    io.data << schema::json::to_text(json::object{{"calls", std::move(calls)}, {"counts", plan.counts}}) << '\n';
  } else {
    show_plan(plan, io);
  }
  return ExitCode::ok;
}

ExitCode run_replay(ReplayCommand const& command, CLI::App const& app, Io& io) {
  if (command.model_url.empty() && !command.is_dry_run) {
    return report(io, {.exit = ExitCode::usage, .message = "give --model-url URL, or --dry-run"});
  }
  std::optional<DialConfig> server;
  if (!command.is_dry_run) {
    auto found = model_server(command);
    if (!found) return report(io, found.error());
    server = *std::move(found);
  }
  auto caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  auto const plan = plan_of(**caller, command);
  if (!plan) return report(io, in_own_words(plan.error(), app));
  if (!plan->reason.empty()) io.talk << "the plan is not whole: " << plan->reason << '\n';
  offer_mended(command, *plan, io);
  if (!server) return show_dry_run(command, *plan, io);
  if (!command.calls && plan->calls.size() > calls_unasked_max) {
    return report(io, {.exit = ExitCode::usage,
                       .message = "the plan has " + std::to_string(plan->calls.size()) +
                                  " calls: say with --calls how many may be made (--dry-run shows them)"});
  }
  Replay replay(**caller, command, *std::move(server), io);
  auto const done = replay.run(*plan);
  auto const recorded = replay.recorded();
  auto const result = std::move(replay).result();
  if (command.is_json) {
    io.data << schema::json::to_text(result) << '\n';
  } else {
    auto const& counts = result.at("counts").as_object();
    io.data << cell(counts, "asked") << " of " << plan->calls.size() << " calls asked again, "
            << cell(counts, "changed") << " changed, " << cell(counts, "not_asked") << " not asked\n";
  }
  if (done) return plan->reason.empty() ? ExitCode::ok : ExitCode::incomplete;
  auto error = done.error();
  error.message += " (" + std::to_string(recorded) + " answers are recorded, each whole; the others were not asked)";
  return report(io, error);
}

}  // namespace

void add_replay_verb(Program& program) {
  CLI::App& app = program.add_verb("replay", "Asks a model again for the answers that rest on nodes, without or mended",
                                   Purpose::write);
  auto command = std::make_shared<ReplayCommand>();
  app.add_option("refs", command->refs, "The nodes that are left out")->type_name("REF")->required();
  app.add_option("--model-url", command->model_url,
                 "End point of OpenAI's form: /chat/completions is added, as to https://HOST/v1")
      ->type_name("URL");
  app.add_option("--model", command->model, "Asks this model; else each call the one that it had")->type_name("NAME");
  app.add_option("--model-key-file", command->key_file, "File whose first line is the end point's key")
      ->type_name("FILE");
  app.add_option("--calls", command->calls, "Makes at most so many calls; needed where the plan has more than 100")
      ->type_name("N");
  app.add_flag("--mended", command->is_mended,
               "Puts the newest version of each node in its place, where there is one, instead of leaving it out");
  app.add_flag("--dry-run", command->is_dry_run, "Prints the calls, their inputs, tokens and cost, and asks nobody");
  app.add_flag("--json", command->is_json, "Prints one JSON document");
  add_target_flags(app, command->target);
  program.set_work(app, [command, &app](Io& io) { return run_replay(*command, app, io); });
}

}  // namespace whence::tools
