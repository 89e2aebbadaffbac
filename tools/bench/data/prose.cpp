#include "tools/bench/data/prose.hpp"

#include <cmath>

namespace whence::bench {
namespace {

constexpr std::size_t vocabulary = 12'000;

}  // namespace

Prose::Prose() {
  std::vector<double> frequencies;
  for (std::size_t rank = 1; rank <= vocabulary; ++rank) {
    words_.push_back(new_word());
    frequencies.push_back(1.0 / std::pow(static_cast<double>(rank), 0.95));
  }
  pick_ = std::discrete_distribution<std::size_t>(frequencies.begin(), frequencies.end());
}

std::string Prose::text(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    if (!text.empty()) text += random_() % 11 == 0 ? ". " : " ";
    text += words_[pick_(random_)];
  }
  return text;
}

std::string Prose::term() {
  return words_[random_() % vocabulary] + "-" + words_[random_() % vocabulary];
}

std::string Prose::new_word() {
  static constexpr char consonants[] = "bcdfghlmnprstvw";
  static constexpr char vowels[] = "aeiou";
  std::string word;
  for (auto syllables = 1 + random_() % 4; syllables > 0; --syllables) {
    word += consonants[random_() % (sizeof consonants - 1)];
    word += vowels[random_() % (sizeof vowels - 1)];
    if (random_() % 3 == 0) word += consonants[random_() % (sizeof consonants - 1)];
  }
  return word;
}

}  // namespace whence::bench
