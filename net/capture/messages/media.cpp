// Bytes say nothing in a text and may be megabytes, so a name takes their place. What is bytes is seen by the name of
// the member and by what is beside and around it (a media type, a format), else by the beginning of the base64. What
// may be words stays as it is.

#include "net/capture/messages/media.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/message.hpp"
#include "schema/base/digest.hpp"
#include "schema/encoding/base64.hpp"
#include "schema/encoding/percent.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

constexpr std::string_view line_ends = "\r\n";

std::string without_line_ends(std::string_view text) {
  std::string line;
  std::ranges::copy_if(text, std::back_inserter(line), [](char c) { return line_ends.find(c) == std::string::npos; });
  return line;
}

std::uint64_t bytes_of_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return text.size() * 3 / 4;
}

/// Whether a text is what `named_bytes` made.
bool is_name_of_bytes(std::string_view text) {
  return text.starts_with('[') && text.ends_with(']') && text.find(" bytes, base64 sha256 ") != std::string_view::npos;
}

/// An address of an image or file; one that holds the bytes itself names these.
std::string named_address(std::string_view what, std::string_view address) {
  if (is_name_of_bytes(address)) return std::string(address);
  if (auto token = media_token_at(address); token && token->first == address.size()) return std::move(token->second);
  if (address.starts_with("data:")) {
    auto const comma = address.find(',');
    auto const head = address.substr(5, comma == std::string_view::npos ? comma : comma - 5);
    auto const body =
        schema::percent_decoded_leniently(comma == std::string_view::npos ? "" : address.substr(comma + 1));
    return named_bytes(head.substr(0, head.find(';')), head.ends_with(";base64") ? body : schema::encode_base64(body));
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

/// What kind of a medium a `format` is of; empty: of none, or of texts.
std::string_view kind_of_format(std::string_view format) {
  if (is_one_of(format, {"wav", "mp3", "flac", "opus", "aac", "pcm", "pcm16", "ogg", "m4a"})) return "audio";
  if (is_one_of(format, {"png", "jpeg", "jpg", "gif", "webp", "bmp", "tiff"})) return "image";
  if (is_one_of(format, {"mp4", "mov", "mkv", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"})) return "video";
  return is_one_of(format, {"pdf", "doc", "docx", "xls", "xlsx"}) ? "document" : std::string_view{};
}

/// Whether an object says that bytes are in it, by a media type or as what it is.
bool says_media(json::object const& object) {
  return first_of(object, {"mime_type", "mimeType", "media_type", "mediaType"}) != nullptr ||
         is_one_of(string_at(object, {"type"}), {"image", "audio", "image_generation_call"});
}

/// What a member holds by its name and by what is beside and around it.
enum class Holding { no_bytes, may_be_bytes, bytes };

/// A resource of MCP that is no text is a `blob` beside its `uri`. A format says as much of a medium that is named for
/// what it is; elsewhere it may be of a report, and an `image` or a `result` that of a name.
Holding holding_of(json::object const& object, std::string_view name, std::string_view around) {
  if (is_of_bytes(name)) return Holding::bytes;
  if (!may_be_of_bytes(name)) return Holding::no_bytes;
  bool const is_named_for = !is_one_of(name, {"image", "result"});
  bool const is_made = name == "result" && string_at(object, {"type"}) == "image_generation_call";
  if (is_made || (is_named_for && says_media(object))) return Holding::bytes;
  if (name == "blob" && object.contains("uri"))
    return is_one_of(around, {"resource", "contents"}) ? Holding::bytes : Holding::may_be_bytes;
  bool const has_format = !kind_of_format(string_at(object, {"format"})).empty();
  bool const is_in_medium =
      is_one_of(around, {"input_audio", "inputAudio", "audio", "image", "video", "document", "file"});
  if (has_format && is_named_for && is_in_medium) return Holding::bytes;
  return has_format || says_media(object) ? Holding::may_be_bytes : Holding::no_bytes;
}

bool is_of_base64(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' || c == '/' ||
         c == '-' || c == '_';
}

constexpr std::size_t base64_min = 16;  ///< characters: what is shorter may be a word

std::size_t base64_run(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_base64) - text.begin());
}

/// How many `=` are at a place in a text: at most the two that fill the end of base64.
std::size_t padding_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (count < 2 && at + count < text.size() && text[at + count] == '=') ++count;
  return count;
}

/// Whether a text is letters as words have them: small ones, also after a capital, or capitals alone.
bool is_like_a_word(std::string_view text) {
  auto const is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  auto const is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (text.empty() || !(is_small(text[0]) || is_capital(text[0]))) return false;
  return std::ranges::all_of(text.substr(1), is_small) || std::ranges::all_of(text, is_capital);
}

/// Whether `run` characters at a place in a text, fewer than the lines before have, are the last line of their base64
/// and no word that is below it. After one line alone only `=` tells, which no name of an attribute has before a quote.
bool is_last_line(std::string_view text, std::size_t at, std::size_t run, std::size_t lines) {
  constexpr std::string_view quotes = "\"'`";
  auto const padding = padding_at(text, at + run);
  auto const end = at + run + padding;
  bool const is_quoted = end < text.size() && quotes.find(text[end]) != std::string_view::npos;
  if (run == 0 || (run + padding) % 4 != 0) return false;
  if (padding != 0) return lines > 1 || !is_quoted;
  bool const is_at_end = end == text.size() || is_quoted || line_ends.find(text[end]) != std::string_view::npos;
  return lines > 1 && is_at_end && !is_like_a_word(text.substr(at, run));
}

/// The beginning of a text that is base64, with what fills its end: a word, or lines of one length as encoders write
/// them (RFC 2045), the last of which may be shorter. A blank line ends it.
std::string_view base64_at(std::string_view text) {
  constexpr std::size_t line_min = 60;
  constexpr std::size_t line_max = 76;
  auto const line = base64_run(text);
  auto size = line;
  bool const may_be_lines = line >= line_min && line <= line_max && line % 4 == 0 && padding_at(text, size) == 0;
  for (std::size_t lines = 1; may_be_lines; ++lines) {
    auto const rest = text.substr(size);
    std::size_t const gap = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') || rest.starts_with('\r') ? 1 : 0;
    if (gap == 0) break;
    auto const run = base64_run(rest.substr(gap));
    bool const is_whole = run == line || (run < line && run + padding_at(rest, gap + run) == line);
    if (!is_whole && (run > line || !is_last_line(text, size + gap, run, lines))) break;
    size += gap + run;
    if (run != line) break;
  }
  return text.substr(0, size + padding_at(text, size));
}

bool is_base64(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(line_ends) + 1);
  return base64_at(text).size() == text.size() && text.size() >= base64_min && is_of_base64(text[base64_min - 1]);
}

/// Whether the whole of a member that holds bytes is base64: here lines of any one length are.
bool is_base64_value(std::string_view text) {
  constexpr std::size_t line_min = 32;
  text = text.substr(0, text.find_last_not_of(line_ends) + 1);
  auto const line = base64_run(text);
  if (line < line_min || line_ends.find(text[std::min(line, text.size() - 1)]) == std::string_view::npos)
    return is_base64(text);
  for (std::size_t at = 0; at < text.size();) {
    auto const end = std::min(text.find_first_of(line_ends, at), text.size());
    if (end != text.size() ? end - at != line : end - at > line) return false;
    at = std::min(text.find_first_not_of(line_ends, end), text.size());
  }
  auto const joined = without_line_ends(text);
  return joined.size() % 4 == 0 && is_base64(joined);
}

/// Whether base64 is so long, and filled, that it is no word and no path, and no digest in hex.
bool is_surely_bytes(std::string_view text) {
  constexpr std::size_t sure_min = 64;
  constexpr std::string_view hex = "0123456789abcdefABCDEF";
  auto const joined = without_line_ends(text);
  return joined.size() >= sure_min && joined.size() % 4 == 0 && joined.find_first_not_of(hex) != std::string::npos;
}

/// As `base64_at`, in an address, where `+`, `/`, `=` and line ends may be escaped.
std::string_view escaped_base64_at(std::string_view text) {
  auto const body = base64_at(text);
  auto size = body.size();
  if (!text.substr(size).starts_with('%')) return body;
  while (size < text.size() && (is_of_base64(text[size]) || text[size] == '=' || schema::find_percent_byte(text, size)))
    size += text[size] == '%' ? 3 : 1;
  return text.substr(0, size);
}

/// How the base64 of some types begins.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> base64_beginnings = {
    {{"iVBORw0KGgo", "image/png"},
     {"/9j/", "image/jpeg"},
     {"R0lGODlh", "image/gif"},
     {"R0lGODdh", "image/gif"},
     {"JVBERi0", "application/pdf"}}};
