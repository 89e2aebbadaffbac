// From evaluations in log records, of a span or of a response by its id, to feedback. Its id is made from the log
// record and the call, so that one that comes again is known. A score beyond -1 and 1 is cut and kept as given among
// the attributes.

#include "net/capture/derivation/ratings.hpp"

#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/records/context/records.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::net::capture {

namespace json = boost::json;
namespace limits = schema::limits;
using schema::RecordType;

namespace {

class Ratings {
 public:
  Ratings(Traces& all, OuterCalls const& outer, Surroundings const& around, std::set<std::string> const& made)
      : all_(all), outer_(outer), around_(around), made_(made) {}

  void make_ratings();

 private:
  /// A rating of an agent's run, or of a span around one, is of the call that gave its answer; else of the only call
  /// below it.
  [[nodiscard]] SpanName rated(SpanName const& of) const;
  void make_rating(SpanName of, LogFacts const& facts);

  Traces& all_;
  OuterCalls const& outer_;
  Surroundings const& around_;
  std::set<std::string> const& made_;
  std::set<std::string> rated_;  // ids of feedback written here
};

void Ratings::make_ratings() {
  for (auto const& [trace, state] : all_.states) {
    for (auto const& [id, facts] : state.logs) {
      if (facts.evaluation) make_rating({trace, facts.span}, facts);
    }
  }
  for (auto const& [response, known] : all_.named) {
    for (auto const& [id, facts] : known.ratings) {
      for (auto const& call : known.calls) make_rating(call, facts);
    }
  }
}

SpanName Ratings::rated(SpanName const& of) const {
  auto const* const run = all_.find(of);
  if (run == nullptr || (run->kind == Kind::call && !outer_.is_wrapper(of))) return of;
  auto const& around = around_.of(of.trace);
  auto const& nodes = around.tree.nodes();
  auto const own = around.tree.find(of.span);
  std::optional<std::pair<Nanos, SpanName>> same;  // the one that ended last
  auto const answered = around.by_answer.find(run->answer_hash);
  if (answered != around.by_answer.end()) {
    for (auto const& [place, at] : answered->second) {
      auto const& facts = *nodes[at].facts;
      bool const is_said = facts.answer_hash == run->answer_hash;  // by the span, not by log records
      bool const is_later = !same || same->first < facts.end;
      if (is_said && is_later && around.tree.is_within(at, own)) same.emplace(facts.end, place.name);
    }
  }
  if (same) return same->second;
  auto const first = std::ranges::upper_bound(around.calls, own);
  auto const is_below = [&](auto at) { return at != around.calls.end() && around.tree.is_within(*at, own); };
  bool const is_only = is_below(first) && !is_below(std::next(first));
  return is_only ? SpanName{of.trace, std::string(nodes[*first].span)} : of;
}

void Ratings::make_rating(SpanName of, LogFacts const& facts) {
  of = rated(of);
  if (auto const* const told = outer_.instead_of(of); told != nullptr) of = SpanName(*told);
  auto const* const call = all_.find(of);
  if (call == nullptr || call->kind != Kind::call) return;
  auto const ref = *record_ref(of, Kind::call);
  bool const is_there = made_.contains(ref.id) || all_.snapshot.find(ref.type, ref.id);
  bool const is_of_trace = all_.states.at(of.trace).logs.contains(facts.id);
  auto const id = "fb_" + facts.id + "_" + (is_of_trace ? "" : of.trace + "_") + of.span;
  bool const is_known = all_.snapshot.find(RecordType::feedback_record, id) &&
                        !all_.renewed.contains(schema::format_ref(RecordType::feedback_record, id));
  if (!is_there || is_known || !rated_.insert(id).second) return;
  schema::FeedbackRecord feedback{
      .id = id, .response_id = ref.id, .timestamp = time_of_nanos(std::max(facts.time, call->end))};
  auto const& score = facts.evaluation->score;
  if (score) feedback.score = std::clamp(*score, -1.0, 1.0);
  auto text = facts.evaluation->text;
  if (text.empty()) text = facts.evaluation->label;
  if (!text.empty()) feedback.feedback_text = schema::cut(text, limits::feedback_text_max - 3);
  json::object own{{"name", facts.evaluation->name}, {"label", facts.evaluation->label}};
  if (score != feedback.score) own["score"] = *score;  // as it was given: a record's is from -1 to 1
  for (auto const& pair : facts.evaluation->rest) own.emplace(pair.key(), pair.value());
  feedback.attributes = schema::Attributes{schema::json::to_canonical_text(json::value(own))};
  all_.write(std::move(feedback));
}

}  // namespace

void make_ratings(Traces& all, OuterCalls const& outer, Surroundings const& around, std::set<std::string> const& made) {
  Ratings(all, outer, around, made).make_ratings();
}

}  // namespace whence::net::capture
