#pragma once
// One factory per format, each in its own source; called by the table of formats only.

#include "queries/export/format.hpp"
#include "queries/export/graph_writer.hpp"

#include <memory>

namespace whence::exports {

std::unique_ptr<GraphWriter> make_graphml(FormatOptions const& options);
std::unique_ptr<GraphWriter> make_gexf(FormatOptions const& options);
std::unique_ptr<GraphWriter> make_dot(FormatOptions const& options);
std::unique_ptr<GraphWriter> make_node_link(FormatOptions const& options);
std::unique_ptr<GraphWriter> make_cytoscape(FormatOptions const& options);
std::unique_ptr<GraphWriter> make_csv(FormatOptions const& options);
std::unique_ptr<GraphWriter> make_csv_neo4j(FormatOptions const& options);
std::unique_ptr<GraphWriter> make_prov_json(FormatOptions const& options);
std::unique_ptr<GraphWriter> make_prov_n(FormatOptions const& options);

}  // namespace whence::exports
