#pragma once
// Texts to words, as the index of texts has them: by SQLite's own tokenizer `unicode61`, accents removed; and words to
// stems, by its `porter`.

#include "schema/search/text_index.hpp"

#include <functional>
#include <memory>
#include <string_view>

struct sqlite3;

namespace whence::store {

/// Splits texts. One thread at a time; several may be used at once.
class WordSplitter {
 public:
  /// Throws std::runtime_error where SQLite was built without FTS5.
  WordSplitter();
  ~WordSplitter();
  WordSplitter(WordSplitter const&) = delete;
  WordSplitter& operator=(WordSplitter const&) = delete;

  void split(std::string_view text, std::function<bool(schema::Word const&)> const& visit) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Splitters for many threads: each call takes one that no other uses.
class WordSplitters {
 public:
  WordSplitters();
  ~WordSplitters();

  void split(std::string_view text, std::function<bool(schema::Word const&)> const& visit) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Before a stem in the index, where the word that has it is another: U+E040, for private use.
inline constexpr std::string_view stem_mark = "\xEE\x81\x80";

/// Makes the tokenizer known to a connection as `words`, for tables of its index. Texts have each word, and beside it
/// the stem with its mark where that is not the word; what is sought is taken as it is.
void register_words(sqlite3* connection);

}  // namespace whence::store
