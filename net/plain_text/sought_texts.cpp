#include "net/plain_text/sought_texts.hpp"

#include <algorithm>
#include <cstring>
#include <set>

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

std::size_t SoughtTexts::add(std::string_view text) {
  auto const [place, is_new] = texts_.try_emplace(folded(text), texts_.size());
  if (is_new && place->first.size() >= sought_min) beginnings_.insert(beginning(place->first.data()));
  return place->second;
}

std::optional<std::size_t> SoughtTexts::find(std::string const& folded) const {
  auto const place = texts_.find(folded);
  return place == texts_.end() ? std::nullopt : std::optional{place->second};
}

std::vector<std::size_t> SoughtTexts::found_in(std::string_view prompt,
                                               std::vector<std::string> const& messages) const {
  std::set<std::size_t> found;
  std::size_t left = compared_max;
  for (std::size_t at = 0; at + sought_min <= prompt.size() && left > 0; ++at) {
    if (!beginnings_.contains(beginning(prompt.data() + at))) continue;
    bool const is_beginning = at == 0 || !is_word(prompt[at - 1]);
    // Whatever begins `rest` begins the last text that is not behind it, too: so what both share is all that is left.
    for (auto rest = prompt.substr(at); rest.size() >= sought_min && left > 0;) {
      auto next = texts_.upper_bound(rest);
      if (next == texts_.begin()) break;
      std::string_view const text = (--next)->first;
      auto const shared = static_cast<std::size_t>(std::ranges::mismatch(text, rest).in1 - text.begin());
      left -= std::min(left, shared + sought_min);
      bool const is_whole = shared == text.size();
      rest = rest.substr(0, is_whole && shared > 0 ? shared - 1 : shared);
      if (!is_whole || shared < sought_min) continue;
      auto const end = at + shared;
      bool const ends = end == prompt.size() || !is_word(prompt[end]) || !is_word(text.back());
      if (ends && (is_beginning || !is_word(text.front()))) found.insert(next->second);
    }
  }
  for (auto const& message : messages) {
    auto const whole = texts_.find(message);
    if (!message.empty() && whole != texts_.end()) found.insert(whole->second);
  }
  return {found.begin(), found.end()};
}

}  // namespace whence::net::plain_text
