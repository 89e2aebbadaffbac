#pragma once
// A token file as something to edit: lines are added and marked, and all others stay as they are.

#include "net/access/token.hpp"
#include "schema/base/error.hpp"
#include "store/files/files.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// A file that is read and written as a whole. From `open` to its end no other program that edits it so may.
class TokenBook {
 public:
  /// What becomes of a file that is not there.
  enum class Missing : bool { is_error, is_empty };

  /// Fails with `not_found`, or with `invalid_params` where the file is open to everybody or has a line that is none;
  /// the message names file and line. Throws std::system_error.
  [[nodiscard]] static Result<TokenBook> open(std::filesystem::path path, Missing missing);

  /// All lines that are tokens, in their order.
  [[nodiscard]] std::vector<net::Token> tokens() const;

  /// The newest line of that name that is not revoked; null where there is none.
  [[nodiscard]] net::Token const* find_valid(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;

  void add(net::Token token);
  /// Sets `revoked` in each line of that name that has none. How many these are.
  std::size_t revoke(std::string_view name, schema::Time now);
  /// Sets the end of each such line to `end` where it is later.
  void end_by(std::string_view name, schema::Time end);

  /// Writes the file, durably and as a whole. A new one is its owner's alone (0600); one that is there keeps its owner,
  /// its group and what its group may do. Throws std::system_error.
  void save() const;

 private:
  struct Line {
    std::string text;
    std::optional<net::Token> token = {};  ///< none: a comment or a blank line

    void become(net::Token other);
  };
  TokenBook(std::filesystem::path path, store::Descriptor lock) noexcept
      : path_{std::move(path)}, lock_{std::move(lock)} {}

  std::filesystem::path path_;  ///< behind any link
  store::Descriptor lock_;      ///< of its folder, so that no further file is needed
  std::vector<Line> lines_;
};

}  // namespace whence::tools
