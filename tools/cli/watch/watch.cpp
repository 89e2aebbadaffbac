// `whence watch`: prints every matching change as it happens. After a lost connection it subscribes again from the
// resume point, until it is ended from outside. Only the first subscription fails without a server; later it retries
// with random pauses of 0.1 to 5 s. Refusals are final, and so is a log that forked from the one that was watched
// before. No `--db`: a store that no server holds does not change.

#include "net/base/errors.hpp"
#include "net/base/version.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/options/param_flags.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/transport/nodes_caller.hpp"
#include "tools/cli/transport/pauses.hpp"
#include "tools/cli/transport/ws_client.hpp"
#include "tools/cli/watch/end.hpp"
#include "tools/cli/watch/line.hpp"
#include "tools/cli/watch/message.hpp"
#include "tools/cli/watch/stream.hpp"
#include "tools/cli/watch/tree.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// For connecting to one of several nodes, and for its answers; another is tried after that.
constexpr std::chrono::milliseconds node_timeout{10'000};

/// The params of `subscribe` beside `match`.
std::vector<ParamFlag> stream_flags() {
  return {{"since", FlagKind::moment, false, "Begins after this transaction or time; now where not given."},
          {"snapshot", FlagKind::boolean, false, "Sends the current state first, then the changes."},
          {"include", FlagKind::names, false, "With each event: record, edges."}};
}

struct WatchCommand {
  Target target = {};
  std::deque<BoundFlag> match = {};  ///< deques: bound options stay where they are
  std::deque<BoundFlag> stream = {};
  bool ends_caught_up = false;
  bool is_json = false;
  CLI::App const* app = nullptr;
};

CallError watch_usage(std::string message) {
  return {.exit = ExitCode::usage, .message = std::move(message)};
}

Result<json::object> params_from(std::deque<BoundFlag> const& flags) {
  json::object params;
  for (BoundFlag const& flag : flags) {
    if (Result<void> put = put_param(params, flag); !put) return put.error();
  }
  return params;
}

/// The params of `subscribe`. The server validates them.
CallResult<json::object> params_of(WatchCommand const& command) {
  Result<json::object> match = params_from(command.match);
  if (!match) return watch_usage(match.error().message);
  Result<json::object> params = params_from(command.stream);
  if (!params) return watch_usage(params.error().message);
  if (!command.is_json && !params->contains("include")) (*params)["include"] = {"record", "edges"};
  (*params)["match"] = std::move(*match);
  return std::move(*params);
}

bool is_resume_impossible(CallError const& error) {
  json::object const* const rpc_error = error.rpc_error.if_object();
  json::value const* const code = rpc_error != nullptr ? rpc_error->if_contains("code") : nullptr;
  return code != nullptr && *code == net::wire_code(Errc::resume_impossible);
}

/// A refusal of `subscribe` in words of the verb, with a hint where the remedy is not obvious.
CallError explain(CallError refused, CLI::App const& app) {
  CallError error = in_own_words(std::move(refused), app);
  if (is_resume_impossible(error)) {
    error.message += "; the events since then are no longer available. --snapshot prints the current state";
  }
  return error;
}

/// One run of the verb.
class Watch {
 public:
  Watch(WatchCommand const& command, std::vector<DialConfig> servers, json::object params, Io& io)
      : command_(command), io_(io), servers_(std::move(servers)), stream_(std::move(params)) {}

  ExitCode run();

 private:
  [[nodiscard]] CallResult<json::object> call(std::string_view method, json::object const& params);
  [[nodiscard]] CallResult<void> subscribe();
  [[nodiscard]] CallResult<void> check_node(json::object const& hello);
  [[nodiscard]] CallResult<void> follow();
  [[nodiscard]] CallResult<void> take(WatchMessage const& message);
  [[nodiscard]] CallResult<void> take_events(std::vector<WatchEvent> const& events);
  [[nodiscard]] CallResult<void> ask_of_tree(std::optional<SeenTree::Request> const& request);
  [[nodiscard]] CallResult<void> take_answer(json::object const& answer);
  [[nodiscard]] CallError take_end(json::object const& params);
  void announce_lagged(json::object const& params);
  void announce_begin(bool is_first);
  void announce(std::string const& line) { io_.talk << "whence: " << net::plain_text::shown(line) << std::endl; }
  [[nodiscard]] bool may_be_behind(CallError const& refusal) const;
  void rest(CallError const& lost);
  void note_progress();

  WatchCommand const& command_;
  Io& io_;
  std::vector<DialConfig> servers_;
  std::size_t at_ = 0;  ///< the server that is watched, or tried next
  NodeFailures failures_{servers_};
  json::value epoch_ = nullptr;  ///< of the graph; null: not known
  WsClient client_;
  WatchStream stream_;
  SeenTree tree_;
  WatchPauses pauses_{std::random_device{}()};
  bool is_over_ = false;                      ///< everything requested has been printed
  WatchEnd end_{[this] { client_.stop(); }};  // last: its thread ends before what it stops
};

/// Stdout cannot be written. That is a regular end if its reader has closed it, else a broken environment.
ExitCode end_without_output(Io& io) {
  if (!is_reader_gone()) throw std::runtime_error{"standard output cannot be written"};
  discard_output();
  io.data.clear();
  return ExitCode::ok;
}

ExitCode Watch::run() {
  for (;;) {
    CallResult<void> const followed = follow();
    if (!io_.data) return end_without_output(io_);
    if (is_over_ || end_.has_come()) return ExitCode::ok;
    CallError const& lost = followed.error();
    if (lost.exit != ExitCode::unreachable && !may_be_behind(lost)) return report(io_, lost);
    bool const is_round = failures_.add(at_, lost);
    at_ = (at_ + 1) % servers_.size();
    if (is_round && !stream_.has_begun()) return report(io_, failures_.summary(lost));
    if (is_round) {
      rest(lost);
    } else {
      announce(lost.message);
      announce("going on at " + authority_of(servers_[at_].url) + ", from transaction " + std::to_string(stream_.tx()));
    }
  }
}

/// Whether another node may have the transaction that a new watch is to begin after.
bool Watch::may_be_behind(CallError const& refusal) const {
  return servers_.size() > 1 && !stream_.has_begun() && is_resume_impossible(refusal);
}

/// The pause after all servers have failed.
void Watch::rest(CallError const& lost) {
  auto const pause = pauses_.next();
  announce(lost.message);
  announce("trying again in " + std::to_string(pause.count()) + " ms, from transaction " +
           std::to_string(stream_.tx()));
  client_.pause(pause);
}

/// Calls a method. Messages before its answer belong to no subscription of this connection and are skipped.
CallResult<json::object> Watch::call(std::string_view method, json::object const& params) {
  CallResult<void> const sent = client_.send(request_text(1, method, schema::json::to_text(params)));
  if (!sent) return sent.error();
  for (;;) {
    CallResult<std::string> const text = client_.receive();
    if (!text) return text.error();
    Result<WatchMessage> message = parse_watch_message(*text);
    if (!message) return CallError{.message = message.error().message};
    if (message->kind != WatchKind::answer) continue;
    CallResult<json::value> result = result_of(std::move(message->body));
    if (!result) return with_way_out(servers_[at_], result.error());
    if (!result->is_object()) return CallError{.message = "the result is not an object"};
    return std::move(result->get_object());
  }
}

CallResult<void> Watch::subscribe() {
  if (CallResult<void> connected = client_.connect(servers_[at_]); !connected) return connected;
  std::string const client = "whence watch " + std::string{net::version()};
  CallResult<json::object> hello = call("session.hello", {{"client", client}, {"versions", {net::protocol_version}}});
  if (!hello) return hello.error();
  if (CallResult<void> checked = check_node(*hello); !checked) return checked;
  CallResult<json::object> const answer = call("subscribe", stream_.params());
  if (!answer) return explain(answer.error(), *command_.app);
  bool const is_first = !stream_.has_begun();
  stream_.begin(*answer, (*hello)["epoch"]);
  announce_begin(is_first);
  tree_.restart();
  return ask_of_tree(tree_.next());
}

/// Beside the events: answers come among them.
CallResult<void> Watch::ask_of_tree(std::optional<SeenTree::Request> const& request) {
  if (!request) return {};
  return client_.send(request_text(2, request->method, schema::json::to_text(request->params)));
}

CallResult<void> Watch::take_answer(json::object const& answer) {
  auto const next = tree_.take(authority_of(servers_[at_].url), answer);
  return next ? ask_of_tree(*next) : next.error();
}

/// That one of several nodes is of the same graph as the others, and has what was received.
CallResult<void> Watch::check_node(json::object const& hello) {
  if (servers_.size() == 1) return {};
  auto const fail = [](std::string why) { return CallError{.exit = ExitCode::unreachable, .message = std::move(why)}; };
  std::string const node = authority_of(servers_[at_].url);
  json::value const* const epoch = hello.if_contains("epoch");
  if (epoch_.is_null() && epoch != nullptr) epoch_ = *epoch;
  if (epoch == nullptr || *epoch != epoch_) return fail(node + " has another graph");
  std::uint64_t const needed = stream_.has_begun() ? stream_.tx() : 0;
  if (count_of(hello, "tx") >= needed) return {};
  if (call("node.count", catch_up_params(needed))) return {};
  return fail(node + " is behind: it does not have transaction " + std::to_string(needed));
}

void Watch::announce_begin(bool is_first) {
  announce((is_first ? "watching from transaction " : "connected again, watching from transaction ") +
           std::to_string(stream_.tx()));
}

/// Returns when the watch is over, or the reason why this connection cannot continue.
CallResult<void> Watch::follow() {
  if (CallResult<void> subscribed = subscribe(); !subscribed) return subscribed;
  while (!is_over_) {
    CallResult<std::string> const text = client_.receive_patiently();
    if (!text) return text.error();
    Result<WatchMessage> const message = parse_watch_message(*text);
    if (!message) return CallError{.message = message.error().message};
    if (CallResult<void> taken = take(*message); !taken) return taken;
  }
  return {};
}

CallResult<void> Watch::take(WatchMessage const& message) {
  if (message.kind == WatchKind::answer) return take_answer(message.body);
  bool const is_ours =
      message.kind == WatchKind::heartbeat || schema::json::text_at(message.body, "sub") == stream_.sub();
  if (!is_ours) return {};
  switch (message.kind) {
    case WatchKind::event:
      return take_events(message.events);
    case WatchKind::caught_up:
      stream_.catch_up(count_of(message.body, "tx"));
      announce("caught up at transaction " + std::to_string(stream_.tx()));
      is_over_ = command_.ends_caught_up;
      break;
    case WatchKind::heartbeat:
      stream_.pass(count_of(message.body, "tx"));
      if (CallResult<void> asked = ask_of_tree(tree_.next()); !asked) return asked;
      break;
    case WatchKind::lagged:
      announce_lagged(message.body);
      return {};
    case WatchKind::ended:
      return take_end(message.body);
    case WatchKind::answer:
    case WatchKind::other:
      return {};
  }
  note_progress();
  return {};
}

void Watch::note_progress() {
  pauses_.reset();
  failures_.reset();
}

/// Prints the new events and flushes them before the next message is read.
CallResult<void> Watch::take_events(std::vector<WatchEvent> const& events) {
  for (WatchEvent const& event : events) {
    Fit const fit = stream_.take(event);
    if (fit == Fit::gap) {
      return CallError{.exit = ExitCode::unreachable,
                       .message = "transaction " + std::to_string(event.tx) + " follows transaction " +
                                  std::to_string(event.prev) + ", which was not received"};
    }
    if (fit == Fit::known) continue;
    io_.data << (command_.is_json ? event.text : watch_line(event.value, io_)) << '\n';
  }
  if (!io_.data.flush()) return CallError{.message = "standard output cannot be written"};
  note_progress();
  return {};
}

void Watch::announce_lagged(json::object const& params) {
  announce("lagging: at transaction " + std::to_string(count_of(params, "at_tx")) + " of " +
           std::to_string(count_of(params, "head_tx")) + "; events are read from the log until caught up");
}

/// The server ended the subscription. Only reasons that concern the log or the token are final.
CallError Watch::take_end(json::object const& params) {
  std::string_view const reason = schema::json::text_at(params, "reason");
  stream_.pass(count_of(params, "tx"));
  bool const is_final = reason == "resume_impossible" || reason == "forbidden";
  return {.exit = is_final ? ExitCode::failure : ExitCode::unreachable,
          .message = "the server ended the subscription at transaction " + std::to_string(stream_.tx()) + ": " +
                     std::string{reason}};
}

ExitCode run(WatchCommand const& command, Io& io) {
  if (!command.target.db.empty()) {
    return report(io, watch_usage("--db: a store that no server holds does not change; `whence serve --db " +
                                  command.target.db + "` serves it, `whence watch --url URL` watches it"));
  }
  CallResult<json::object> params = params_of(command);
  if (!params) return report(io, params.error());
  CallResult<std::vector<DialConfig>> servers = find_servers(command.target, timeout_default);
  if (!servers) return report(io, servers.error());
  if (servers->size() > 1) {
    for (DialConfig& each : *servers) each.timeout = node_timeout;
  }
  return Watch{command, std::move(*servers), std::move(*params), io}.run();
}

void add_flags(CLI::App& app, std::deque<BoundFlag>& bound, std::vector<ParamFlag> const& flags) {
  for (ParamFlag const& flag : flags) add_flag(app, bound.emplace_back(BoundFlag{.flag = flag}), false);
}

}  // namespace

void add_watch_verb(Program& program) {
  CLI::App& app =
      program.add_verb("watch", "Prints every change that matches, as it happens, until Ctrl-C", Purpose::look);
  auto command = std::make_shared<WatchCommand>();
  command->app = &app;
  add_flags(app, command->match, flags_of<queries::Match>());
  add_flags(app, command->stream, stream_flags());
  app.add_flag("--until-caught-up", command->ends_caught_up, "Ends when everything up to now was printed");
  // Hidden, and not a setting: it exists to be refused with a reason, and WHENCE_DB is for other verbs.
  app.add_option("--db", command->target.db)->group("");
  add_server_flags(app, command->target);
  app.add_flag("--json", command->is_json, "Prints each event as one line of JSON");
  program.set_work(app, [command](Io& io) { return run(*command, io); });
}

}  // namespace whence::tools
