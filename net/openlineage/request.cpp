// Events that cannot be read are not submitted. What became of the others is put between them, in the order of the
// batch.

#include "net/openlineage/request.hpp"

#include "schema/json/json.hpp"

#include <algorithm>
#include <iterator>
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

/// What became of a batch, in the order of its events.
std::string summary_of(Outcome const& outcome) {
  json::array failed;
  json::array warnings;
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    auto const& [refused, left_out] = outcome[i];
    if (!left_out.empty()) warnings.push_back(json::object{{"index", i}, {"left_out", texts(left_out)}});
    if (refused) failed.push_back(json::object{{"index", i}, {"reason", reason_of(*refused)}, {"retriable", false}});
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
  auto left_out = event->left_out;
  std::vector<Event> events;
  events.push_back(std::move(*event));
  intake.submit(
      std::move(events), who,
      [answered, left_out = std::move(left_out)](Result<Outcome> outcome) mutable {
        if (!outcome) return answered(outcome.error());
        auto& written = outcome->front();
        if (written.refused) return answered(*written.refused);
        std::ranges::move(written.left_out, std::back_inserter(left_out));
        answered(left_out.empty() ? std::string("{}")
                                  : schema::json::to_text(json::object{{"warnings", texts(left_out)}}));
      },
      client);
}

void submit_batch(Intake& intake, std::string_view body, std::string const& who, Answered const& answered,
                  std::string const& client) {
  auto batch = read_batch(body);
  if (!batch) return answered(batch.error());
  std::vector<Event> events;
  Outcome outcome;
  for (auto& each : *batch) {
    auto& of_event = outcome.emplace_back();
    if (each) {
      of_event.left_out = each->left_out;
      events.push_back(std::move(*each));
    } else {
      of_event.refused = each.error();
    }
  }
  if (events.empty()) return answered(summary_of(outcome));
  intake.submit(
      std::move(events), who,
      [answered, outcome = std::move(outcome)](Result<Outcome> written) mutable {
        if (!written) return answered(written.error());
        auto next = written->begin();
        for (auto& each : outcome) {
          if (each.refused) continue;
          each.refused = std::move(next->refused);
          std::ranges::move(next->left_out, std::back_inserter(each.left_out));
          ++next;
        }
        answered(summary_of(outcome));
      },
      client);
}

}  // namespace whence::net::openlineage
