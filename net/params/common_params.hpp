#pragma once
// The params that several methods share, each described once. A params struct derives from those it takes and splices
// their tables into its own with `std::tuple_cat`.

#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <tuple>

namespace whence::net {

/// How long the caller waits for the answer.
struct TimeoutParams {
  std::optional<std::uint64_t> timeout_ms;
};

/// The transaction that must be the newest for a write to happen.
struct ExpectTxParams {
  std::optional<std::uint64_t> expect_tx;
};

/// Whether a write is only checked.
struct DryRunParams {
  bool dry_run = false;
};

/// Whether `$/progress` is sent.
struct ProgressParams {
  bool progress = false;
};

/// The duration that `timeout_ms` asks for, cut to a year so that adding it to any moment stays in range.
[[nodiscard]] constexpr std::chrono::milliseconds timeout_of(std::uint64_t timeout_ms) noexcept {
  constexpr std::uint64_t longest_ms = std::uint64_t{366} * 24 * 3600 * 1000;
  return std::chrono::milliseconds{timeout_ms < longest_ms ? timeout_ms : longest_ms};
}

}  // namespace whence::net

namespace whence::schema {

template <>
struct Describe<net::TimeoutParams> {
  using T = net::TimeoutParams;
  static constexpr auto fields = std::tuple{
      field("timeout_ms", &T::timeout_ms, Presence::optional, rules::number(1, limits::integer_max),
            "How long the caller waits for the answer, from the receipt of the request. A write itself goes on."),
  };
};

template <>
struct Describe<net::ExpectTxParams> {
  using T = net::ExpectTxParams;
  static constexpr auto fields = std::tuple{
      field("expect_tx", &T::expect_tx, Presence::optional, rules::number(0, limits::integer_max),
            "Changes something only if this is the head."),
  };
};

template <>
struct Describe<net::DryRunParams> {
  using T = net::DryRunParams;
  static constexpr auto fields = std::tuple{
      field("dry_run", &T::dry_run, Presence::optional, rules::any(), "Only checks; changes nothing."),
  };
};

template <>
struct Describe<net::ProgressParams> {
  using T = net::ProgressParams;
  static constexpr auto fields = std::tuple{
      field("progress", &T::progress, Presence::optional, rules::any(), "Sends `$/progress` while the work is long."),
  };
};

/// The table of `T` from those of the structs it derives from, in this order.
template <class... Parts>
inline constexpr auto fields_of = std::tuple_cat(Describe<Parts>::fields...);

}  // namespace whence::schema
