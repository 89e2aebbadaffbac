// Importing events of OpenLineage that somebody kept: one a line, as the file transport of its clients writes them, or
// an array.

#include "net/capture/capture.hpp"
#include "net/openlineage/event.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/imports/document_lines.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/transport/http_caller.hpp"

#include <cstdint>
#include <fstream>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::size_t together_max = 500;                ///< events sent at once
constexpr std::size_t bytes_max = std::size_t{8} << 20;  ///< of events that wait to be sent

/// Takes a batch as OpenLineage's API does, and answers with its summary.
using TakeBatch = std::function<CallResult<json::value>(std::string const& text)>;

CallError wrong_input(std::string message) {
  return {.exit = ExitCode::invalid_input, .message = std::move(message)};
}

/// The same summary of events that are only looked at.
CallResult<json::value> check_batch(std::string const& text) {
  auto const events = net::openlineage::read_batch(text);
  if (!events) return wrong_input(events.error().message);
  json::array failed;
  json::array warnings;
  for (std::size_t i = 0; i < events->size(); ++i) {
    auto const& event = (*events)[i];
    if (!event) {
      failed.push_back(json::object{{"index", i}, {"reason", event.error().message}});
    } else if (!event->left_out.empty()) {
      json::array const parts(event->left_out.begin(), event->left_out.end());
      warnings.push_back(json::object{{"index", i}, {"left_out", parts}});
    }
  }
  return json::value(json::object{{"failed_events", std::move(failed)}, {"warnings", std::move(warnings)}});
}

CallResult<json::value> parsed(std::string const& answer) {
  auto document = schema::json::parse(answer);
  if (!document) return CallError{.message = "the answer is no JSON: " + document.error().message};
  return std::move(document->value);
}

/// The way into the target. What it keeps open lives as long as the function.
CallResult<TakeBatch> open_lineage_target(ImportCommand const& command) {
  if (command.is_dry_run) return TakeBatch{check_batch};
  if (!command.target.db.empty()) {
    auto opened = LocalCaller::open_local(command.target.db, MissingStore::is_created);
    if (!opened) return opened.error();
    std::shared_ptr<LocalCaller> const local = std::move(*opened);
    return TakeBatch{[local](std::string const& text) -> CallResult<json::value> {
      auto const answer = local->service().capture_lineage(text);
      if (!answer) return CallError{.message = answer.error().message};
      return parsed(*answer);
    }};
  }
  auto const server = find_server(command.target, timeout_default);
  if (!server) return server.error();
  auto const http = std::make_shared<HttpCaller>(*server);
  return TakeBatch{[http](std::string const& text) -> CallResult<json::value> {
    auto const answer = http->post("/api/v1/lineage/batch", text);
    if (!answer) return answer.error();
    return parsed(*answer);
  }};
}

/// Sends events in batches and reports those that are refused.
class LineageImport {
 public:
  LineageImport(TakeBatch take, Io& io) : take_(std::move(take)), io_(io) {}

  CallResult<void> add(std::uint64_t line, std::string const& text) {
    auto const document = schema::json::parse_foreign(text, net::openlineage::event_depth_max + 1);
    if (!document) {
      ++events_;
      refuse(line, document.error().message);
      return {};
    }
    auto const* const list = document->value.if_array();
    if (list == nullptr) return add_event(line, text);
    for (auto const& each : *list) {
      if (auto const added = add_event(line, schema::json::to_text(each)); !added) return added.error();
    }
    return {};
  }

  CallResult<void> send() {
    if (lines_.empty()) return {};
    auto const answer = take_("[" + batch_ + "]");
    if (!answer) return answer.error();
    events_ += lines_.size();
    auto const* const summary = answer->if_object();
    auto const* const failed = summary == nullptr ? nullptr : summary->if_contains("failed_events");
    if (failed == nullptr || !failed->is_array()) return CallError{.message = "the answer is none of this protocol"};
    for (auto const& each : failed->get_array()) {
      auto const place = each.at("index").to_number<std::size_t>();
      refuse(lines_.at(place), each.at("reason").as_string());
    }
    tell_left_out(*summary);
    lines_.clear();
    batch_.clear();
    return {};
  }

  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  void refuse(std::uint64_t line, std::string_view why) {
    io_.talk << "line " << line << ": " << why << '\n';
    ++refused_;
  }

  void tell_left_out(json::object const& summary) {
    for (auto const& each : schema::json::list_at(summary, "warnings")) {
      auto const line = lines_.at(each.at("index").to_number<std::size_t>());
      for (auto const& part : each.at("left_out").as_array()) {
        io_.talk << "line " << line << ": " << std::string_view(part.as_string()) << '\n';
      }
    }
  }

  CallResult<void> add_event(std::uint64_t line, std::string const& text) {
    if (!lines_.empty()) batch_ += ',';
    batch_ += text;
    lines_.push_back(line);
    return lines_.size() < together_max && batch_.size() < bytes_max ? CallResult<void>{} : send();
  }

  TakeBatch const take_;
  Io& io_;
  std::string batch_;
  std::vector<std::uint64_t> lines_;  // of the events in it
  std::uint64_t events_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace

ExitCode import_lineage(ImportCommand const& command, Io& io) {
  auto const take = open_lineage_target(command);
  if (!take) return report(io, take.error());
  std::ifstream file;
  if (command.file != "-") file.open(command.file, std::ios::binary);
  LineageImport import(*take, io);
  auto done = read_documents(command.file == "-" ? io.in : file, net::capture::body_bytes_max,
                             [&](std::uint64_t line, std::string const& text) { return import.add(line, text); });
  if (done) done = import.send();
  if (!done) return report(io, done.error());
  if (command.is_json) {
    json::object const result{
        {"events", import.events()}, {"refused", import.refused()}, {"dry_run", command.is_dry_run}};
    io.data << schema::json::to_text(result) << '\n';
  } else {
    io.talk << (command.is_dry_run ? "checked " : "imported ") << import.events() << " events";
    if (import.refused() > 0) io.talk << ", " << import.refused() << " of them refused";
    io.talk << '\n';
  }
  return import.refused() > 0 ? ExitCode::invalid_input : ExitCode::ok;
}

}  // namespace whence::tools
