#pragma once
// What may stand at a place of a statement that is being typed.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// The names that statements of one server may have, each list in the order in which it is offered.
struct QueryVocabulary {
  std::vector<std::string> labels = {};
  std::vector<std::string> types = {};                              ///< of relations
  std::map<std::string, std::vector<std::string>> properties = {};  ///< of nodes, by label
  std::vector<std::string> relation_properties = {};
  std::vector<std::string> procedures = {};
  std::vector<std::string> functions = {};
};

/// What may take the place of the word before the cursor.
struct QueryOffers {
  std::size_t begin = 0;  ///< of that word; the end of the text where no word has begun
  std::vector<std::string> words = {};
};

/// `text` is the statement up to the cursor; `values` are the names that have values for `$name`. Within a text or a
/// comment nothing is offered. Words are compared without their case. O(text + names).
[[nodiscard]] QueryOffers offers_of(std::string_view text, QueryVocabulary const& vocabulary,
                                    std::vector<std::string> const& values);

/// What all of the words begin with, in the form of the first; empty without words.
[[nodiscard]] std::string common_beginning(std::vector<std::string> const& words);

}  // namespace whence::tools
