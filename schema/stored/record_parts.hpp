#pragma once
// Members that several records have, to and from their stored form. Reading throws what message.hpp catches.

#include "schema/base/free_json.hpp"
#include "schema/base/time.hpp"
#include "schema/stored/message.hpp"
#include "schema/types/flags.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <boost/assert.hpp>

namespace whence::schema::stored {

template <class Builder>
void fill_time(Builder out, Time time) {
  out.setTimestampSeconds(time.seconds);
  out.setTimestampNanos(time.nanos);
}

template <class Builder>
void fill_created_at(Builder out, std::optional<EpochMs> time) {
  if (!time) return;
  out.setCreatedAtMs(time->value);
  out.setHasCreatedAt(true);
}

template <class Builder>
void fill_updated_at(Builder out, std::optional<EpochMs> time) {
  if (!time) return;
  out.setUpdatedAtMs(time->value);
  out.setHasUpdatedAt(true);
}

/// A version of anything, which starts at 1.
inline std::int32_t version_number(std::int64_t version) {
  BOOST_ASSERT(version >= 1 && version <= std::numeric_limits<std::int32_t>::max());
  return static_cast<std::int32_t>(version);
}

template <class Builder>
void fill_token_count(Builder out, std::optional<std::int64_t> count) {
  if (!count) return;
  BOOST_ASSERT(*count >= 0 && *count <= std::numeric_limits<std::int32_t>::max());
  out.setTokenCount(static_cast<std::int32_t>(*count));
  out.setHasTokenCount(true);
}

template <class Builder>
void fill_attributes(Builder out, std::optional<Attributes> const& attributes) {
  if (attributes) out.setAttributes(text(attributes->json));
}

template <class Builder>
void fill_flags(Builder out, Flags const& flags) {
  if (flags) fill_texts(out.initFlags(static_cast<unsigned>(flags->size())), *flags);
}

template <class Reader>
Time read_timestamp(Reader in) {
  return read_time(in.getTimestampSeconds(), in.getTimestampNanos());
}

template <class Reader>
std::optional<EpochMs> read_created_at(Reader in) {
  return in.getHasCreatedAt() ? std::optional{EpochMs{in.getCreatedAtMs()}} : std::nullopt;
}

template <class Reader>
std::optional<EpochMs> read_updated_at(Reader in) {
  return in.getHasUpdatedAt() ? std::optional{EpochMs{in.getUpdatedAtMs()}} : std::nullopt;
}

template <class Reader>
std::optional<Attributes> read_attributes(Reader in) {
  return in.hasAttributes() ? std::optional{Attributes{read_text(in.getAttributes())}} : std::nullopt;
}

template <class Reader>
Flags read_flags(Reader in) {
  return in.hasFlags() ? Flags{read_texts(in.getFlags())} : Flags{};
}

inline double read_number(double value) {
  require(std::isfinite(value), "a number is not finite");
  return value;
}

inline std::int64_t read_version(std::int32_t version) {
  require(version >= 1, "a version below 1");
  return version;
}

inline std::int64_t read_count(std::int64_t count) {
  require(count >= 0, "a count below 0");
  return count;
}

}  // namespace whence::schema::stored
