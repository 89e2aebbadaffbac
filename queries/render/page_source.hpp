#pragma once
// The source of pages, streams and whole answers of every read: lists of items, each written only when a page needs it.
// Paging, streaming and cursors treat all methods alike.

#include "queries/view/incomplete.hpp"
#include "schema/base/error.hpp"
#include "schema/json/writer.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace whence::queries {

/// One list member of an answer, its items written on demand.
struct List {
  std::string_view name;  ///< "nodes"
  std::size_t size = 0;
  /// Writes items [begin, end) one after the other, each a JSON value. May fail with `corrupt` when it reads records.
  std::function<Result<void>(schema::json::Writer&, std::size_t begin, std::size_t end)> write;
};

/// Items that travel with items of the first list: an edge with the page of its farther node.
struct Attached {
  std::string_view name;             ///< "edges"
  std::vector<std::size_t> anchors;  ///< per item, the position in `lists[0]` it goes with; any order
  std::function<Result<void>(schema::json::Writer&, std::size_t item)> write;
};

/// The result of one query, ready to be written in parts. It owns the result. Immutable once made: any part may be
/// written at any time, in any order, from any thread, and gives the same text.
struct PageSource {
  std::vector<List> lists = {};  ///< paged as one sequence, in order
  std::vector<Attached> attached = {};
  /// How many items, from the first on, are in order; those behind are not to be written.
  std::size_t ordered_items = std::numeric_limits<std::size_t>::max();
  Incomplete incomplete = Incomplete::no;
  /// Writes the members beside the lists ("counts", "manifest", ...) into the open result object. May be empty.
  std::function<void(schema::json::Writer&)> write_members = {};
};

}  // namespace whence::queries
