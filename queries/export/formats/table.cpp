// A format is a row here and a writer in a source of its own, which defines the row's `make`.

#include "queries/export/formats/table.hpp"

#include "queries/export/graph_writer.hpp"

#include <algorithm>
#include <array>

namespace whence::exports {

MakeWriter make_graphml, make_dot, make_node_link, make_cytoscape, make_csv, make_prov_json, make_prov_n;

namespace {

constexpr std::array table = {
    Format{"jsonl",
           "JSON lines",
           "Everything, to be imported again.",
           {".jsonl", ".ndjson"},
           {"export.jsonl"},
           nullptr,
           false},
    Format{"graphml", "GraphML", "For Gephi, yEd and NetworkX.", {".graphml"}, {"export.graphml"}, make_graphml},
    Format{"dot", "DOT", "For Graphviz, which draws it.", {".dot", ".gv"}, {"export.dot"}, make_dot},
    Format{"node-link", "Node-link JSON", "For D3 and NetworkX.", {}, {"export.node-link.json"}, make_node_link},
    Format{"cytoscape", "Cytoscape JSON", "For Cytoscape and NetworkX.", {}, {"export.cytoscape.json"}, make_cytoscape},
    Format{
        "csv", "CSV", "Two tables for spreadsheets and pandas.", {}, {"nodes.csv", "edges.csv"}, make_csv, true, true},
    Format{"prov-json", "PROV-JSON", "For tools of W3C PROV.", {}, {"export.prov.json"}, make_prov_json, false},
    Format{"prov-n", "PROV-N", "For people and tools of W3C PROV.", {".provn"}, {"export.provn"}, make_prov_n, false},
};

}  // namespace

std::span<Format const> formats() noexcept {
  return table;
}

Format const* find_format(std::string_view name) noexcept {
  auto const found = std::ranges::find(table, name, &Format::name);
  return found == table.end() ? nullptr : &*found;
}

Format const* find_format_by_suffix(std::string_view file_name) noexcept {
  if (file_name.ends_with(zstd_suffix)) file_name.remove_suffix(zstd_suffix.size());
  for (auto const& format : table) {
    bool const is_its =
        std::ranges::any_of(format.suffixes, [&](std::string_view suffix) { return file_name.ends_with(suffix); });
    if (is_its) return &format;
  }
  return nullptr;
}

}  // namespace whence::exports
