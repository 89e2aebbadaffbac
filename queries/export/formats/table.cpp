// The table of formats.

#include "queries/export/format.hpp"

#include "queries/export/graph_writer.hpp"
#include "queries/export/writers.hpp"

#include <algorithm>
#include <array>

namespace whence::exports {
namespace {

constexpr std::array<std::string_view, 1> jsonl_suffixes = {".jsonl"};
constexpr std::array<std::string_view, 1> jsonl_files = {"export.jsonl"};
constexpr std::array<std::string_view, 1> graphml_suffixes = {".graphml"};
constexpr std::array<std::string_view, 1> graphml_files = {"export.graphml"};
constexpr std::array<std::string_view, 1> gexf_suffixes = {".gexf"};
constexpr std::array<std::string_view, 1> gexf_files = {"export.gexf"};
constexpr std::array<std::string_view, 2> dot_suffixes = {".dot", ".gv"};
constexpr std::array<std::string_view, 1> dot_files = {"export.dot"};
constexpr std::array<std::string_view, 1> node_link_files = {"export.node-link.json"};
constexpr std::array<std::string_view, 1> cytoscape_files = {"export.cytoscape.json"};
constexpr std::array<std::string_view, 2> csv_files = {"nodes.csv", "edges.csv"};
constexpr std::array<std::string_view, 4> neo4j_files = {"nodes-header.csv", "nodes.csv", "edges-header.csv",
                                                         "edges.csv"};
constexpr std::array<std::string_view, 1> prov_json_files = {"export.prov.json"};
constexpr std::array<std::string_view, 1> prov_n_suffixes = {".provn"};
constexpr std::array<std::string_view, 1> prov_n_files = {"export.provn"};

constexpr std::array<FormatInfo, 10> table = {{
    {Format::jsonl, "jsonl", jsonl_suffixes, jsonl_files, nullptr},
    {Format::graphml, "graphml", graphml_suffixes, graphml_files, make_graphml},
    {Format::gexf, "gexf", gexf_suffixes, gexf_files, make_gexf},
    {Format::dot, "dot", dot_suffixes, dot_files, make_dot},
    {Format::node_link, "node-link", {}, node_link_files, make_node_link},
    {Format::cytoscape, "cytoscape", {}, cytoscape_files, make_cytoscape},
    {Format::csv, "csv", {}, csv_files, make_csv},
    {Format::csv_neo4j, "csv-neo4j", {}, neo4j_files, make_csv_neo4j},
    {Format::prov_json, "prov-json", {}, prov_json_files, make_prov_json},
    {Format::prov_n, "prov-n", prov_n_suffixes, prov_n_files, make_prov_n},
}};

}  // namespace

std::span<FormatInfo const> formats() noexcept {
  return table;
}

FormatInfo const& info(Format format) noexcept {
  return table[static_cast<std::size_t>(format)];
}

std::optional<Format> find_format(std::string_view name) noexcept {
  auto const found = std::ranges::find(table, name, &FormatInfo::name);
  return found == table.end() ? std::nullopt : std::optional{found->format};
}

std::optional<Format> find_format_by_suffix(std::string_view file_name) noexcept {
  if (file_name.ends_with(zstd_suffix)) file_name.remove_suffix(zstd_suffix.size());
  for (auto const& row : table) {
    for (auto const suffix : row.suffixes) {
      if (file_name.ends_with(suffix)) return row.format;
    }
  }
  return std::nullopt;
}

}  // namespace whence::exports