constexpr std::size_t untyped_base64_min = 64;  ///< characters of base64 that tells its type by its beginning alone

/// The media type that the beginning of base64 tells; empty where it is none of these.
std::string_view type_of_base64(std::string_view text) {
  if (text.size() < untyped_base64_min) return {};
  for (auto const& [beginning, type] : base64_beginnings) {
    if (text.starts_with(beginning)) return is_base64(text) ? type : std::string_view{};
  }
  return {};
}

/// An address that holds bytes at the beginning of a text, and what names it; nothing where there is none.
std::optional<std::pair<std::size_t, std::string>> data_address_at(std::string_view text) {
  constexpr std::string_view before = "data:";
  constexpr std::string_view mark = ";base64,";
  auto const end = text.find_first_of(",:\"'()<>[]{} \t\r\n\\", before.size());
  if (end == std::string_view::npos || !text.substr(0, end + 1).ends_with(mark)) return std::nullopt;
  auto const body = escaped_base64_at(text.substr(end + 1));
  auto const base64 = schema::percent_decoded_leniently(body);
  if (!is_base64(base64)) return std::nullopt;
  auto const head = text.substr(before.size(), end - before.size());
  return std::pair{end + 1 + body.size(), named_bytes(head.substr(0, head.find(';')), base64)};
}

