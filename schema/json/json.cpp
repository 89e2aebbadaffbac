// Parsing through a handler of our own, so that numbers are converted exactly, and writing of parsed values.
#include "schema/json/json.hpp"

#include "schema/base/report.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

/// The common part of SAX handlers: no limits (the message's size is the limit), nothing to do for parts of the text
/// that carry no value. `boost::json::basic_parser` calls these by name.
struct Handler {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  bool on_document_begin(bj::error_code& /*ec*/) { return true; }
  bool on_document_end(bj::error_code& /*ec*/) { return true; }
  bool on_array_begin(bj::error_code& /*ec*/) { return true; }
  bool on_object_begin(bj::error_code& /*ec*/) { return true; }
  bool on_number_part(bj::string_view /*part*/, bj::error_code& /*ec*/) { return true; }
  bool on_comment_part(bj::string_view /*part*/, bj::error_code& /*ec*/) { return true; }
  bool on_comment(bj::string_view /*rest*/, bj::error_code& /*ec*/) { return true; }
};

/// Whether `text` is a whole number, as JSON writes it, that comes back as another: `value`, which was made from it, is
/// written with the fewest digits that read back as it, and zeros.
bool is_inexact_integer(std::string_view text, double value) {
  if (text.find_first_of(".eE") != std::string_view::npos) return false;
  if (text.starts_with('-')) text.remove_prefix(1);
  std::array<char, 64> buffer = {};
  auto const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value), std::chars_format::scientific).ptr;
  std::string digits{buffer.data(), end};
  digits.erase(digits.find('e'));
  std::erase(digits, '.');
  return !text.starts_with(digits) || text.find_first_not_of('0', digits.size()) != std::string_view::npos;
}

/// Builds the value. The parser is given the whole text at once, so it hands over every number's whole text.
class Builder : public Handler {
 public:
  explicit Builder(bj::storage_ptr storage) : stack_({}, scratch_.data(), scratch_.size()) {
    stack_.reset(std::move(storage));
  }

  [[nodiscard]] bj::value release() { return stack_.release(); }

  /// Members read, those with a repeated name included.
  [[nodiscard]] std::size_t member_count() const noexcept { return member_count_; }

  [[nodiscard]] bool has_inexact() const noexcept { return has_inexact_; }

  bool on_object_end(std::size_t count, bj::error_code& /*ec*/) {
    member_count_ += count;
    stack_.push_object(count);
    return true;
  }
  bool on_array_end(std::size_t count, bj::error_code& /*ec*/) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(bj::string_view part, std::size_t /*length*/, bj::error_code& /*ec*/) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(bj::string_view rest, std::size_t /*length*/, bj::error_code& /*ec*/) {
    stack_.push_key(rest);
    return true;
  }
  bool on_string_part(bj::string_view part, std::size_t /*length*/, bj::error_code& /*ec*/) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(bj::string_view rest, std::size_t /*length*/, bj::error_code& /*ec*/) {
    stack_.push_string(rest);
    return true;
  }
  bool on_int64(std::int64_t value, bj::string_view /*text*/, bj::error_code& /*ec*/) {
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, bj::string_view /*text*/, bj::error_code& /*ec*/) {
    stack_.push_uint64(value);
    return true;
  }
  bool on_double(double rough, bj::string_view text, bj::error_code& ec) {
    double value = 0;
    auto const result = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const is_out_of_range = result.ec == std::errc::result_out_of_range || !std::isfinite(value);
    // The rough value distinguishes the two ends of the range: too small a number is zero, too large a one is refused.
    if (is_out_of_range && std::abs(rough) < 1) value = std::copysign(0.0, rough);
    if (is_out_of_range && !(std::abs(rough) < 1)) {
      ec = bj::make_error_code(bj::error::exponent_overflow);
      return false;
    }
    has_inexact_ = has_inexact_ || is_inexact_integer(text, value);
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, bj::error_code& /*ec*/) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(bj::error_code& /*ec*/) {
    stack_.push_null();
    return true;
  }

 private:
  // Small messages are built without touching the heap for intermediate values.
  alignas(bj::value) std::array<unsigned char, 4096> scratch_;
  bj::value_stack stack_;
  std::size_t member_count_ = 0;
  bool has_inexact_ = false;
};

/// Places in a text, at most as many as anybody would read.
struct Places {
  static constexpr std::size_t bytes_max = std::size_t{1} << 16;  ///< of all pointers

  std::vector<std::string> duplicates = {};
  std::vector<std::string> inexact = {};
  std::size_t bytes = 0;
  bool are_too_many = false;
};

/// A second reading of a text known to repeat a member's name or to hold an integer that no number does: finds out
/// where. Not on the usual way, so it is simple.
class PlaceFinder : public Handler {
 public:
  [[nodiscard]] Places take() && { return std::move(places_); }

