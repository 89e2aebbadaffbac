#include "net/plain_text/sought_texts.hpp"

#include <algorithm>
#include <cstring>

namespace whence::net::plain_text {

namespace {

bool is_white(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// The first bytes of a text of at least `sought_min`.
std::uint64_t beginning(char const* text) {
  std::uint64_t key = 0;
  std::memcpy(&key, text, SoughtTexts::sought_min);
  return key;
}

}  // namespace

std::string folded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  auto const space = [&] {
    if (!result.empty() && result.back() != ' ') result.push_back(' ');
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    char const next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (is_white(c)) {
      space();
    } else if (c == '\\' && (next == 'n' || next == 't' || next == 'r')) {
      space();
      ++i;
    } else if (c == '\\' && (next == '"' || next == '\\' || next == '/')) {
      // the character itself follows
    } else {
      result.push_back(c);
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

void SoughtTexts::add(std::string_view text) {
  texts_.push_back(folded(text));
  auto const& last = texts_.back();
  if (last.size() >= sought_min) by_beginning_[beginning(last.data())].push_back(texts_.size() - 1);
}

std::vector<bool> SoughtTexts::found_in(std::string_view prompt, std::vector<std::string> const& messages) const {
  std::vector<bool> found(texts_.size(), false);
  std::size_t left = compared_max;
  for (std::size_t at = 0; at + sought_min <= prompt.size() && left > 0; ++at) {
    auto const candidates = by_beginning_.find(beginning(prompt.data() + at));
    if (candidates == by_beginning_.end()) continue;
    for (auto const each : candidates->second) {
      auto const& text = texts_[each];
      if (found[each] || prompt.size() - at < text.size()) continue;
      left -= std::min(left, text.size());
      if (prompt.substr(at, text.size()) != text) continue;
      bool const begins = at == 0 || !is_word(prompt[at - 1]) || !is_word(text.front());
      auto const end = at + text.size();
      found[each] = begins && (end == prompt.size() || !is_word(prompt[end]) || !is_word(text.back()));
    }
  }
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (!found[i] && !texts_[i].empty()) found[i] = std::ranges::find(messages, texts_[i]) != messages.end();
  }
  return found;
}

}  // namespace whence::net::plain_text
