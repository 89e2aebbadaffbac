#include "queries/cypher/run/pattern_match.hpp"

#include <bitset>
#include <optional>
#include <vector>

namespace whence::queries::cypher {
namespace {

constexpr std::size_t program_steps_max = 1000;
constexpr std::uint32_t pattern_depth_max = 50;

/// One step of the program: take a byte of a set, go on at two places, or be done.
struct Step {
  enum class Kind : std::uint8_t { take, split, done } kind = Kind::done;
  std::bitset<256> bytes = {};
  std::size_t first = 0;
  std::size_t second = 0;
};

/// A part of the program with its open end: fragments are built last to first, each knowing what follows.
struct Program {
  std::vector<Step> steps;
  bool ignores_case = false;
};

/// Compiles a pattern from its syntax tree-free text: each parse function emits steps that lead to `next`.
class Compiler {
 public:
  explicit Compiler(std::string_view pattern) : pattern_(pattern) {}

  std::optional<Program> run() {
    if (pattern_.starts_with("(?i)")) {
      program_.ignores_case = true;
      pattern_.remove_prefix(4);
    }
    auto const done = add({.kind = Step::Kind::done});
    auto const tree = alternation();
    if (!ok_ || at_ != pattern_.size()) return std::nullopt;
    start_ = emit(tree, done);
    if (!ok_) return std::nullopt;
    program_.steps.push_back({.kind = Step::Kind::split, .first = start_, .second = start_});
    return std::move(program_);
  }

 private:
  struct Tree {
    enum class Kind : std::uint8_t { empty, set, sequence, choice, repeat } kind = Kind::empty;
    std::bitset<256> bytes = {};
    std::vector<Tree> parts = {};
    int least = 0;
    int most = -1;  ///< -1: any number
  };

  [[nodiscard]] bool more() const { return at_ < pattern_.size() && ok_; }
  [[nodiscard]] char peek() const { return more() ? pattern_[at_] : '\0'; }

  Tree alternation() {
    if (++depth_ > pattern_depth_max) ok_ = false;
    Tree made{.kind = Tree::Kind::choice};
    made.parts.push_back(sequence());
    while (more() && peek() == '|') {
      ++at_;
      made.parts.push_back(sequence());
    }
    --depth_;
    return made;
  }

  Tree sequence() {
    Tree made{.kind = Tree::Kind::sequence};
    while (more() && peek() != '|' && peek() != ')') made.parts.push_back(repeated());
    return made;
  }