  bool on_object_begin(bj::error_code& /*ec*/) {
    open_.push_back({.is_array = false});
    return true;
  }
  bool on_array_begin(bj::error_code& /*ec*/) {
    open_.push_back({.is_array = true});
    return true;
  }
  bool on_object_end(std::size_t /*count*/, bj::error_code& /*ec*/) { return close(); }
  bool on_array_end(std::size_t /*count*/, bj::error_code& /*ec*/) { return close(); }
  bool on_key_part(bj::string_view part, std::size_t /*length*/, bj::error_code& /*ec*/) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(bj::string_view rest, std::size_t /*length*/, bj::error_code& ec) {
    key_.append(rest.data(), rest.size());
    open_.back().name = std::exchange(key_, {});
    bool const is_new = open_.back().names.insert(open_.back().name).second;
    return is_new || note(places_.duplicates, ec);
  }
  bool on_string_part(bj::string_view /*part*/, std::size_t /*length*/, bj::error_code& /*ec*/) { return true; }
  bool on_string(bj::string_view /*rest*/, std::size_t /*length*/, bj::error_code& /*ec*/) { return next(); }
  bool on_int64(std::int64_t /*value*/, bj::string_view /*text*/, bj::error_code& /*ec*/) { return next(); }
  bool on_uint64(std::uint64_t /*value*/, bj::string_view /*text*/, bj::error_code& /*ec*/) { return next(); }
  bool on_double(double rough, bj::string_view text, bj::error_code& ec) {
    double value = rough;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (is_inexact_integer(text, value) && !note(places_.inexact, ec)) return false;
    return next();
  }
  bool on_bool(bool /*value*/, bj::error_code& /*ec*/) { return next(); }
  bool on_null(bj::error_code& /*ec*/) { return next(); }

 private:
  struct Level {
    bool is_array;
    std::size_t item = 0;   ///< of an array: the item being read
    std::string name = {};  ///< of an object: the member being read
    std::set<std::string, std::less<>> names = {};
  };

  bool close() {
    open_.pop_back();
    return next();
  }
  bool next() {
    if (!open_.empty()) ++open_.back().item;
    return true;
  }
  /// False: enough is known.
  bool note(std::vector<std::string>& list, bj::error_code& ec) {
    std::string pointer;
    for (Level const& level : open_) append_step(pointer, level.is_array ? std::to_string(level.item) : level.name);
    if (std::ranges::find(list, pointer) != list.end()) return true;
    places_.bytes += pointer.size();
    auto const count = places_.duplicates.size() + places_.inexact.size();
    places_.are_too_many = count == limits::record_violations_max || places_.bytes > Places::bytes_max;
    if (places_.are_too_many) {
      ec = bj::make_error_code(bj::error::exception);
      return false;
    }
    list.push_back(std::move(pointer));
    return true;
  }

  std::string key_;
  std::vector<Level> open_;
  Places places_;
};

std::size_t count_members(bj::value const& value) noexcept {
  std::size_t count = 0;
  if (auto const* object = value.if_object()) {
    count = object->size();
    for (auto const& member : *object) count += count_members(member.value());
  } else if (auto const* array = value.if_array()) {
    for (bj::value const& item : *array) count += count_members(item);
  }
  return count;
}

Places find_places(std::string_view text, bj::parse_options const& options) {
  bj::basic_parser<PlaceFinder> parser{options};
  bj::error_code ec;
  parser.write_some(false, text.data(), text.size(), ec);
  return std::move(parser.handler()).take();
}

Error parse_failure(std::string_view what) {
  return {.code = Errc::parse_error, .message = std::string{"ill-formed JSON: "}.append(what)};
}

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

}  // namespace

Result<Document> parse(std::string_view text, std::size_t depth_max, bj::storage_ptr storage) {
  bj::parse_options options;
  options.max_depth = depth_max;
  bj::basic_parser<Builder> parser{options, std::move(storage)};
  bj::error_code ec;
  std::size_t const consumed = parser.write_some(false, text.data(), text.size(), ec);
  if (ec) return parse_failure(ec.message());
  if (consumed < text.size()) return parse_failure("text after the end of the value");

  Document document{.value = parser.handler().release()};
  // The value keeps one member of each name; only where fewer were kept than read is it worth asking which.
  if (parser.handler().has_inexact() || parser.handler().member_count() != count_members(document.value)) {
    auto places = find_places(text, options);
    document.has_more_places = places.are_too_many;
    if (places.are_too_many && places.duplicates.empty() && places.inexact.empty()) {
      return parse_failure("too many members that occur twice, or integers beyond 64 bits, to name them");
    }
    document.duplicates = std::move(places.duplicates);
    document.inexact = std::move(places.inexact);
  }
  return document;
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
