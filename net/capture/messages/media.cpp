#include "net/capture/messages/media.hpp"

#include "net/capture/messages/json_text.hpp"
#include "schema/base/digest.hpp"
#include "schema/encoding/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

std::uint64_t bytes_of_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return text.size() * 3 / 4;
}

/// An address of an image or file; one that holds the bytes itself names these.
std::string named_address(std::string_view what, std::string_view address) {
  if (address.starts_with("data:")) {
    auto const comma = address.find(',');
    auto const head = address.substr(5, comma == std::string_view::npos ? comma : comma - 5);
    auto const body = comma == std::string_view::npos ? std::string_view{} : address.substr(comma + 1);
    return named_bytes(head.substr(0, head.find(';')), body);
  }
  return "[" + std::string(what) + " " + std::string(address) + "]";
}

/// Bytes as JSON has them that are no text: a buffer of Node's, or the numbers of a list or of its places. Empty where
/// it is anything else.
std::string bytes_in(json::value const* held) {
  auto const* list = held == nullptr ? nullptr : held->if_array();
  auto const* const object = held == nullptr ? nullptr : held->if_object();
  std::string bytes;
  auto const add = [&](json::value const& each) {
    constexpr std::int64_t byte_max = 255;
    if (!each.is_int64() || each.get_int64() < 0 || each.get_int64() > byte_max) return false;
    bytes.push_back(static_cast<char>(each.get_int64()));
    return true;
  };
  if (object != nullptr && string_at(*object, {"type"}) == "Buffer") {
    auto const* const data = object->if_contains("data");
    list = data == nullptr ? nullptr : data->if_array();
  } else if (object != nullptr) {
    for (auto const& member : *object) {
      if (member.key() != std::to_string(bytes.size()) || !add(member.value())) return {};
    }
  }
  if (list != nullptr && !std::ranges::all_of(*list, add)) return {};
  return bytes;
}

/// Members that hold bytes whatever is beside them.
bool is_of_bytes(std::string_view name) {
  return is_one_of(name, {"b64_json", "bytesBase64Encoded", "imageBytes", "image_bytes"});
}

/// Members that hold bytes where a media type is beside them.
bool may_be_of_bytes(std::string_view name) {
  return is_one_of(name, {"data", "bytes", "base64", "file_data", "blob", "image", "result"});
}

bool is_base64(std::string_view text) {
  constexpr std::size_t bytes_min = 16;
  while (text.ends_with('=')) text.remove_suffix(1);
  return text.size() >= bytes_min && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' || c == '/' ||
                  c == '-' || c == '_';
         });
}

/// The media type that the beginning of base64 tells; empty where it is none of these.
std::string_view type_of_base64(std::string_view text) {
  constexpr std::size_t bytes_min = 64;  // what is shorter may be a word
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> types = {{{"iVBORw0KGgo", "image/png"},
                                                                                   {"/9j/", "image/jpeg"},
                                                                                   {"R0lGODlh", "image/gif"},
                                                                                   {"R0lGODdh", "image/gif"},
                                                                                   {"JVBERi0", "application/pdf"}}};
  if (text.size() < bytes_min) return {};
  for (auto const& [beginning, type] : types) {
    if (text.starts_with(beginning)) return is_base64(text) ? type : std::string_view{};
  }
  return {};
}

/// What stands for a text that is bytes itself: an address that holds them, or base64 whose beginning tells its type.
/// Empty where it is anything else.
std::string named_text(std::string_view text) {
  auto const head = text.starts_with("data:") ? text.substr(0, text.find(',')) : std::string_view{};
  if (head.ends_with(";base64")) return named_address("file", text);
  auto const type = type_of_base64(text);
  return type.empty() ? std::string{} : named_bytes(type, text);
}

/// Whether a text may be JSON with bytes in it, or in a JSON text within it.
bool may_hold_bytes(std::string_view text) {
  constexpr std::array<std::string_view, 10> anywhere = {
      "b64_json", "bytesBase64Encoded", "imageBytes", "image_bytes", ";base64,", "iVBORw0KGgo",
      "/9j/",     "R0lGODlh",           "R0lGODdh",   "JVBERi0"};
  constexpr std::array<std::string_view, 7> members = {"\"data", "\"bytes", "\"base64", "\"file_data",
                                                       "\"blob", "\"image", "\"result"};
  auto const has = [&](std::string_view name) { return text.find(name) != std::string_view::npos; };
  auto const has_member = [&](std::string_view name) {
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      auto const end = at + name.size();
      if (end < text.size() && (text[end] == '"' || text[end] == '\\')) return true;
    }
    return false;
  };
  return std::ranges::any_of(anywhere, has) || std::ranges::any_of(members, has_member);
}

}  // namespace

std::string named_bytes(std::string_view media_type, std::string_view base64) {
  auto const type = media_type.empty() ? std::string_view{"bytes"} : media_type;
  return "[" + std::string(type) + ", " + std::to_string(bytes_of_base64(base64)) + " bytes, base64 sha256 " +
         schema::to_hex(schema::sha256(base64)).substr(0, 32) + "]";
}

