#pragma once
// The interface through which queries read the content of records without knowing the store.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/records.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// One stored content; nothing where it expired or was purged.
using StoredContent = std::optional<Record>;

/// Reads stored content. The store keeps identity and weighted references once, in the graph's rows, so a record comes
/// back without its id and without a response's `context_units`, and a revised one in pieces;
/// graph/snapshot/records.hpp puts them together. Callable from any thread.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// Each content, in the order given, in one short read transaction per thousand. `visit` gets the position in
  /// `contents` and the content, nothing where it expired or was purged; it returns false to stop. Fails with `corrupt`
  /// where a content is not there or does not decode.
  [[nodiscard]] virtual Result<void> read(std::span<ContentId const> contents,
                                          std::function<bool(std::size_t, StoredContent&&)> const& visit) const = 0;

  /// The bytes of a blob by their SHA-256; nothing where none is stored under it. Fails with `purged` where they are
  /// gone, with `corrupt` where they are others.
  [[nodiscard]] virtual Result<std::optional<std::string>> read_blob(Digest const& digest) const = 0;
};

/// Puts back what the graph holds: the id, and for a response what it used, in order.
void complete(Record& record, std::string_view id, std::vector<ContextReference> context_units);

/// Applies a later revision of the same record: `into` becomes what the record says from then on. Lists of a keyword
/// and a subject gain the items of `later`, a round its responses, a chunk its embedding; everything else is replaced.
void fold(Record& into, Record&& later);

}  // namespace whence::schema
