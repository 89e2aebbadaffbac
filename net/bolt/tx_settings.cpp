// Reading the settings of a transaction.

#include "net/bolt/tx_settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace whence::net::bolt {

namespace {

using queries::AsOf;
using queries::TxId;

constexpr std::int64_t timeout_ms_max = 3'600'000;

Failure wrong(std::string message) {
  return {.kind = FailureKind::argument_error, .message = std::move(message)};
}

/// The member of that kind; null where there is none or it is null. Fails where it is of another kind.
template <class T>
Outcome<T const*> member(Map const& map, std::string_view key) {
  auto const* const found = find(map, key);
  if (found == nullptr || std::holds_alternative<std::monostate>(found->data)) return static_cast<T const*>(nullptr);
  auto const* const held = std::get_if<T>(&found->data);
  if (held == nullptr) return wrong(std::string{key} + ": a value of another type is expected");
  return held;
}

constexpr double whole_max = 9'007'199'254'740'992;  // 2^53

/// What `as_of` may be, each to the moment that it means; none for other values.
struct AsOfReader {
  std::optional<AsOf> operator()(std::string const& time) const {
    auto const parsed = schema::parse_rfc3339(time);
    return parsed ? std::optional<AsOf>{*parsed} : std::nullopt;
  }
  std::optional<AsOf> operator()(std::int64_t tx) const {
    return tx >= 0 ? std::optional<AsOf>{TxId{static_cast<std::uint64_t>(tx)}} : std::nullopt;
  }
  /// The numbers of JavaScript.
  std::optional<AsOf> operator()(double tx) const {
    bool const is_whole = tx >= 0 && tx <= whole_max && std::trunc(tx) == tx;
    return is_whole ? std::optional<AsOf>{TxId{static_cast<std::uint64_t>(tx)}} : std::nullopt;
  }
  std::optional<AsOf> operator()(DateTime const& time) const { return at(time.seconds, time.nanos); }
  /// Without a zone: of UTC, as `datetime()` takes them.
  std::optional<AsOf> operator()(LocalDateTime const& time) const { return at(time.seconds, time.nanos); }
  std::optional<AsOf> operator()(Date const& date) const {
    constexpr std::int64_t days_max = 4'000'000;  // beyond the year 9999
    if (date.days < -days_max || date.days > days_max) return std::nullopt;
    return at(date.days * queries::cypher::seconds_per_day, 0);
  }
  template <class T>
  std::optional<AsOf> operator()(T const& /*other*/) const {
    return std::nullopt;
  }

 private:
  static std::optional<AsOf> at(std::int64_t seconds, std::int64_t nanos) {
    if (nanos < 0 || nanos >= queries::cypher::nanos_per_second) return std::nullopt;
    return schema::Time{.seconds = seconds, .nanos = static_cast<std::uint32_t>(nanos)};
  }
};

Outcome<std::optional<AsOf>> read_as_of(Map const& metadata) {
  auto const* const asked = find(metadata, "as_of");
  if (asked == nullptr || std::holds_alternative<std::monostate>(asked->data)) return std::optional<AsOf>{};
  auto read = std::visit(AsOfReader{}, asked->data);
  if (!read) return wrong("as_of: a transaction number or a time is expected");
  return read;
}

bool names_unrecognized(List const& categories) {
  return std::ranges::any_of(categories, [](Value const& each) {
    auto const* const name = std::get_if<std::string>(&each.data);
    return name != nullptr && *name == "UNRECOGNIZED";
  });
}

}  // namespace

std::optional<bool> wants_notices(Map const& extra) {
  bool is_asked = false;
  if (auto const* const least = find_as<std::string>(extra, "notifications_minimum_severity")) {
    if (*least == "OFF") return false;
    is_asked = true;
  }
  for (auto const* const key : {"notifications_disabled_categories", "notifications_disabled_classifications"}) {
    auto const* const disabled = find_as<List>(extra, key);
    if (disabled == nullptr) continue;
    if (names_unrecognized(*disabled)) return false;
    is_asked = true;
  }
  return is_asked ? std::optional{true} : std::nullopt;
}

Outcome<TxSettings> read_settings(Map const& extra) {
  TxSettings settings;
  auto const database = member<std::string>(extra, "db");
  if (!database) return database.error();
  if (*database != nullptr) settings.database = **database;
  auto const bookmarks = member<List>(extra, "bookmarks");
  if (!bookmarks) return bookmarks.error();
  if (*bookmarks != nullptr) settings.bookmarks = **bookmarks;
  auto const timeout = member<std::int64_t>(extra, "tx_timeout");
  if (!timeout) return timeout.error();
  // 0 asks for no limit, which does not exist here: the server's stays.
  if (*timeout != nullptr && **timeout != 0) {
    if (**timeout < 0 || **timeout > timeout_ms_max) return wrong("tx_timeout: 0 to 3600000 ms are expected");
    settings.timeout = std::chrono::milliseconds{**timeout};
  }
  auto const mode = member<std::string>(extra, "mode");
  if (!mode) return mode.error();
  if (*mode != nullptr && **mode != "r" && **mode != "w") return wrong("mode: `r` or `w` is expected");
  settings.is_reading = *mode != nullptr && **mode == "r";
  auto const impersonated = member<std::string>(extra, "imp_user");
  if (!impersonated) return impersonated.error();
  if (*impersonated != nullptr) {
    return Failure{.kind = FailureKind::forbidden, .message = "a token acts for itself: imp_user is not supported"};
  }
  auto const metadata = member<Map>(extra, "tx_metadata");
  if (!metadata) return metadata.error();
  if (*metadata != nullptr) {
    auto const as_of = read_as_of(**metadata);
    if (!as_of) return as_of.error();
    settings.as_of = *as_of;
    auto const* const trace = find_as<std::string>(**metadata, "traceparent");
    if (trace != nullptr) settings.trace = parse_traceparent(*trace);
  }
  settings.wants_notices = wants_notices(extra);
  return settings;
}

}  // namespace whence::net::bolt
