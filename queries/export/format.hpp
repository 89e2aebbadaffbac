#pragma once
// The export formats: one row of the table says what each is called, which files it makes and who writes it.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace whence::exports {

class GraphWriter;

enum class Format : std::uint8_t {
  jsonl,
  graphml,
  gexf,
  dot,
  node_link,
  cytoscape,
  csv,
  csv_neo4j,
  prov_json,
  prov_n,
};

/// Which of the two names of its edges a node-link document has.
enum class EdgesKey : std::uint8_t { links, edges, both };

enum class Compression : std::uint8_t { none, zstd };

/// What a client may choose about a format. Each member counts only where it applies.
struct FormatOptions {
  EdgesKey edges_key = EdgesKey::both;          ///< of node-link
  Compression compression = Compression::none;  ///< of every file
};

struct FormatInfo {
  Format format;
  std::string_view name;                       ///< as requests say it
  std::span<std::string_view const> suffixes;  ///< of file names from which it is known
  std::span<std::string_view const> files;     ///< what it makes; more than one lie in a folder
  /// Makes its writer; null for `jsonl`, which tells changes instead of a graph.
  std::unique_ptr<GraphWriter> (*make)(FormatOptions const& options);

  [[nodiscard]] bool is_folder() const noexcept { return files.size() > 1; }
};

/// All of them, in the order of `Format`.
[[nodiscard]] std::span<FormatInfo const> formats() noexcept;
[[nodiscard]] FormatInfo const& info(Format format) noexcept;
[[nodiscard]] std::optional<Format> find_format(std::string_view name) noexcept;
/// By the end of a file's name, with or without `.zst` after it.
[[nodiscard]] std::optional<Format> find_format_by_suffix(std::string_view file_name) noexcept;

inline constexpr std::string_view zstd_suffix = ".zst";

}  // namespace whence::exports
