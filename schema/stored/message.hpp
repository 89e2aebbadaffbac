#pragma once
// One canonical Cap'n Proto message to and from words, and the one place where kj's exceptions become errors.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/text.hpp"
#include "schema/stored/codec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

namespace whence::schema::stored {

/// Thrown by the readers below on content that Cap'n Proto accepts and `encode` never writes; caught in `read_message`.
struct NotOurs {
  char const* what;
};

inline void require(bool holds, char const* what) {
  if (!holds) throw NotOurs{what};
}

/// Builds a `Root` with `fill(builder)` and returns its canonical words.
template <class Root, class Fill>
Words write_message(Fill const& fill) {
  std::array<capnp::word, 256> scratch = {};  // most records fit; kj wants it zeroed
  capnp::MallocMessageBuilder message{kj::arrayPtr(scratch.data(), scratch.size())};
  auto root = message.initRoot<Root>();
  fill(root);
  kj::Array<capnp::word> const canonical = capnp::canonicalize(root.asReader());
  static_assert(sizeof(capnp::word) == sizeof(Words::value_type));
  Words words(canonical.size());
  std::memcpy(words.data(), canonical.begin(), canonical.size() * sizeof(capnp::word));
  return words;
}

inline Error corrupt(std::string_view what) {
  return {.code = Errc::corrupt, .message = std::string{"stored content does not decode: "}.append(what)};
}

/// Reads aligned words as a `Root` with `read(reader)`. Bounded: every word is looked at a few times at most, and
/// nesting is no deeper than the schemas'.
template <class Root, class Read>
auto read_words(kj::ArrayPtr<capnp::word const> words, Read const& read)
    -> Result<decltype(read(std::declval<typename Root::Reader>()))> {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = 4 * words.size() + 64;
  options.nestingLimit = 8;
  try {
    kj::ArrayPtr<capnp::word const> const segments[] = {words};
    capnp::SegmentArrayMessageReader message{kj::arrayPtr(segments, 1), options};
    require(message.isCanonical(), "not in canonical form");
    return read(message.getRoot<Root>());
  } catch (NotOurs const& failure) {
    return corrupt(failure.what);
  } catch (kj::Exception const& failure) {
    return corrupt(std::string_view{failure.getDescription().begin(), failure.getDescription().size()});
  }
}

/// The same from bytes of any alignment; they are copied where Cap'n Proto could not read them in place.
template <class Root, class Read>
auto read_message(std::span<std::byte const> bytes, Read const& read)
    -> Result<decltype(read(std::declval<typename Root::Reader>()))> {
  constexpr std::size_t words_max = std::size_t{1} << 28U;  // Cap'n Proto's own bound on a segment
  std::size_t const count = bytes.size() / sizeof(capnp::word);
  if (count == 0 || bytes.size() % sizeof(capnp::word) != 0 || count > words_max) return corrupt("not whole words");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) == 0) {
    return read_words<Root>({reinterpret_cast<capnp::word const*>(bytes.data()), count}, read);
  }
  Words copy(count);
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return read_words<Root>({reinterpret_cast<capnp::word const*>(copy.data()), count}, read);
}

inline capnp::Text::Reader text(std::string const& value) {
  return {value.data(), value.size()};
}

inline std::string read_text(capnp::Text::Reader value) {
  std::string_view const view{value.begin(), value.size()};
  require(is_utf8(view), "a text is not UTF-8");
  return std::string{view};
}

inline std::optional<std::string> read_text(bool is_there, capnp::Text::Reader value) {
  return is_there ? std::optional{read_text(value)} : std::nullopt;
}

template <class Builder>
void fill_texts(Builder list, std::vector<std::string> const& values) {
  for (std::uint32_t i = 0; i < list.size(); ++i) list.set(i, text(values[i]));
}

template <class Reader>
std::vector<std::string> read_texts(Reader list) {
  std::vector<std::string> values;
  values.reserve(list.size());
  for (auto const each : list) values.push_back(read_text(each));
  return values;
}

inline Time read_time(std::int64_t seconds, std::uint32_t nanos) {
  require(nanos < 1'000'000'000, "nanoseconds beyond a second");
  return {seconds, nanos};
}

/// Adding positive zero turns -0 into 0 and leaves all else: equal numbers get equal words.
inline double canonical(double value) noexcept {
  return value + 0.0;
}

}  // namespace whence::schema::stored
