#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"

#include <algorithm>
#include <cstddef>

namespace whence::net::capture {

namespace {

constexpr std::string_view token_begin = "@@@langfuseMedia:";
constexpr std::string_view token_end = "@@@";

/// The text of a member in `type=image/png|id=ABC|source=bytes`; empty: there is none.
std::string_view member_in(std::string_view token, std::string_view name) {
  for (std::size_t at = 0; at < token.size();) {
    auto const end = std::min(token.find('|', at), token.size());
    auto const member = token.substr(at, end - at);
    if (member.starts_with(name) && member.substr(name.size()).starts_with('=')) return member.substr(name.size() + 1);
    at = end + 1;
  }
  return {};
}

}  // namespace

std::optional<std::pair<std::size_t, std::string>> media_token_at(std::string_view text) {
  constexpr std::size_t token_max = 512;
  if (!text.starts_with(token_begin)) return std::nullopt;
  auto const rest = text.substr(token_begin.size(), token_max);
  auto const end = rest.find(token_end);
  if (end == std::string_view::npos) return std::nullopt;
  auto const type = member_in(rest.substr(0, end), "type");
  auto const id = member_in(rest.substr(0, end), "id");
  if (id.empty() || rest.substr(0, end).find_first_of("\"\\\r\n") != std::string_view::npos) return std::nullopt;
  return std::pair{token_begin.size() + end + token_end.size(),
                   "[" + std::string(type.empty() ? "media" : type) + ", media " + std::string(id) + "]"};
}

std::optional<std::string> with_named_tokens(std::string_view text) {
  std::string named;
  std::size_t done = 0;
  for (auto at = text.find(token_begin); at != std::string_view::npos; at = text.find(token_begin, at)) {
    auto const token = media_token_at(text.substr(at));
    if (!token) {
      at += token_begin.size();
      continue;
    }
    named.append(text.substr(done, at - done)).append(token->second);
    at = done = at + token->first;
  }
  if (done == 0) return std::nullopt;
  return named.append(text.substr(done));
}

}  // namespace whence::net::capture