/// A text with names in the place of bytes that stand among its words: addresses that hold them, and base64 whose
/// beginning tells its type. Nothing where there are none. O(size).
std::optional<std::string> named_within(std::string_view text) {
  constexpr std::string_view address = "data:";
  std::string named;
  std::size_t done = 0;
  auto const put = [&](std::size_t at, std::size_t size, std::string_view name) {
    named.append(text.substr(done, at - done)).append(name);
    done = at + size;
  };
  bool const has_address = text.find(";base64,") != std::string_view::npos;
  bool const has_beginning = std::ranges::any_of(
      base64_beginnings, [&](auto const& each) { return text.find(each.first) != std::string_view::npos; });
  if (!has_address && !has_beginning) return std::nullopt;
  for (std::size_t at = 0; at < text.size();) {
    auto const rest = text.substr(at);
    if (has_address && rest.starts_with(address)) {
      if (auto const found = data_address_at(rest)) {
        put(at, found->first, found->second);
        at = done;
        continue;
      }
    }
    if (!is_of_base64(text[at])) {
      ++at;
      continue;
    }
    auto const word = base64_at(rest);
    auto const type = has_beginning ? type_of_base64(word) : std::string_view{};
    if (!type.empty()) put(at, word.size(), named_bytes(type, word));
    bool const is_before_address = type.empty() && word.size() >= address.size() &&
                                   rest.substr(0, word.size() + 1).ends_with(address);  // "mydata:image/png;base64,"
    at += is_before_address ? word.size() + 1 - address.size() : word.size();
  }
  if (done == 0) return std::nullopt;
  named.append(text.substr(done));
  return named;
}

