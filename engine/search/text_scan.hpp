#pragma once
// A search without an index: every record is looked at. For tools that open a store for one question.

#include "schema/search/text_index.hpp"
#include "store/search/word_splitter.hpp"

namespace whence::engine {

class TextScan final : public schema::TextIndex {
 public:
  void split(std::string_view text, std::function<bool(schema::Word const&)> const& visit) const override;
  /// Every vertex, as unread.
  [[nodiscard]] Result<schema::WordsFound> find(schema::WordQuery const& query,
                                                schema::Interrupt const& interrupt) const override;
  /// None: every record is unread.
  [[nodiscard]] std::vector<std::string> words_like(std::string_view /*word*/,
                                                    schema::Interrupt const& /*interrupt*/) const override {
    return {};
  }

 private:
  store::WordSplitters splitters_;
};

}  // namespace whence::engine
