// See README.md. In words: new spans join what is known of their traces; each new span makes its own records; then
// every response that may have gained something is made again from all that is known of it.

#include "net/capture/derivation/derivation.hpp"

#include "net/capture/causes/causes.hpp"
#include "net/capture/causes/earlier_answers.hpp"
#include "net/capture/causes/new_content.hpp"
#include "net/capture/causes/tools.hpp"
#include "net/capture/derivation/message_units.hpp"
#include "net/capture/derivation/ratings.hpp"
#include "net/capture/derivation/renewals.hpp"
#include "net/capture/derivation/responses.hpp"
#include "net/capture/known/answers.hpp"
#include "net/capture/known/arrivals.hpp"
#include "net/capture/known/outer_calls.hpp"
#include "net/capture/known/surroundings.hpp"
#include "net/capture/known/traces.hpp"
#include "net/capture/known/users.hpp"
#include "net/capture/trace/facts_of.hpp"

#include <utility>

namespace whence::net::capture {

namespace {

class Derivation {
 public:
  Derivation(graph::Snapshot const& snapshot, schema::RecordReader const& reader, schema::EmbeddingModels const& models,
             schema::SecretKey const& key, PlainSpans& plain, std::function<bool()> const& must_end)
      : must_end_(must_end),
        all_{.snapshot = snapshot, .reader = reader, .key = key},
        arrivals_(all_, plain, models),
        tools_(all_, models) {}

  Result<Derived> run(std::span<Captured const* const> captured) {
    for (auto const* const each : captured) {
      for (auto const& span : each->spans) {
        if (must_end()) return ended();
        if (auto const added = arrivals_.add_span(span); !added) return added.error();
      }
      if (auto added = arrivals_.add_messages(*each); !added) return added.error();
      for (auto const& said : each->beside) {
        if (auto added = arrivals_.add_log(said.of, facts_of(all_.key, said)); !added) return added.error();
      }
      for (auto const& evaluation : each->evaluations) {
        if (auto added = arrivals_.add_log(evaluation.of, facts_of(all_.key, evaluation)); !added) return added.error();
      }
    }
    if (auto const linked = arrivals_.add_plain(captured); !linked) return linked.error();
    arrivals_.answer_remote();
    if (auto const found = find_users(all_); !found) return found.error();
    if (auto const made = tools_.make_tools(); !made) return made.error();
    if (auto const linked = find_linkers(all_); !linked) return linked.error();
    arrivals_.mention_others();
    if (auto const found = outer_.find_repeated(); !found) return found.error();
    for (auto const& [name, facts] : all_.states) {
      for (auto const& [span, own] : facts.spans) {
        if (own.kind != Kind::call) continue;
        if (must_end()) return ended();
        if (auto const made = responses_.make_response({name, span}, own); !made) return made.error();
      }
    }
    if (auto const removed = units_.remove_units(); !removed) return removed.error();
    if (auto const written = renewals_.write_users(responses_.made()); !written) return written.error();
    make_ratings(all_, outer_, around_, responses_.made());
    if (auto const written = units_.write_units(); !written) return written.error();
    return std::move(all_.out);
  }

 private:
  [[nodiscard]] bool must_end() const { return must_end_ && must_end_(); }
  static Error ended() { return {.code = Errc::busy, .message = "the server stops"}; }

  std::function<bool()> const& must_end_;
  Traces all_;
  Arrivals arrivals_;
  Tools tools_;
  Answers answers_{all_};
  OuterCalls outer_{all_, answers_};
  Surroundings around_{all_, answers_, outer_};
  NewContent new_{all_, outer_, around_};
  EarlierAnswers earlier_{all_, answers_, outer_, around_, new_};
  CauseFinder causes_{all_, outer_, around_, new_, tools_, earlier_};
  Renewals renewals_{all_};
  MessageUnits units_{all_, renewals_};
  Responses responses_{all_, outer_, around_, new_, tools_, earlier_, causes_, units_, renewals_};
};

}  // namespace

Result<Derived> derive(std::span<Captured const* const> captured, graph::Snapshot const& snapshot,
                       schema::RecordReader const& reader, schema::EmbeddingModels const& models,
                       schema::SecretKey const& key, PlainSpans& plain, std::function<bool()> const& must_end) {
  return Derivation(snapshot, reader, models, key, plain, must_end).run(captured);
}

}  // namespace whence::net::capture
