// Writing and reading bookmarks.

#include "net/bolt/bookmark.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace whence::net::bolt {

namespace {

constexpr std::string_view bookmark_head = "whence:";
constexpr std::size_t bookmarks_max = 1'000;

std::optional<std::uint64_t> parse_bookmark(std::string_view text, std::string_view epoch) {
  auto const end = text.rfind(':');
  if (!text.starts_with(bookmark_head) || end < bookmark_head.size()) return std::nullopt;
  if (text.substr(bookmark_head.size(), end - bookmark_head.size()) != epoch) return std::nullopt;
  auto const digits = text.substr(end + 1);
  std::uint64_t tx = 0;
  auto const [at, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), tx);
  if (ec != std::errc{} || at != digits.data() + digits.size()) return std::nullopt;
  return tx;
}

}  // namespace

std::string bookmark_of(std::string_view epoch, std::uint64_t tx) {
  return std::string{bookmark_head}.append(epoch).append(":").append(std::to_string(tx));
}

Outcome<std::uint64_t> newest_of(List const& bookmarks, std::string_view epoch) {
  auto const refused = [](char const* why) { return Failure{.kind = FailureKind::bookmark_invalid, .message = why}; };
  if (bookmarks.size() > bookmarks_max) return refused("there are more than 1000 bookmarks");
  std::uint64_t newest = 0;
  for (auto const& each : bookmarks) {
    auto const* const text = std::get_if<std::string>(&each.data);
    auto const tx = text == nullptr ? std::nullopt : parse_bookmark(*text, epoch);
    if (!tx) return refused("this is no bookmark of this database");
    newest = std::max(newest, *tx);
  }
  return newest;
}

}  // namespace whence::net::bolt