  Tree repeated() {
    auto part = single();
    while (more() && (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{')) {
      Tree made{.kind = Tree::Kind::repeat};
      char const c = pattern_[at_++];
      if (c == '+') made.least = 1;
      if (c == '?') made.most = 1;
      if (c == '{') counts(made);
      if (more() && peek() == '?') ++at_;  // lazy or greedy matches the same whole text
      made.parts.push_back(std::move(part));
      part = std::move(made);
    }
    return part;
  }

  void counts(Tree& made) {
    auto const number = [&]() -> std::optional<int> {
      int value = 0;
      auto const start = at_;
      while (more() && peek() >= '0' && peek() <= '9' && value < 1000) value = value * 10 + (pattern_[at_++] - '0');
      return at_ == start ? std::nullopt : std::optional{value};
    };
    auto const least = number();
    if (!least) ok_ = false;
    made.least = least.value_or(0);
    made.most = made.least;
    if (peek() == ',') {
      ++at_;
      made.most = number().value_or(-1);
    }
    if (peek() != '}' || (made.most >= 0 && made.most < made.least)) ok_ = false;
    ++at_;
  }

  Tree single() {
    char const c = pattern_[at_++];
    Tree made{.kind = Tree::Kind::set};
    if (c == '(') {
      if (pattern_.substr(at_, 2) == "?:") at_ += 2;
      made = alternation();
      if (peek() != ')') ok_ = false;
      ++at_;
    } else if (c == '[') {
      brackets(made.bytes);
    } else if (c == '.') {
      made.bytes.set();
      made.bytes.reset('\n');
    } else if (c == '\\') {
      escape(made.bytes);
    } else if (c == '^' || c == '$') {
      made.kind = Tree::Kind::empty;  // the whole text is matched anyway
    } else if (c == '*' || c == '+' || c == '?') {
      ok_ = false;
    } else {
      put(made.bytes, c);
    }
    return made;
  }

  void put(std::bitset<256>& bytes, char c) const {
    bytes.set(static_cast<unsigned char>(c));
    if (!program_.ignores_case) return;
    if (c >= 'a' && c <= 'z') bytes.set(static_cast<unsigned char>(c - 32));
    if (c >= 'A' && c <= 'Z') bytes.set(static_cast<unsigned char>(c + 32));
  }

  void escape(std::bitset<256>& bytes) {
    if (!more()) {
      ok_ = false;
      return;
    }
    char const c = pattern_[at_++];
    std::bitset<256> set;
    char const kind = static_cast<char>(c | 0x20);
    if (kind == 'd' || kind == 'w') {
      for (int i = '0'; i <= '9'; ++i) set.set(static_cast<std::size_t>(i));
    }
    if (kind == 'w') {
      for (int i = 'a'; i <= 'z'; ++i) set.set(static_cast<std::size_t>(i)).set(static_cast<std::size_t>(i - 32));
      set.set('_');
    }
    if (kind == 's') {
      for (char const blank : {' ', '\t', '\n', '\r', '\f', '\v'}) set.set(static_cast<std::size_t>(blank));
    }
    if (set.any()) {
      bytes |= c == kind ? set : ~set;
    } else if (c == 'n') {
      bytes.set('\n');
    } else if (c == 't') {
      bytes.set('\t');
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
      ok_ = false;
    } else {
      put(bytes, c);
    }
  }

  void brackets(std::bitset<256>& bytes) {
    bool const is_negated = peek() == '^';
    if (is_negated) ++at_;
    bool is_first = true;
    while (more() && (peek() != ']' || is_first)) {
      is_first = false;
      char const from = pattern_[at_++];
      if (from == '\\') {
        escape(bytes);
      } else if (peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
        char const to = pattern_[at_ + 1];
        at_ += 2;
        for (int i = static_cast<unsigned char>(from); i <= static_cast<unsigned char>(to); ++i)
          put(bytes, static_cast<char>(i));
      } else {
        put(bytes, from);
      }
    }
    if (peek() != ']') ok_ = false;
    ++at_;
    if (is_negated) bytes.flip();
  }

  std::size_t add(Step step) {
    if (program_.steps.size() >= program_steps_max) ok_ = false;
    if (!ok_) return 0;
    program_.steps.push_back(step);
    return program_.steps.size() - 1;
  }

  std::size_t emit(Tree const& tree, std::size_t next) {
    if (!ok_) return next;
    switch (tree.kind) {
      case Tree::Kind::empty:
        return next;
      case Tree::Kind::set:
        return add({.kind = Step::Kind::take, .bytes = tree.bytes, .first = next});
      case Tree::Kind::sequence:
        for (auto part = tree.parts.rbegin(); part != tree.parts.rend(); ++part) next = emit(*part, next);
        return next;
      case Tree::Kind::choice: {
        auto start = emit(tree.parts[0], next);
        for (std::size_t i = 1; i < tree.parts.size(); ++i) {
          auto const other = emit(tree.parts[i], next);
          start = add({.kind = Step::Kind::split, .first = start, .second = other});
        }
        return start;
      }
      case Tree::Kind::repeat:
        break;
    }
    auto start = next;
    if (tree.most < 0) {
      auto const loop = add({.kind = Step::Kind::split, .first = next, .second = next});
      auto const body = emit(tree.parts[0], loop);
      if (ok_) program_.steps[loop].first = body;
      start = loop;
    }
    for (int i = tree.least; i < tree.most && ok_; ++i) {
      auto const body = emit(tree.parts[0], start);
      start = add({.kind = Step::Kind::split, .first = body, .second = next});
    }
    for (int i = 0; i < tree.least && ok_; ++i) start = emit(tree.parts[0], start);
    return start;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
  bool ok_ = true;
  Program program_;
  std::size_t start_ = 0;
};

/// All places of the program that are reached without taking a byte.
void follow(Program const& program, std::size_t start, std::vector<std::uint8_t>& seen,
            std::vector<std::size_t>& reached) {
  std::vector<std::size_t> open{start};
  while (!open.empty()) {
    auto const at = open.back();
    open.pop_back();
    if (seen[at] != 0) continue;
    seen[at] = 1;
    auto const& step = program.steps[at];
    if (step.kind == Step::Kind::split) {
      open.push_back(step.first);
      open.push_back(step.second);
    } else {
      reached.push_back(at);
    }
  }
}

}  // namespace

Value matches_pattern(std::string_view text, std::string_view pattern, RunState& state, Place place) {
  auto const program = Compiler{pattern}.run();
  if (!program) {
    return state.fail(ErrorKind::argument_error, "InvalidArgumentValue", "the pattern of =~ is malformed, or too long",
                      place);
  }
  std::vector<std::size_t> now;
  std::vector<std::uint8_t> seen(program->steps.size());
  follow(*program, program->steps.size() - 1, seen, now);
  for (char const c : text) {
    if (!state.spend(now.size())) return {};
    std::vector<std::size_t> then;
    std::ranges::fill(seen, std::uint8_t{0});
    for (auto const at : now) {
      auto const& step = program->steps[at];
      if (step.kind == Step::Kind::take && step.bytes[static_cast<unsigned char>(c)])
        follow(*program, step.first, seen, then);
    }
    now = std::move(then);
    if (now.empty()) return false;
  }
  for (auto const at : now) {
    if (program->steps[at].kind == Step::Kind::done) return true;
  }
  return false;
}

}  // namespace whence::queries::cypher
