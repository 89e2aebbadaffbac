#pragma once
// What is new by what a prompt has of it: an answer, the id of a call of a tool, a message's unit.

#include "net/capture/causes/sources.hpp"
#include "net/capture/known/outer_calls.hpp"
#include "net/capture/known/surroundings.hpp"
#include "net/capture/known/traces.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net::capture {

/// Of one derivation, once all spans are added and the outer calls are known.
class NewContent {
 public:
  struct Content {
    std::map<std::string_view, std::vector<Place>> by_answer;  ///< calls that are responses, ascending
    std::map<std::pair<std::string_view, std::string>, std::vector<Place>> of_conversation;  ///< likewise
    std::map<std::string_view, std::set<SpanName>> tools;  ///< by the id of their call
    /// By the ref of a unit that a message with the answer may be: its hash and its telling bytes.
    std::map<std::string, std::pair<std::string, std::size_t>> answers;
  };

  NewContent(Traces const& all, OuterCalls const& outer, Surroundings const& around)
      : all_(all), outer_(outer), around_(around) {}

  [[nodiscard]] Content const& content() const;
  /// Of a prompt that is not at hand: which new answers are messages of it, by the units that it uses.
  void note_answers(Causes const& refs, Prompt& prompt) const;

 private:
  Traces const& all_;
  OuterCalls const& outer_;
  Surroundings const& around_;
  mutable std::optional<Content> content_;
};

}  // namespace whence::net::capture
