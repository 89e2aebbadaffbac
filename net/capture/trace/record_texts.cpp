#include "net/capture/trace/record_texts.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <set>

#include <boost/json/array.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;
namespace limits = schema::limits;

constexpr std::string_view unknown = "unknown";

}  // namespace

std::string name_text(std::string_view text, std::size_t bytes_max) {
  std::string clean;
  for (char const c : text) clean.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c);
  auto const trimmed = schema::trim_white_space(clean);
  if (trimmed.empty() || schema::has_control_character(trimmed)) return std::string(unknown);
  if (trimmed.size() <= bytes_max - 3) return std::string(trimmed);
  // Two long names that begin alike stay two.
  auto const digest = "sha256-" + schema::to_hex(schema::sha256(trimmed)).substr(0, 16);
  return schema::cut(trimmed, bytes_max - digest.size()) + digest;
}

std::string chunk_id(schema::SecretKey const& key, Passage const& passage, std::string const& document) {
  json::array const parts{document, passage.page ? json::value(*passage.page) : json::value{}, passage.id,
                          passage.content};
  return "chunk_" + schema::to_hex(schema::hmac_sha256(key, schema::json::to_text(json::value(parts)))).substr(0, 32);
}

std::string content_of(std::string_view text) {
  return text.size() <= limits::content_max ? std::string(text) : schema::cut(text, limits::content_max - 3);
}

std::vector<std::pair<std::string, std::string>> passages_of(schema::SecretKey const& key, CapturedSpan const& span) {
  std::vector<std::pair<std::string, std::string>> found;
  std::set<std::string> seen;
  for (auto const& passage : span.passages) {
    auto id = chunk_id(key, passage, name_text(passage.document, limits::id_bytes_max));
    if (seen.insert(id).second) found.emplace_back(std::move(id), content_of(passage.content));
  }
  return found;
}

}  // namespace whence::net::capture
