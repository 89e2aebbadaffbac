#include "queries/cypher/run/pattern_match.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <re2/re2.h>

namespace whence::queries::cypher {
namespace {

/// Of one pattern: its program and the states of its automaton, which are made as texts need them.
constexpr std::int64_t pattern_bytes_max = std::int64_t{2} << 20;
/// A match is not interrupted. At worst it looks at each place of the program for each byte of the text; so many take
/// about a second.
constexpr std::uint64_t match_steps_max = 500'000'000;

re2::StringPiece piece_of(std::string_view text) {
  return {text.data(), text.size()};
}

RE2::Options pattern_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(pattern_bytes_max);
  return options;
}

}  // namespace

class CompiledPatterns {
 public:
  /// The pattern compiled, which may have failed. Valid until the next call.
  [[nodiscard]] RE2 const& compiled(std::string_view pattern) {
    auto found = kept_.find(pattern);
    if (found == kept_.end()) {
      if (kept_.size() >= kept_max) kept_.clear();
      found = kept_.emplace(std::string{pattern}, std::make_unique<RE2>(piece_of(pattern), pattern_options())).first;
    }
    return *found->second;
  }

 private:
  static constexpr std::size_t kept_max = 16;  // 32 MiB

  std::map<std::string, std::unique_ptr<RE2>, std::less<>> kept_;
};

Value matches_pattern(std::string_view text, std::string_view pattern, RunState& state, Place place) {
  auto& patterns = state.patterns();
  if (patterns == nullptr) patterns = std::make_shared<CompiledPatterns>();
  auto const& compiled = patterns->compiled(pattern);
  if (!compiled.ok()) {
    return state.fail(ErrorKind::argument_error, "InvalidArgumentValue",
                      "the pattern of =~ is none that is known here: " + compiled.error(), place);
  }
  auto const steps = static_cast<std::uint64_t>(text.size()) * static_cast<std::uint64_t>(compiled.ProgramSize());
  if (steps > match_steps_max) {
    return state.fail(ErrorKind::limit_exceeded, "steps", "the text is too long for this pattern of =~", place);
  }
  if (!state.spend(text.size() / 64 + 1)) return {};
  return RE2::FullMatch(piece_of(text), compiled);
}

}  // namespace whence::queries::cypher
