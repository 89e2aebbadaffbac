#pragma once
// Reads PackStream, as strictly as hostile bytes need it.

#include "net/bolt/packstream/dialect.hpp"
#include "net/bolt/packstream/failure.hpp"
#include "net/bolt/packstream/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace whence::net::bolt {

struct PackLimits {
  std::uint32_t depth_max = 64;        ///< of lists, maps and structures in each other
  std::uint32_t values_max = 600'000;  ///< in one message, the entries of maps counted twice
};

/// Reads the bytes of one message from the front. A failure is `request_invalid`, or `type_error` for values that a
/// client may hold and not send here (points, nodes, relationships, paths); nothing can be read after it.
///
/// A size that the bytes claim reserves no memory beyond what the bytes that are there could hold: each value takes at
/// least one byte, so a count above what is left is refused. Refused are also: texts that are not UTF-8, a key twice,
/// keys that are no texts, unknown structures and those with another number of fields, seconds and nanoseconds beyond
/// their range.
class PackReader {
 public:
  /// Views `bytes`, which outlive it.
  PackReader(std::string_view bytes, Dialect dialect, PackLimits limits = {}) noexcept
      : rest_{bytes}, dialect_{dialect}, limits_{limits} {}

  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

  /// Any value.
  [[nodiscard]] Outcome<Value> read_value();
  [[nodiscard]] Outcome<Map> read_map();
  [[nodiscard]] Outcome<List> read_list();
  [[nodiscard]] Outcome<std::string> read_text();
  [[nodiscard]] Outcome<std::int64_t> read_integer();

  struct Structure {
    std::uint8_t tag = 0;
    std::uint32_t fields = 0;  ///< values that follow, at most 15
  };
  /// The head of a structure of whatever tag: of a message.
  [[nodiscard]] Outcome<Structure> read_structure();

 private:
  /// Carries out of the depth of a value why reading stops; never leaves the class.
  struct Bad {
    char const* reason;
    FailureKind kind = FailureKind::request_invalid;
  };
  [[nodiscard]] Value value(std::uint32_t depth);
  [[nodiscard]] List list(std::uint32_t size, std::uint32_t depth);
  [[nodiscard]] Map map(std::uint32_t size, std::uint32_t depth);
  [[nodiscard]] Value structure(std::uint32_t fields, std::uint32_t depth);
  [[nodiscard]] Value temporal(std::uint8_t tag, std::uint32_t fields);
  [[nodiscard]] std::int64_t integer();
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high);
  [[nodiscard]] std::string text();
  [[nodiscard]] std::string text_of(std::uint32_t size);
  [[nodiscard]] std::uint8_t byte();
  [[nodiscard]] std::uint64_t big_endian(unsigned bytes);
  [[nodiscard]] std::uint32_t size_of(std::uint8_t first, std::uint8_t tiny, std::uint8_t sized);
  void count(std::uint64_t values);
  template <class T, class Read>
  [[nodiscard]] Outcome<T> guarded(Read const& read);

  std::string_view rest_;
  Dialect dialect_;
  PackLimits limits_;
  std::uint64_t values_ = 0;
  bool is_broken_ = false;
};

}  // namespace whence::net::bolt
