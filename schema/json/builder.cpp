// Numbers read exactly, and the second reading that finds places.
#include "schema/json/builder.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace whence::schema::json {
namespace {

constexpr std::size_t pointers_bytes_max = std::size_t{1} << 16;  ///< of all places
constexpr std::size_t names_max = 200'000;                        ///< compared at once, each in about 100 bytes

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
    if (!is_new) return note(places_.duplicates, ec);
    if (++names_ > names_max) return give_up(ec);
    return true;
  }
  bool on_string_part(bj::string_view /*part*/, std::size_t /*length*/, bj::error_code& /*ec*/) { return true; }
  bool on_string(bj::string_view /*rest*/, std::size_t /*length*/, bj::error_code& /*ec*/) { return next(); }
  bool on_int64(std::int64_t /*value*/, bj::string_view /*text*/, bj::error_code& /*ec*/) { return next(); }
  bool on_uint64(std::uint64_t /*value*/, bj::string_view /*text*/, bj::error_code& /*ec*/) { return next(); }
  bool on_double(double /*rough*/, bj::string_view text, bj::error_code& ec) {
    if (is_large_integer(text) && !note(places_.inexact, ec)) return false;
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
    names_ -= open_.back().names.size();
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
    bytes_ += pointer.size();
    auto const count = places_.duplicates.size() + places_.inexact.size();
    if (count == limits::record_violations_max || bytes_ > pointers_bytes_max) return give_up(ec);
    list.push_back(std::move(pointer));
    return true;
  }
  bool give_up(bj::error_code& ec) {
    places_.are_too_many = true;
    ec = bj::make_error_code(bj::error::exception);
    return false;
  }

  std::string key_;
  std::size_t names_ = 0;  ///< of the objects that are open
  std::vector<Level> open_;
  std::size_t bytes_ = 0;  ///< of the places
  Places places_;
};

Places read_again(std::string_view text, bj::parse_options const& options) {
  bj::basic_parser<PlaceFinder> parser{options};
  bj::error_code ec;
  parser.write_some(false, text.data(), text.size(), ec);
  return std::move(parser.handler()).take();
}

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

}  // namespace

bool is_large_integer(std::string_view text) noexcept {
  return text.find_first_of(".eE") == std::string_view::npos;
}

std::optional<double> exact_double(double rough, std::string_view text, bj::error_code& ec) {
  double value = 0;
  auto const result = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const is_out_of_range = result.ec == std::errc::result_out_of_range || !std::isfinite(value);
  if (!is_out_of_range) return value;
  // The rough value distinguishes the two ends of the range: too small a number is zero, too large a one is refused.
  if (std::abs(rough) < 1) return std::copysign(0.0, rough);
  ec = bj::make_error_code(bj::error::exponent_overflow);
  return std::nullopt;
}

Error parse_failure(std::string_view what) {
  return {.code = Errc::parse_error, .message = std::string{"ill-formed JSON: "}.append(what)};
}

Error parse_failure(std::string_view what, std::string_view text, std::size_t at) {
  auto error = parse_failure(what);
  if (at >= text.size()) return error;  // it is not at its end yet
  auto const before = text.substr(0, at);
  auto const lines = std::ranges::count(before, '\n');
  auto const line_begin = lines == 0 ? 0 : before.rfind('\n') + 1;
  error.message += lines == 0 ? " at byte " : " at line " + std::to_string(lines + 1) + ", byte ";
  error.message += std::to_string(at - line_begin + 1);
  return error;
}

Result<Places> find_places(Builder const& builder, bj::value const& value, std::string_view text,
                           bj::parse_options const& options) {
  // The value keeps one member of each name; only where fewer were kept than read is it worth asking which.
  if (!builder.has_inexact() && builder.member_count() == count_members(value)) return Places{};
  auto places = read_again(text, options);
  if (places.are_too_many && places.duplicates.empty() && places.inexact.empty()) {
    return parse_failure("too many members that occur twice, or integers beyond 64 bits, to name them");
  }
  return places;
}

}  // namespace whence::schema::json
