#pragma once
// One export format as a value: its names, its files, and how its writer is made.

#include "schema/types/named_enum.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace whence::exports {

class GraphWriter;

/// What becomes of texts that a spreadsheet would run as formulas.
enum class Formulas : std::uint8_t { keep, escape };
constexpr std::array<std::string_view, 2> enum_names(Formulas) noexcept {
  return {"keep", "escape"};
}

/// Which way edges lead: as they are stored, or those with influence from the cause to the effect.
enum class EdgeDirection : std::uint8_t { stored, influence };
constexpr std::array<std::string_view, 2> enum_names(EdgeDirection) noexcept {
  return {"stored", "influence"};
}

enum class Compression : std::uint8_t { none, zstd };
constexpr std::array<std::string_view, 2> enum_names(Compression) noexcept {
  return {"none", "zstd"};
}

/// What a client may choose about a format. What a format has no place for is refused.
struct FormatOptions {
  Formulas formulas = Formulas::keep;               ///< of csv
  EdgeDirection direction = EdgeDirection::stored;  ///< of formats with edges of their own
  Compression compression = Compression::none;      ///< of every file
};

/// A few literals, held by value so that a row of the table is one expression.
class Names {
 public:
  static constexpr std::size_t size_max = 2;

  constexpr Names(std::initializer_list<std::string_view> names) : size_(names.size()) {
    assert(names.size() <= size_max);
    std::ranges::copy(names, names_.begin());
  }

  [[nodiscard]] constexpr auto begin() const noexcept { return names_.begin(); }
  [[nodiscard]] constexpr auto end() const noexcept { return names_.begin() + size_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::string_view operator[](std::size_t place) const noexcept { return names_[place]; }

 private:
  std::array<std::string_view, size_max> names_ = {};
  std::size_t size_;
};

/// Makes the writer of one export.
using MakeWriter = std::unique_ptr<GraphWriter>(FormatOptions const& options);

struct Format {
  std::string_view name;   ///< in requests
  std::string_view title;  ///< for people
  std::string_view use;    ///< what reads it, one sentence for people
  Names suffixes;          ///< of file names that imply the format
  Names files;             ///< several files are in a folder
  MakeWriter* make;        ///< null: the format is the change log itself, not a graph
  bool has_edges = true;   ///< false: it has records or statements with their links, so that no edge can be left out
  bool has_cells = false;  ///< spreadsheets open it, so that texts may be formulas there

  [[nodiscard]] bool is_folder() const noexcept { return files.size() > 1; }
};

/// After the name of a compressed file.
inline constexpr std::string_view zstd_suffix = ".zst";

}  // namespace whence::exports
