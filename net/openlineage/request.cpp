#include "net/openlineage/request.hpp"

#include "schema/json/json.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::net::openlineage {

namespace {

namespace json = boost::json;

json::array texts(std::vector<std::string> const& parts) {
  return json::array(parts.begin(), parts.end());
}

/// What became of a batch, in the order of its events; `warnings` are of those that were taken in part.
std::string summary_of(Outcome const& outcome, json::array warnings) {
  json::array failed;
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    if (!outcome[i]) continue;
    failed.push_back(json::object{{"index", i}, {"reason", reason_of(*outcome[i])}, {"retriable", false}});
  }
  auto const failures = failed.size();
  auto const* status = failures == 0 ? "success" : "partial_success";
  if (failures > 0 && failures == outcome.size()) status = "failure";
  json::object answer{{"status", status},
                      {"summary", json::object{{"received", outcome.size()},
                                               {"successful", outcome.size() - failures},
                                               {"failed", failures},
                                               {"retriable", 0},
                                               {"non_retriable", failures}}},
                      {"failed_events", std::move(failed)}};
  if (!warnings.empty()) answer["warnings"] = std::move(warnings);
  return schema::json::to_text(json::value(answer));
}

}  // namespace

std::string reason_of(Error const& error) {
  if (!error.violations.empty()) {
    auto const& first = error.violations.front();
    return first.path + ": " + first.message;
  }
  return error.message.empty() ? std::string{name_of(error.code)} : error.message;
}

void submit_event(Intake& intake, std::string_view body, std::string const& who, Answered const& answered,
                  std::string const& client) {
  auto event = read_event(body);
  if (!event) return answered(event.error());
  std::string whole = "{}";
  if (!event->left_out.empty()) whole = schema::json::to_text(json::object{{"warnings", texts(event->left_out)}});
  std::vector<Event> events;
  events.push_back(std::move(*event));
  intake.submit(
      std::move(events), who,
      [answered, whole = std::move(whole)](Result<Outcome> outcome) {
        if (!outcome) return answered(outcome.error());
        auto const& refused = outcome->front();
        answered(refused ? Result<std::string>{*refused} : Result<std::string>{whole});
      },
      client);
}

void submit_batch(Intake& intake, std::string_view body, std::string const& who, Answered const& answered,
                  std::string const& client) {
  auto batch = read_batch(body);
  if (!batch) return answered(batch.error());
  std::vector<Event> events;
  Outcome outcome;
  json::array warnings;
  for (auto& each : *batch) {
    if (each && !each->left_out.empty()) {
      warnings.push_back(json::object{{"index", outcome.size()}, {"left_out", texts(each->left_out)}});
    }
    outcome.push_back(each ? std::nullopt : std::optional{each.error()});
    if (each) events.push_back(std::move(*each));
  }
  if (events.empty()) return answered(summary_of(outcome, std::move(warnings)));
  intake.submit(
      std::move(events), who,
      [answered, outcome = std::move(outcome), warnings = std::move(warnings)](Result<Outcome> written) mutable {
        if (!written) return answered(written.error());
        auto next = written->begin();
        for (auto& each : outcome) {
          if (!each) each = *next++;
        }
        answered(summary_of(outcome, std::move(warnings)));
      },
      client);
}

}  // namespace whence::net::openlineage
