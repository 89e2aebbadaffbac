// Any text of a prompt may be asked whether it is JSON, so one is parsed only where it begins as a list or an object
// and has not too many values.

#include "net/capture/messages/json_text.hpp"

#include "schema/base/digest.hpp"
#include "schema/encoding/ascii.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// Values of a JSON text that is read: more take many times its size, and make no messages that anybody reads. It stays
/// the text that it is.
constexpr std::size_t values_max = 200'000;

/// Whether a JSON text has at most `values_max` values. O(size).
bool has_few_values(std::string_view text) noexcept {
  std::size_t values = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\\' && is_quoted) ++i;
    if (!is_quoted && (text[i] == ',' || text[i] == '[' || text[i] == '{') && ++values > values_max) return false;
  }
  return true;
}

}  // namespace

json::value structured(json::value const& value) {
  auto const* const text = value.if_string();
  if (text == nullptr || text->empty()) return value;
  auto const first = text->find_first_not_of(" \t\r\n");
  if (first == json::string::npos || ((*text)[first] != '[' && (*text)[first] != '{')) return value;
  if (!has_few_values({text->data(), text->size()})) return value;
  auto parsed = schema::json::parse_foreign({text->data(), text->size()});
  if (!parsed) return value;
  return std::move(parsed->value);
}

std::string text_of(json::value const& value) {
  if (auto const* const text = value.if_string()) return std::string(*text);
  return value.is_null() ? std::string{} : schema::json::to_text(value);
}

std::string hash_of(schema::SecretKey const& key, json::value const& value) {
  return schema::to_hex(schema::hmac_sha256(key, schema::json::to_canonical_text(value))).substr(0, 32);
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_same_but_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, schema::lower, schema::lower);
}

json::key_value_pair const* first_member_of(json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const member = from.find(name);
    if (member != from.end() && !member->value().is_null()) return member;
  }
  return nullptr;
}

json::value const* first_of(json::object const& from, std::initializer_list<std::string_view> names) {
  auto const* const member = first_member_of(from, names);
  return member == nullptr ? nullptr : &member->value();
}

void keep_rest(json::object& of, std::string_view name, json::value left) {
  bool const is_empty = left.is_null() || (left.is_object() && left.get_object().empty()) ||
                        (left.is_array() && left.get_array().empty());
  if (is_empty) {
    of.erase(name);
  } else {
    of[name] = std::move(left);
  }
}

bool are_texts(json::value const& value) {
  auto const* const list = value.if_array();
  return list != nullptr && !list->empty() &&
         std::ranges::all_of(*list, [](json::value const& each) { return each.is_string(); });
}

json::object const* object_at(json::object const& from, std::string_view name) {
  auto const* const held = from.if_contains(name);
  return held == nullptr ? nullptr : held->if_object();
}

std::string_view string_at(json::object const& from, std::initializer_list<std::string_view> names) {
  auto const* const held = first_of(from, names);
  return held != nullptr && held->is_string() ? std::string_view(held->get_string()) : std::string_view{};
}

}  // namespace whence::net::capture
