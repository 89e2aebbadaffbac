#pragma once
// Which calls of a trace may be causes of which.

#include "net/capture/known/surroundings.hpp"
#include "net/capture/known/traces.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace whence::net::capture {

/// Says of calls of one trace, of which one's prompt has the other's answer, whether that may have been first. Never so
/// that they rest on each other. Of one derivation, once all spans are added and the outer calls are known.
class AnswerOrder {
 public:
  AnswerOrder(Traces const& all, Surroundings const& around) : all_(all), around_(around) {}

  /// Whether the call `answered` may be a cause of `asked`: it began before, or may have by another clock. Where times
  /// and causes of the trace do not agree, not where it rests on `asked` itself. O(1) of a trace of one clock; else
  /// O(what rests on `asked`), all together at most `steps_max`: beyond them it is false, and `has_given_up`.
  [[nodiscard]] bool may_precede(SpanName const& answered, SpanName const& asked);
  /// Whether an answer may be none of the causes because so much had to be looked at.
  [[nodiscard]] bool has_given_up() const noexcept { return steps_ > steps_max; }

 private:
  static constexpr std::size_t steps_max = 200'000;  ///< nodes and edges: tenths of a second

  /// Whether a response of the trace has one as a cause that began later, or equal; true also where there are too many
  /// to look at.
  [[nodiscard]] bool is_crossed(std::string const& trace);
  [[nodiscard]] bool rests_on(SpanName const& answered, SpanName const& asked);
  /// Takes in the responses that were written since.
  void note_written();

  Traces const& all_;
  Surroundings const& around_;
  std::map<std::string, bool> crossed_;              // by trace
  std::map<std::string, std::set<std::string>> on_;  // by a cause's ref: refs of the responses written with it
  std::size_t written_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace whence::net::capture
