#pragma once
// The interface through which a search finds records by words without knowing where the index is.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/types/record_type.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// A word of a text as it is compared: in lower case, without accents, at most `word_bytes_max` bytes.
struct Word {
  std::string_view folded;  ///< valid during the visit
  std::size_t begin;        ///< its bytes in the text
  std::size_t end;
  std::string_view stem;  ///< by English rules: the same for "bill", "bills" and "billed"; valid as `folded`
};

inline constexpr std::size_t word_bytes_max = 64;  ///< what follows of a longer one is not looked at
inline constexpr std::size_t near_words_max = 10'000;

/// What other forms of a word have in common with it.
struct WordStem {
  std::string stem = {};
  bool is_word = false;  ///< as a word it has itself as stem
};

/// What is sought: records of which each word is somewhere in a text. Words are folded.
struct WordQuery {
  std::vector<std::string> words = {};
  std::vector<WordStem> stems = {};         ///< of each word, whose other forms count as it; empty: none does
  bool last_is_prefix = false;              ///< the last one is the beginning of a word
  std::optional<RecordTypeSet> types = {};  ///< all where not given
  TxId tx{0};                               ///< the moment asked about
  std::uint32_t vertices = 0;               ///< how many there were then
  std::size_t found_max = 0;                ///< so many of the newest
};

/// The vertices among which all that have the words are, newest first.
struct WordsFound {
  /// By the index. Of a vertex that was never revised all its words are those of one text of the index, so that it has
  /// the words; one that was revised had each of them at some time. Perhaps of another type, deleted, or gone.
  std::vector<VertexId> indexed = {};
  std::vector<VertexId> unread = {};  ///< written or revised after what the index has read; they may have the words
  bool is_cut = false;                ///< `indexed` is not all
  bool is_behind = false;             ///< so much is unread that `unread` is not all
};

/// The words of all records of one store. Callable from any thread.
class TextIndex {
 public:
  virtual ~TextIndex() = default;

  /// Calls `visit` for each word of `text` in order, until it returns false.
  virtual void split(std::string_view text, std::function<bool(Word const&)> const& visit) const = 0;

  /// Fails as the interrupt says, or as reading the log does.
  [[nodiscard]] virtual Result<WordsFound> find(WordQuery const& query, Interrupt const& interrupt) const = 0;

  /// Words of the newest records that the index has read and that begin with the first letter of `word`, those of most
  /// records first; at most `near_words_max`. Perhaps of records that are deleted or came later than what is asked of.
  [[nodiscard]] virtual std::vector<std::string> words_like(std::string_view word,
                                                            Interrupt const& interrupt) const = 0;
};

}  // namespace whence::schema
