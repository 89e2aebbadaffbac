// Gives the values that reading the record's text would give: a whole number of a double is an integer, and a float is
// what its fewest digits mean.
#include "schema/wire/record_object.hpp"

#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/wire/codec.hpp"
#include "schema/wire/written_members.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json/array.hpp>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

class Values {
 public:
  explicit Values(WholeDoubles doubles) : doubles_(doubles) {}

  std::optional<Error> error = {};  ///< the first

  template <Described T>
  bj::value of(T const& value) {
    bj::object made;
    add_members(made, value);
    return made;
  }
  template <class T>
  bj::value of(std::vector<T> const& items) {
    bj::array made;
    made.reserve(items.size());
    for (T const& item : items) made.push_back(of(item));
    return made;
  }
  bj::value of(std::string const& value) { return bj::value(value); }
  bj::value of(bool value) { return value; }
  bj::value of(std::int64_t value) { return value; }
  bj::value of(EpochMs value) { return value.value; }
  bj::value of(Time value) { return bj::value(format_rfc3339(value)); }
  template <NamedEnum Enum>
  bj::value of(Enum value) {
    return bj::value(name_of(value));
  }
  bj::value of(Attributes const& value) { return parsed(value.json); }
  bj::value of(QuestionSet const& value) { return parsed(value.json); }
  bj::value of(ProvAttributes const& value) { return parsed(value.json); }
  bj::value of(PrefixMap const& value) {
    bj::object made;
    for (auto const& [prefix, iri] : value.entries) made.emplace(prefix, bj::value(iri));
    return made;
  }
  bj::value of(double value) {
    constexpr double int64_end = 9223372036854775808.0;
    if (!std::isfinite(value)) return nullptr;
    if (doubles_ == WholeDoubles::as_doubles) return value;
    if (value != std::trunc(value) || value < -int64_end || value >= 2 * int64_end) return value;
    if (value < int64_end) return static_cast<std::int64_t>(value);
    return static_cast<std::uint64_t>(value);
  }
  /// What the digits mean that are written of a binary32.
  bj::value of(float value) {
    if (!std::isfinite(value)) return nullptr;
    digits_.clear();
    append_number(digits_, value);
    if (doubles_ == WholeDoubles::as_doubles) return read<double>().value_or(value);
    if (auto const whole = read<std::int64_t>()) return *whole;
    if (auto const whole = read<std::uint64_t>()) return *whole;
    return read<double>().value_or(value);
  }

  template <Described T>
  void add_members(bj::object& made, T const& value) {
    for_each_written(value, [&](std::string_view name, auto const& member) { made.emplace(name, of(member)); });
  }

 private:
  template <class Number>
  [[nodiscard]] std::optional<Number> read() const {
    Number number = 0;
    char const* const end = digits_.data() + digits_.size();
    auto const done = std::from_chars(digits_.data(), end, number);
    return done.ec == std::errc{} && done.ptr == end ? std::optional{number} : std::nullopt;
  }

  bj::value parsed(std::string const& text) {
    auto document = parse(text);
    if (document) return std::move(document->value);
    if (!error) error = document.error();
    return nullptr;
  }

  WholeDoubles doubles_;
  std::string digits_;
};

}  // namespace

Result<bj::object> to_object(Record const& record, WholeDoubles doubles) {
  bj::object made;
  made.emplace(type_member, bj::value(name_of(type_of(record))));
  Values values{doubles};
  std::visit([&](auto const& each) { values.add_members(made, each); }, record);
  if (values.error) return *values.error;
  return made;
}

}  // namespace whence::schema::json