std::string media_type_of(json::object const& part, std::string_view fallback) {
  auto const type = string_at(part, {"mime_type", "mimeType", "media_type", "mediaType"});
  if (!type.empty()) return std::string(type);
  auto const format = string_at(part, {"format", "output_format"});
  bool const is_whole = format.empty() || fallback.find('/') != std::string_view::npos;
  return is_whole ? std::string(fallback) : std::string(fallback) + "/" + std::string(format);
}

std::optional<std::string> media_in(json::object const& part, std::string_view what, std::string_view outer_type) {
  if (is_one_of(string_at(part, {"type"}), {"text", "content"})) return std::nullopt;  // a document's own text
  auto const type = media_type_of(part, outer_type.empty() ? what : outer_type);
  auto const address = string_at(part, {"uri", "url", "fileUri", "file_uri", "file_url", "image_url", "s3Uri"});
  if (!address.empty()) return named_address(what, address);
  for (auto const* const name : {"image_url", "input_audio", "source", "image", "file", "document", "video", "audio",
                                 "inlineData", "fileData", "s3Location", "inline_data", "file_data", "data", "bytes"}) {
    if (auto const bytes = bytes_in(part.if_contains(name)); !bytes.empty())
      return named_bytes(type, schema::encode_base64(bytes));
    if (auto const* const inner = object_at(part, name)) {
      if (auto found = media_in(*inner, what, type)) return found;
    }
  }
  // `image` is an address or base64.
  auto const held = string_at(part, {"data", "bytes", "file_data", "base64", "b64_json", "image"});
  if (!held.empty()) {
    bool const is_address = held.starts_with("data:") || held.starts_with("http");
    return is_address ? named_address(what, held) : named_bytes(type, held);
  }
  if (string_at(part, {"type"}) == "image_generation_call") {
    auto const result = string_at(part, {"result"});
    if (!result.empty()) return named_bytes(type, result);
  }
  auto const id = string_at(part, {"file_id", "fileId"});
  return id.empty() ? std::nullopt : std::optional{"[" + std::string(what) + " " + std::string(id) + "]"};
}

namespace {

/// Names bytes in a text that is JSON, as arguments of calls are, or that is bytes itself. Whether there were any.
bool name_bytes_in_text(json::value& value, int depth) {
  auto const text = std::string_view(value.get_string());
  if (auto named = named_text(text); !named.empty()) {
    value = std::move(named);
    return true;
  }
  if (!(text.starts_with('{') || text.starts_with('[')) || !may_hold_bytes(text)) return false;
  auto held = structured(value);
  if (held.is_string() || !name_bytes(held, depth + 1)) return false;
  value = text_of(held);
  return true;
}

}  // namespace

bool name_bytes(json::value& value, int depth) {
  constexpr int levels_max = 32;
  bool is_changed = false;
  if (depth > levels_max) return false;
  if (value.is_string()) return name_bytes_in_text(value, depth);
  if (auto* const list = value.if_array()) {
    for (auto& each : *list) is_changed = name_bytes(each, depth + 1) || is_changed;
  }
  auto* const object = value.if_object();
  if (object == nullptr) return is_changed;
  bool const is_media = first_of(*object, {"mime_type", "mimeType", "media_type", "mediaType"}) != nullptr ||
                        is_one_of(string_at(*object, {"type"}), {"image", "audio", "image_generation_call"});
  for (auto& member : *object) {
    auto const name = std::string_view(member.key());
    auto& held = member.value();
    bool const holds_bytes = is_of_bytes(name) || (is_media && may_be_of_bytes(name));
    auto const of_numbers = holds_bytes && !held.is_string() ? bytes_in(&held) : std::string{};
    auto const type = media_type_of(*object, is_of_bytes(name) ? "image" : "");
    auto const named = held.is_string() ? named_text(std::string_view(held.get_string())) : std::string{};
    if (!of_numbers.empty()) {
      held = named_bytes(type, schema::encode_base64(of_numbers));
      is_changed = true;
    } else if (!named.empty() && !(holds_bytes && is_media)) {
      held = named;
      is_changed = true;
    } else if (holds_bytes && held.is_string() && is_base64(std::string_view(held.get_string()))) {
      held = named_bytes(type, std::string_view(held.get_string()));
      is_changed = true;
    } else {
      is_changed = name_bytes(held, depth + 1) || is_changed;
    }
  }
  return is_changed;
}

std::string json_text(json::value const& value) {
  auto text = text_of(value);
  if (value.is_string() || !may_hold_bytes(text)) return text;
  auto copy = value;
  return name_bytes(copy) ? text_of(copy) : text;
}

std::string without_bytes(std::string text) {
  return may_hold_bytes(text) ? without_bytes(text, structured(json::value(text))) : text;
}

std::string without_bytes(std::string text, json::value const& held) {
  if (held.is_string() || !may_hold_bytes(text)) return text;
  auto copy = held;
  return name_bytes(copy) ? text_of(copy) : std::move(text);
}

}  // namespace whence::net::capture
