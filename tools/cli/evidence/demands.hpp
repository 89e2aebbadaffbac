#pragma once
// Which file of a folder of evidence answers which demand of a law or a standard, and what it does not answer.

#include <span>
#include <string_view>

namespace whence::tools {

/// One paragraph. The texts are ours: they say what a paragraph is about, they are not its words.
struct Demand {
  std::string_view source;      ///< of the demand: "AI Act", "ISO/IEC 42001", "21 CFR"
  std::string_view paragraph;   ///< "12(1)"
  std::string_view asks;        ///< what it is about
  std::string_view answer;      ///< which record of the folder answers it; empty: none does
  std::string_view unanswered;  ///< what the folder does not answer
};

/// In the order of the sources. They live as long as the program.
[[nodiscard]] std::span<Demand const> demands() noexcept;

}  // namespace whence::tools
