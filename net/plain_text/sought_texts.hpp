#pragma once
// Texts that are sought in others, such as passages in what a model was sent.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::net::plain_text {

/// `text` with white space and the quoting of JSON folded: each run of white space, also as `\\n`, is one space, and a
/// backslash before a quote, a slash or a backslash is left out.
[[nodiscard]] std::string folded(std::string_view text);

/// Texts that are sought in prompts, all in one pass.
///
/// A text of `sought_min` bytes or more is found where it stands between bytes that are no letters and digits; a
/// shorter one only where it is a whole message, since it stands in many texts by chance.
class SoughtTexts {
 public:
  static constexpr std::size_t sought_min = 6;
  /// Bytes that are compared for one prompt: texts that all begin alike would cost their product. Beyond it none is
  /// found.
  static constexpr std::size_t compared_max = std::size_t{64} << 20;

  /// Adds a text; its number is how many were added before it.
  void add(std::string_view text);

  /// For each text whether `prompt` has it. `prompt` is folded, as are `messages`, the whole texts in it. O(their size)
  /// and `compared_max`.
  [[nodiscard]] std::vector<bool> found_in(std::string_view prompt, std::vector<std::string> const& messages) const;

 private:
  std::vector<std::string> texts_;  // folded
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_beginning_;
};

}  // namespace whence::net::plain_text
