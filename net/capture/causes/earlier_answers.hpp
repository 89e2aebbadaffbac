#pragma once
// Earlier answers that a prompt has: as messages of it, byte for byte, or within its texts.

#include "net/capture/causes/answer_order.hpp"
#include "net/capture/causes/call_causes.hpp"
#include "net/capture/causes/new_content.hpp"
#include "net/capture/causes/sources.hpp"
#include "net/capture/known/answers.hpp"
#include "net/capture/known/outer_calls.hpp"
#include "net/capture/known/surroundings.hpp"
#include "net/capture/known/traces.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace whence::net::capture {

/// Of one derivation, once all spans are added and the outer calls are known. All fail as `RecordReader::read`.
class EarlierAnswers {
 public:
  EarlierAnswers(Traces& all, Answers const& answers, OuterCalls const& outer, Surroundings const& around,
                 NewContent const& fresh)
      : all_(all), answers_(answers), outer_(outer), around_(around), new_(fresh), order_(all, around) {}

  /// Adds earlier answers that are messages of the prompt, byte for byte, or within texts of it. Of equal ones that of
  /// the call in the same trace which is nearest to this; else the latest of the same conversation; without a
  /// conversation the only one. Of those among `known` one may be nearer by now.
  [[nodiscard]] Result<void> add_answers(SpanName const& name, SpanFacts const& call, Prompt const& prompt,
                                         Causes const& known, CallCauses& to);
  /// The first call of a trace whose answer is new.
  std::optional<Place> const& earliest_answer(std::string const& trace);

 private:
  /// The answers of a trace's calls that may be within texts of later ones: the latest `answers_max`.
  struct Quotable {
    std::vector<std::vector<std::string>> spans = {};  ///< by number of the text
    plain_text::SoughtTexts sought = {};
    std::map<std::string, std::vector<std::string>> nameless = {};  ///< spans, by the hash of calls without their ids
  };

  /// Answers among `known` that several calls gave: by hash the telling bytes, and those that were causes.
  struct Equal {
    std::size_t bytes = 0;
    std::vector<std::string> refs = {};
  };
  Result<std::map<std::string, Equal>> equal_ones(SpanName const& name, SpanFacts const& call, Causes const& known);
  /// The call whose answer a message of a prompt is, by its hash.
  Result<std::optional<SpanName>> answer_of_hash(std::string const& hash, std::size_t bytes, SpanName const& name,
                                                 SpanFacts const& call, Prompt const& prompt);
  /// Earlier answers of the trace that are within texts of the prompt, of equal ones the nearest.
  Result<void> add_quoted(SpanName const& name, SpanFacts const& call, Prompt const& prompt, CallCauses& to);
  /// Of the latest calls of the trace that gave this answer before `call` began, the one with the most spans around
  /// both. Where none did, and the answer has `telling_min` bytes, the first that may have by another clock.
  Result<std::optional<SpanName>> answer_of_trace(std::string const& hash, std::size_t bytes, SpanName const& name,
                                                  SpanFacts const& call);
  /// The nearest call of the trace before `call` whose answer is these calls, given by a hash without ids, with ids
  /// that the prompt has not.
  Result<std::optional<SpanName>> named_answer(std::string const& hash, SpanName const& name, SpanFacts const& call);
  Result<Quotable const*> answers_of(std::string const& trace);
  /// The calls of a trace whose whole answer, of `telling_min` bytes or more, is in a prompt. What a call only repeated
  /// of its own prompt shows nothing.
  Result<std::vector<std::string>> answers_in(std::string const& trace, Prompt const& prompt);
  Result<void> read_answers(std::string const& trace, Quotable& answers);
  /// Whether a call was given itself what it answered, so that its answer shows nothing where it is found. Read once.
  Result<bool> is_echo(SpanName const& name);
  /// The latest call of another trace that gave an answer of this hash before `call` began.
  Result<std::optional<SpanName>> answer_of_others(std::string const& hash, std::size_t bytes, SpanName const& name,
                                                   SpanFacts const& call);
  /// The calls of the trace of a log record whose answer log records say with this hash.
  Result<std::set<SpanName>> answered_in(schema::VertexId log, std::string const& hash);

  Traces& all_;
  Answers const& answers_;
  OuterCalls const& outer_;
  Surroundings const& around_;
  NewContent const& new_;
  AnswerOrder order_;
  std::map<std::string, Quotable> quotable_;              // by trace
  std::map<SpanName, bool> echoes_;                       // whether a call was given what it answered
  std::map<std::string, std::optional<Place>> earliest_;  // by trace
};

}  // namespace whence::net::capture
