#pragma once
// The name that an unknown one was probably meant to be.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The most similar of `known`; empty where none is similar. Compared are letters and digits, case aside, by edits
/// (inserting, leaving out, replacing or swapping neighbours): of up to 2 characters none may differ, of up to 5 one,
/// of up to 9 two, of more three. The first of equally similar ones; where none is, the first that begins with
/// `unknown`, if that has at least 4 characters. A name over 64 bytes is similar to none, so the work is bounded:
/// O(known * 64).
[[nodiscard]] std::string_view most_similar(std::string_view unknown, std::span<std::string_view const> known);

/// The end of a message: "; did you mean `agent`?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view unknown, std::span<std::string_view const> known);

/// The end of a message with all of them: "; did you mean `Topic`? There are Topic, Message, Keyword".
[[nodiscard]] std::string alternatives(std::string_view unknown, std::span<std::string_view const> known);

/// The names of the rows of a table that have a `name`.
template <class Rows>
[[nodiscard]] std::vector<std::string_view> names_in(Rows const& rows) {
  std::vector<std::string_view> names;
  for (auto const& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace whence::schema
