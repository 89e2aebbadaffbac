#pragma once
// Values of LMDB's tables read from the file's pages, for a file that LMDB itself does not open.

#include "store/files/files.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/meta_pages.hpp"
#include "store/rows/bytes.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace whence::store {

/// The tables under the whole meta page of a file. Trusts no byte: what does not make sense is not found.
class RawTree {
 public:
  /// `torn` is of `data_file`. Throws std::system_error where the file cannot be opened.
  RawTree(std::filesystem::path const& data_file, TornMetaPage const& torn);

  /// The value of `key` in a table with number keys. O(depth) pages.
  [[nodiscard]] std::optional<Bytes> find(Table table, std::uint64_t key) const;

 private:
  [[nodiscard]] std::optional<Bytes> page(std::uint64_t number) const;
  [[nodiscard]] std::optional<Bytes> value_of(Bytes const& page, std::size_t node) const;
  template <class Order>
  [[nodiscard]] std::optional<Bytes> find_under(std::uint64_t root, Order const& order) const;

  Descriptor file_;
  std::uint64_t page_bytes_;
  std::uint64_t file_bytes_;
  std::uint64_t root_;
};

}  // namespace whence::store