/// What stands for a text that is bytes itself: an address that holds them, or base64 whose beginning tells its type.
/// Empty where it is anything else.
std::string named_text(std::string_view text) {
  auto const head = text.starts_with("data:") ? text.substr(0, text.find(',')) : std::string_view{};
  if (head.ends_with(";base64")) {
    auto const found = data_address_at(text);
    auto const rest = text.substr(found ? found->first : head.size());
    bool const has_words = found ? rest.find_first_not_of(line_ends) != std::string_view::npos
                                 : rest.find_first_of(" \t\r\n") != std::string_view::npos;
    return has_words ? std::string{} : named_address("file", text);
  }
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
  if (is_name_of_bytes(base64)) return std::string(base64);
  // Some have an address that holds the bytes where bytes belong (AI SDK).
  auto const head = base64.starts_with("data:") ? base64.substr(0, base64.find(',')) : std::string_view{};
  if (head.ends_with(";base64") && is_base64(base64.substr(head.size() + 1)))
    return named_bytes(head.substr(5, head.find(';') - 5), base64.substr(head.size() + 1));
  if (base64.find_first_of(line_ends) != std::string_view::npos)
    return named_bytes(media_type, without_line_ends(base64));
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

std::string text_of_media(Media const& media) {
  auto text = media.titles;
  append_paragraph(text, media.named);
  append_paragraph(text, media.transcript);
  return text;
}

namespace {

/// Takes titles, and what else the text of a media part says, out of what is left of the part.
void read_beside(json::object const& part, Media& media, json::object* rest) {
  std::string titles;
  for (auto const* const name :
       {"title", "context", "filename", "file_name", "fileName", "name", "displayName", "display_name"}) {
    append_paragraph(titles, string_at(part, {name}));
    if (rest != nullptr && !string_at(part, {name}).empty()) rest->erase(name);
  }
  append_paragraph(titles, media.titles);  // of what is within it
  media.titles = std::move(titles);
  if (auto const said = string_at(part, {"transcript"}); !said.empty() && media.transcript.empty()) {
    media.transcript = std::string(said);
    if (rest != nullptr) rest->erase("transcript");
  }
  if (rest == nullptr) return;
  for (auto const* const name : {"type", "source_type", "sourceType", "modality"}) rest->erase(name);
  for (auto const* const name : {"mime_type", "mimeType", "media_type", "mediaType", "format", "output_format"}) {
    auto const said = string_at(part, {name});
    if (!said.empty() && media.named.find(said) != std::string::npos) rest->erase(name);
  }
}

/// The source of a media part itself.
std::optional<Media> source_in(json::object const& part, std::string_view what, std::string_view type,
                               json::object* rest) {
  auto const take = [&](std::string_view name) {
    if (rest != nullptr) rest->erase(name);
  };
  auto const text_in = [&](std::initializer_list<std::string_view> names) {
    auto const* const member = first_member_of(part, names);
    bool const is_text = member != nullptr && member->value().is_string() && !member->value().get_string().empty();
    return is_text ? member : nullptr;
  };
  if (auto const* const address = text_in({"uri", "url", "fileUri", "file_uri", "file_url", "image_url", "s3Uri"})) {
    take(address->key());
    return Media{.named = named_address(what, std::string_view(address->value().get_string()))};
  }
  for (auto const* const name :
       {"image_url", "input_audio", "source", "image", "file", "document", "video", "audio", "inlineData", "fileData",
        "s3Location", "inline_data", "file_data", "media", "data", "bytes"}) {
    if (auto const bytes = bytes_in(part.if_contains(name)); !bytes.empty()) {
      take(name);
      return Media{.named = named_bytes(type, schema::encode_base64(bytes))};
    }
    auto const* const inner = object_at(part, name);
    if (inner == nullptr) continue;
    json::object of_inner;
    if (rest != nullptr) of_inner = *inner;
    if (auto found = media_in(*inner, what, type, rest == nullptr ? nullptr : &of_inner)) {
      if (rest != nullptr) keep_rest(*rest, name, json::value(std::move(of_inner)));
      return found;
    }
  }
  // `image` is an address or base64.
  if (auto const* const member = text_in({"data", "bytes", "file_data", "base64", "b64_json", "image"})) {
    auto const held = std::string_view(member->value().get_string());
    bool const is_address = held.starts_with("data:") || held.starts_with("http");
    take(member->key());
    return Media{.named = is_address ? named_address(what, held) : named_bytes(type, held)};
  }
  if (auto const* const result = text_in({"result"});
      result != nullptr && string_at(part, {"type"}) == "image_generation_call") {
    take("result");
    return Media{.named = named_bytes(type, std::string_view(result->value().get_string()))};
  }
  auto const* const id = text_in({"file_id", "fileId"});
  if (id == nullptr) return std::nullopt;
  take(id->key());
  return Media{.named = "[" + std::string(what) + " " + std::string(id->value().get_string()) + "]"};
}

}  // namespace

std::optional<Media> media_in(json::object const& part, std::string_view what, std::string_view outer_type,
                              json::object* rest) {
  if (is_one_of(string_at(part, {"type"}), {"text", "content"})) return std::nullopt;  // a document's own text
  auto found = source_in(part, what, media_type_of(part, outer_type.empty() ? what : outer_type), rest);
  if (found) read_beside(part, *found, rest);
  return found;
}

namespace {

/// As `name_bytes`, in a value of the member `around`.
bool name_bytes_in(json::value& value, std::string_view around, int depth);

/// Names bytes in a text that is JSON, as arguments of calls are, or that is bytes itself. Whether there were any.
bool name_bytes_in_text(json::value& value, int depth) {
  auto const text = std::string_view(value.get_string());
  if (auto const named = named_text(text); !named.empty()) {
    value = named;
    return true;
  }
  bool const may_be_json = (text.starts_with('{') || text.starts_with('[')) && may_hold_bytes(text);
  auto held = may_be_json ? structured(value) : json::value{};
  if (may_be_json && !held.is_string()) {
    if (!name_bytes(held, depth + 1)) return false;
    value = text_of(held);
    return true;
  }
  auto const named = named_within(text);
  if (named) value = *named;
  return named.has_value();
}

/// Names the bytes in the `source` of a medium of this kind, which says its format beside that (Bedrock).
bool name_source(json::object& medium, std::string_view kind) {
  auto* const within = kind.empty() ? nullptr : medium.if_contains("source");
  auto* const source = within == nullptr ? nullptr : within->if_object();
  auto* const held = source == nullptr ? nullptr : source->if_contains("bytes");
  auto const of_numbers = bytes_in(held);
  auto const base64 = of_numbers.empty() && held != nullptr && held->is_string() ? std::string(held->get_string())
                                                                                 : schema::encode_base64(of_numbers);
  if (!is_base64_value(base64) && of_numbers.empty()) return false;
  *held = named_bytes(media_type_of(medium, kind), base64);
  return true;
}

/// What names the bytes that a member of an object is; empty where it is anything else.
std::string named_member(json::object const& object, json::key_value_pair const& member, std::string_view around) {
  auto const name = std::string_view(member.key());
  auto const& held = member.value();
  auto const holding = holding_of(object, name, around);
  auto const kind = kind_of_format(string_at(object, {"format"}));
  auto const type = media_type_of(object, is_of_bytes(name) ? "image" : kind);
  if (!held.is_string()) {
    auto const* const buffer = held.if_object();  // other numbers may be what they are: a chart's, with its format
    bool const is_buffer = buffer != nullptr && string_at(*buffer, {"type"}) == "Buffer";
    bool const is_bytes =
        holding == Holding::bytes || (holding == Holding::may_be_bytes && (is_buffer || says_media(object)));
    auto const bytes = is_bytes ? bytes_in(&held) : std::string{};
    return bytes.empty() ? std::string{} : named_bytes(type, schema::encode_base64(bytes));
  }
  auto const text = std::string_view(held.get_string());
  // Its own type counts, not what its beginning tells.
  bool const is_typed = holding != Holding::no_bytes && (says_media(object) || !kind.empty());
  auto named = is_typed ? std::string{} : named_text(text);
  if (!named.empty() || holding == Holding::no_bytes || !is_base64_value(text)) return named;
  return holding == Holding::bytes || is_surely_bytes(text) ? named_bytes(type, text) : std::string{};
}

bool name_bytes_in(json::value& value, std::string_view around, int depth) {
  constexpr int levels_max = 32;
  bool is_changed = false;
  if (depth > levels_max) return false;
  if (value.is_string()) return name_bytes_in_text(value, depth);
  if (auto* const list = value.if_array()) {
    for (auto& each : *list) is_changed = name_bytes_in(each, around, depth + 1) || is_changed;
  }
  auto* const object = value.if_object();
  if (object == nullptr) return is_changed;
  if (object->size() == 2 && string_at(*object, {"type"}) == "Buffer") {  // Node's own, wherever it stands
    auto const bytes = bytes_in(&value);
    if (!bytes.empty()) value = named_bytes({}, schema::encode_base64(bytes));
    return !bytes.empty();
  }
  is_changed = name_source(*object, kind_of_format(string_at(*object, {"format"})));
  for (auto& member : *object) {
    if (auto const named = named_member(*object, member, around); !named.empty()) {
      member.value() = named;
      is_changed = true;
    } else {
      is_changed = name_bytes_in(member.value(), std::string_view(member.key()), depth + 1) || is_changed;
    }
  }
  return is_changed;
}

}  // namespace

bool name_bytes(json::value& value, int depth) {
  return name_bytes_in(value, {}, depth);
}

namespace {

std::string name_tokens(std::string text) {
  auto named = with_named_tokens(text);
  return named ? std::move(*named) : text;
}

}  // namespace

std::string json_text(json::value const& value) {
  auto text = text_of(value);
  if (value.is_string()) return without_bytes(std::move(text));
  if (!may_hold_bytes(text)) return name_tokens(std::move(text));
  auto copy = value;
  return name_tokens(name_bytes(copy) ? text_of(copy) : std::move(text));
}

std::string without_bytes(std::string text) {
  if (!may_hold_bytes(text)) return name_tokens(std::move(text));
  auto const held = structured(json::value(text));
  return without_bytes(std::move(text), held);
}

std::string without_bytes(std::string text, json::value const& held) {
  if (held.is_string()) {
    auto named = named_within(text);
    return name_tokens(named ? std::move(*named) : std::move(text));
  }
  if (!may_hold_bytes(text)) return name_tokens(std::move(text));
  auto copy = held;
  return name_tokens(name_bytes(copy) ? text_of(copy) : std::move(text));
}

}  // namespace whence::net::capture
