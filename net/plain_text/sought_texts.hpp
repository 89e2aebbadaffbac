#pragma once
// Texts that are sought in others, such as passages in what a model was sent.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace whence::net::plain_text {

/// `text` with white space and the quoting of JSON folded: each run of white space, Unicode's and `\\n` too, is one
/// space, a backslash before a quote, a slash or a backslash is left out, and `\\uXXXX` is the character that it
/// writes. Behind
/// `{`, `[`, `,` and `:` and before `}`, `]`, `,` and `:` there is no space, so that a value of JSON is one text,
/// whoever wrote it.
[[nodiscard]] std::string folded(std::string_view text);

/// Texts that are sought in prompts, all in one pass.
///
/// A text of `sought_min` bytes or more is found where it is between characters that are no letters and digits, or of
/// a script that puts no space between words; a shorter one only where it is a whole message, since many texts have it
/// by chance.
class SoughtTexts {
 public:
  static constexpr std::size_t sought_min = 6;
  /// Bytes that are compared for one prompt: texts that all begin alike would cost their product. Beyond it none is
  /// found.
  static constexpr std::size_t compared_max = std::size_t{64} << 20;

  /// Adds a text and returns its number: how many others were added before it. Texts that are the same once folded have
  /// one.
  std::size_t add(std::string_view text);
  /// The number of a folded text; nothing where it was not added.
  [[nodiscard]] std::optional<std::size_t> find(std::string const& folded) const;

  /// The numbers of the texts that `prompt` has, ascending. `prompt` is folded, as are `messages`, the whole texts in
  /// it. O(their size times log texts, what is found) and `compared_max`, however many texts are sought and begin
  /// alike.
  [[nodiscard]] std::vector<std::size_t> found_in(std::string_view prompt,
                                                  std::vector<std::string> const& messages) const;

 private:
  std::map<std::string, std::size_t, std::less<>> texts_;  // folded: number
  std::unordered_set<std::uint64_t> beginnings_;
};

}  // namespace whence::net::plain_text
