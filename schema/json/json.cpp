// Parsing through handlers of our own (builder.hpp), so that numbers are converted exactly, and writing of values.
#include "schema/json/json.hpp"

#include "schema/base/text.hpp"
#include "schema/json/builder.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace whence::schema::json {
namespace {

/// A double that says by its spelling that it is one.
void append_double(Writer& out, double value) {
  std::string text;
  append_number(text, value);
  if (text.find_first_of(".e") == std::string::npos) text.append(".0");
  out.raw(text);
}

enum class Form : std::uint8_t { as_given, canonical, sorted };

void append_value(Writer& out, bj::value const& value, Form form);

void append_members(Writer& out, bj::object const& object, Form form) {
  std::vector<bj::key_value_pair const*> members;
  members.reserve(object.size());
  for (bj::key_value_pair const& member : object) members.push_back(&member);
  if (form != Form::as_given) {
    std::ranges::sort(members, {}, [](bj::key_value_pair const* member) { return std::string_view{member->key()}; });
  }
  for (bj::key_value_pair const* member : members) append_value(out.key(member->key()), member->value(), form);
}

void append_value(Writer& out, bj::value const& value, Form form) {
  switch (value.kind()) {
    case bj::kind::null:
      out.null();
      return;
    case bj::kind::bool_:
      out.value(value.get_bool());
      return;
    case bj::kind::int64:
      out.value(value.get_int64());
      return;
    case bj::kind::uint64:
      out.value(value.get_uint64());
      return;
    case bj::kind::double_:
      if (form == Form::sorted) {
        append_double(out, value.get_double());
      } else {
        out.value(value.get_double());
      }
      return;
    case bj::kind::string:
      out.value(std::string_view{value.get_string()});
      return;
    case bj::kind::array:
      out.begin_array();
      for (bj::value const& item : value.get_array()) append_value(out, item, form);
      out.end_array();
      return;
    case bj::kind::object:
      out.begin_object();
      append_members(out, value.get_object(), form);
      out.end_object();
      return;
  }
}

/// The code unit of the escape `\uXXXX` at `at`; nothing where there is none.
std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  auto const* const end = text.data() + at + 6;
  auto const [stop, failure] = std::from_chars(text.data() + at + 2, end, unit, 16);
  return failure == std::errc{} && stop == end ? std::optional{unit} : std::nullopt;
}

/// `text` with U+FFFD in the place of each escape of a surrogate without its other half. Escapes stand in strings only,
/// so a backslash elsewhere is ill-formed with and without this.
std::string with_paired_surrogates(std::string_view text) {
  std::string result;
  std::size_t kept = 0;
  for (auto at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    auto const unit = escaped_unit(text, at);
    bool const is_surrogate = unit && *unit >= 0xD800 && *unit <= 0xDFFF;
    auto const next = is_surrogate && *unit < 0xDC00 ? escaped_unit(text, at + 6) : std::nullopt;
    bool const is_pair = next && *next >= 0xDC00 && *next <= 0xDFFF;
    if (is_surrogate && !is_pair) {
      result.append(text.substr(kept, at - kept)).append("\\uFFFD");
      kept = at + 6;
    }
    at += is_pair ? 12 : unit ? 6 : 2;
  }
  return result.append(text.substr(kept));
}

/// `text` with the names of numbers that JSON lacks as texts.
std::string with_quoted_numbers(std::string_view text) {
  std::string result;
  std::size_t kept = 0;
  bool is_in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_in_text && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      is_in_text = !is_in_text;
    } else if (!is_in_text && (text[at] == 'N' || text[at] == 'I' || text[at] == '-')) {
      for (std::string_view const name : {"NaN", "Infinity", "-Infinity"}) {
        if (text.substr(at, name.size()) != name) continue;
        result.append(text.substr(kept, at - kept)).append("\"").append(name).append("\"");
        kept = at + name.size();
        at = kept - 1;
        break;
      }
    }
  }
  return result.append(text.substr(kept));
}

Result<Document> parse_with(std::string_view text, std::size_t depth_max, bj::storage_ptr storage,
                            Builder::Numbers numbers) {
  bj::parse_options options;
  options.max_depth = depth_max;
  bj::basic_parser<Builder> parser{options, std::move(storage), numbers};
  bj::error_code ec;
  std::size_t const consumed = parser.write_some(false, text.data(), text.size(), ec);
  if (ec) return parse_failure(ec.message(), text, consumed);
  if (consumed < text.size()) return parse_failure("text after the end of the value", text, consumed);

  auto value = parser.handler().release();
  auto places = find_places(parser.handler(), value, text, options);
  if (!places) return std::move(places).error();
  if (numbers != Builder::Numbers::noted) places->inexact.clear();  // they are as they were given
  return Document{.value = std::move(value),
                  .duplicates = std::move(places->duplicates),
                  .inexact = std::move(places->inexact),
                  .has_more_places = places->are_too_many};
}

}  // namespace

Result<Document> parse(std::string_view text, std::size_t depth_max, bj::storage_ptr storage) {
  return parse_with(text, depth_max, std::move(storage), Builder::Numbers::noted);
}

Result<Document> parse_foreign(std::string_view text, std::size_t depth_max, bj::storage_ptr storage) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  auto document = parse_with(text, depth_max, storage, Builder::Numbers::kept_as_text);
  if (document) return document;
  auto const mended = with_quoted_numbers(with_paired_surrogates(to_utf8(text)));
  if (mended == text) return document;
  return parse_with(mended, depth_max, std::move(storage), Builder::Numbers::kept_as_text);
}

Result<Document> parse_with_integers(std::string_view text, std::size_t depth_max, bj::storage_ptr storage) {
  return parse_with(text, depth_max, std::move(storage), Builder::Numbers::kept_as_literal);
}

std::string to_text(bj::value const& value) {
  std::string text;
  Writer out{text};
  append_value(out, value, Form::as_given);
  return text;
}

std::string to_canonical_text(bj::value const& value) {
  std::string text;
  Writer out{text};
  append_value(out, value, Form::canonical);
  return text;
}

std::string to_sorted_text(bj::value const& value) {
  std::string text;
  Writer out{text};
  append_value(out, value, Form::sorted);
  return text;
}

}  // namespace whence::schema::json
